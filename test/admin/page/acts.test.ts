/** Whoever does something on the page learns what came of it, where they stood. What each action does is proved in test/contract and test/people. */
import { expect } from 'chai';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { isDone, type OutcomeName } from '../../../src/people/outcomes.ts';
import { anew } from '../../support/anew.ts';
import { openOffice } from '../../support/office.ts';

const ACTOR = { via: 'page', user: undefined, from: '127.0.0.1' };

type Fields = Readonly<Record<string, string>>;

describe('What people do on the page', () => {
  const world = anew(() => openOffice());
  let [dead, told]: string[] = [];

  beforeEach(async () => {
    const [callback] = (await world.services.archive.callbacks({ state: 'dead' })).items;
    [dead, told] = callback?.deliveries.map(({ id }) => String(id)) ?? [];
  });

  /** @returns where it leads, and what is said there */
  const act = async (name: string, fields: Fields = {}) => {
    const answer = await world.post(`/act/${name}`, { back: '/dead?a=1', ...fields });
    expect(answer.status).to.equal(303);
    const cookies = [answer.headers['set-cookie'] ?? []].flat().join('\n');
    const [, kind, text = ''] = /botbell_flash=(\w+)\.([\w-]+)/.exec(cookies) ?? [];
    return { to: answer.headers['location'], kind, text: Buffer.from(text, 'base64url').toString() };
  };

  it('is said to have been done, or why not, where the form stands', async () => {
    const destination = 'slack:#old-prices';
    const forms: readonly (readonly [name: string, fields: Fields, result: OutcomeName])[] = [
      ['dismiss', { id: dead ?? '' }, 'dismissed'],
      ['dismiss', { id: 'x' }, 'unknown'],
      ['redeliver', { id: told ?? '' }, 'delivered'],
      ['redeliver', { id: told ?? '', again: '1' }, 'accepted'],
      ['route', { id: '1' }, 'routed to nobody'],
      ['redeliver-all', { state: 'dead', destination, what: 'dismissed' }, 'bulk dismissed'],
      ['redeliver-all', { state: 'dead', what: 'redelivered' }, 'bulk redelivered'],
      ['stop', { id: '2' }, 'stopped'],
      ['snooze', { bot_id: 'get_items', until: 'tomorrow', because: 'x' }, 'snoozed'],
      ['end-snooze', { id: '1' }, 'ended'],
      ['test', { destination: 'slack:#shop' }, 'tested, failed'],
    ];
    for (const [name, fields, result] of forms) {
      const { to, kind } = await act(name, fields);
      expect([to, kind], name).to.deep.equal(['/dead?a=1', isDone({ name: result }) ? 'done' : 'failed']);
      expect(world.done.at(-1), name).to.deep.include({ actor: ACTOR, result });
    }
    expect(await act('redeliver', { id: dead ?? '' })).to.include({ text: 'It is sent in a moment.' });
    expect(await act('reload')).to.include({ kind: 'failed' });
    expect(world.done.at(-1)).to.include({ cause: 'the page, nobody named from 127.0.0.1' });
  });

  it('takes up, gives back and closes all incidents of one cause in one act, and remembers who signs', async () => {
    const open = await world.services.archive.openIncidents();
    const ids = open.map(({ id }) => String(id)).join(' ');
    const { headers } = await world.post('/act/take-up', { ids, by: 'kenji', because: 'the VPN' });
    const name = Buffer.from('kenji').toString('base64url');
    expect(String(headers['set-cookie'])).to.include(`botbell_name=${name}`);
    const takers = async () => (await world.services.archive.openIncidents()).map((each) => each.takenUp?.by);
    expect(new Set(await takers())).to.deep.equal(new Set(['kenji']));
    expect(await act('give-back', { ids })).to.include({ kind: 'done' });
    expect(new Set(await takers())).to.deep.equal(new Set([undefined]));
    expect(await act('close', { ids })).to.include({ kind: 'done' });
    expect(await takers()).to.deep.equal([]);
    expect(await act('close', { ids }), 'twice').to.include({ kind: 'failed' });
    const { text } = await act('give-back', { ids: '' });
    expect(text, 'none').to.equal('The ledger has nothing of this id.');
  });

  it('begins with all that matches, and with nothing where the form says more or less than it should', async () => {
    for (const query of ['', 'what=redelivered', 'state=delivered', 'state=dead&x=1']) {
      const fields = Object.fromEntries(new URLSearchParams(query));
      const { status } = await world.post('/act/redeliver-all', fields);
      expect([status, world.done], query).to.deep.equal([400, []]);
    }
  });

  it('snoozes, for an hour or until nine, in the name of who signs, which it remembers', async () => {
    const { headers } = await world.post('/act/snooze', { bot_id: 'get_items', until: '1h', by: 'kenji' });
    expect((await world.services.archive.snoozes()).items).to.containSubset([{ by: 'kenji' }]);
    const { body } = await world.get('/snoozes', { cookie: [headers['set-cookie']].flat().join('; ') });
    expect(body).to.include('value="kenji"').and.to.include('<option value="1h">');
    expect(body, 'unless another end is chosen').to.include('<option value="tomorrow" selected>');
  });

  it('shows a form that was refused again as it was filled in, however long it is', async () => {
    const because = '請求'.repeat(4000);
    const answer = await world.post('/act/snooze', { until: 'tomorrow', because, back: '/snoozes' });
    expect(answer.body).to.include('Name a BOT, a destination, or both.').and.to.include(because);
    expect(answer.body, 'it is not made anew while it is filled in').to.include('data-still="true"');
    const backs = [...answer.body.matchAll(/\bback(?:=|" value=")([^"]*)/g)].map(([, to = '']) => to);
    expect(new Set(backs.map(decodeURIComponent))).to.deep.equal(new Set(['/snoozes']));
  });

  it('leads from the address of an act, where it shows what was refused, to the first view', async () => {
    for (const name of ['snooze', 'redeliver-all']) {
      const { status, headers } = await world.get(`/act/${name}`);
      expect([status, headers['location'], world.done], name).to.deep.equal([303, '/', []]);
    }
  });

  it('says so where the store cannot be used', async () => {
    Object.assign(world.services.people, { dismiss: () => Promise.reject(new LedgerUnavailable('gone')) });
    expect(await act('dismiss', { id: '1' })).to.deep.equal({
      kind: 'failed',
      to: '/dead?a=1',
      text: 'The store does not confirm it: look whether it is done before you do it again.',
    });
    const asked = { what: 'dismiss', actor: ACTOR, subject: 1, result: 'store unwritten' };
    expect(world.done.at(-1)).to.deep.equal(asked);
    await world.post('/api/deliveries/1/dismiss', {});
    const byProgram = { via: 'api', user: undefined, from: '127.0.0.1' };
    const path = '/api/deliveries/:id/dismiss';
    expect(world.done.at(-1)).to.deep.equal({ ...asked, what: path, actor: byProgram });
  });
});
