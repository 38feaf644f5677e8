/** Whoever does something on the page learns what came of it, where they stood. What each action does is proved in test/people. */
import { expect } from 'chai';
import { LedgerUnavailable } from '../../../../src/ledger/ledger.ts';
import { OFFICE_ARCHIVE, openOffice, type OfficeWorld } from '../../../support/office.ts';

const ACTOR = { via: 'page', user: undefined, from: '127.0.0.1' };

describe('What people do on the page', () => {
  let world: OfficeWorld;

  beforeEach(async () => {
    world = await openOffice(OFFICE_ARCHIVE);
  });

  afterEach(() => world.close());

  /** @returns where it leads, and what is said there */
  const act = async (name: string, fields: Readonly<Record<string, string>> = {}) => {
    const answer = await world.post(`/act/${name}`, { back: '/dead?a=1', ...fields });
    expect(answer.status).to.equal(303);
    const cookies = [answer.headers['set-cookie'] ?? []].flat().join('\n');
    const [, kind, text = ''] = /botbell_flash=(\w+)\.([\w-]+)/.exec(cookies) ?? [];
    return { to: answer.headers['location'], kind, text: Buffer.from(text, 'base64url').toString() };
  };

  it('is said to have been done, or why not, where the form stands', async () => {
    expect(await act('redeliver', { id: '1' })).to.deep.equal({
      to: '/dead?a=1',
      kind: 'done',
      text: 'It is sent in a moment.',
    });
    expect(world.done).to.deep.equal([['redeliver', 1, ACTOR, false]]);
    for (const id of ['2', '99', 'x'])
      expect(await act('redeliver', { id }), id).to.include({ kind: 'failed' });
    expect(await act('test', { destination: 'slack:#ops' })).to.include({ kind: 'failed' });
  });

  for (const [name, fields, ...done] of [
    ['redeliver', { id: '1', again: '1' }, 'redeliver', 1, ACTOR, true],
    ['dismiss', { id: '1' }, 'dismiss', 1, ACTOR],
    ['route', { id: '7' }, 'route', 7, ACTOR],
    ['stop', { id: '3' }, 'stop', 3, ACTOR],
    ['see-refused', { id: '12' }, 'see refused', 12, ACTOR],
    ['end-snooze', { id: '5' }, 'end snooze', 5, ACTOR],
    ['test', { destination: 'slack:#ops' }, 'test', 'slack:#ops', ACTOR, 'en'],
    ['reload', {}, 'reload', 'the page, nobody named from 127.0.0.1'],
  ] as const)
    it(`is asked for by its form: ${name}`, async () => {
      await act(name, fields);
      expect(world.done).to.deep.equal([done]);
    });

  it('begins with all that matches, and with nothing where the form says more or less than it should', async () => {
    const group = { state: 'dead', destination: 'slack:#ops', error_class: 'config', error_code: 'x' };
    expect(await act('redeliver-all', { ...group, what: 'dismissed' })).to.include({ kind: 'done' });
    const filter = { state: 'dead', destination: 'slack:#ops', errorClass: 'config', errorCode: 'x' };
    expect(world.done).to.deep.equal([['bulk', filter, ACTOR, 'dismissed']]);
    for (const query of ['', 'what=redelivered', 'state=delivered', 'state=dead&x=1']) {
      const fields = Object.fromEntries(new URLSearchParams(query));
      const { status } = await world.post('/act/redeliver-all', fields);
      expect([status, world.done.length], query).to.deep.equal([400, 1]);
    }
  });

  it('shows a form that was refused again as it was filled in, however long it is', async () => {
    const because = '請求'.repeat(4000);
    const answer = await world.post('/act/snooze', {
      bot_id: '',
      destination: '',
      until: 'tomorrow',
      because,
    });
    expect(answer.body).to.include('Name a BOT, a destination, or both.').and.to.include(because);
    expect(answer.body, 'it is not made anew while it is filled in').to.include('data-still="true"');
    expect(answer.headers).not.to.have.property('location');
  });

  it('says so where the ledger cannot be written', async () => {
    Object.assign(world.services.people, { dismiss: () => Promise.reject(new LedgerUnavailable('gone')) });
    const { kind, to, text } = await act('dismiss', { id: '1' });
    expect([kind, to]).to.deep.equal(['failed', '/dead?a=1']);
    expect(text).to.contain('nothing was done');
  });
});
