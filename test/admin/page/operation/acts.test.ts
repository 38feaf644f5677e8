/** Whoever does something on the page learns what came of it, where they stood. */
import { expect } from 'chai';
import { LedgerUnavailable } from '../../../../src/ledger/ledger.ts';
import { OFFICE_ARCHIVE, openOperationWorld, type OperationWorld } from '../../../support/operation-world.ts';
import { openPageWorld, type PageWorld } from '../../../support/page-world.ts';

describe('What people do on the page', () => {
  let office: OperationWorld;
  let world: PageWorld;

  beforeEach(async () => {
    office = await openOperationWorld();
    world = await openPageWorld(office.services);
    Object.assign(world.services.archive, OFFICE_ARCHIVE);
  });

  afterEach(async () => {
    await world.close();
    await office.close();
  });

  /** @returns where it leads, and what is said there */
  const act = async (name: string, fields: Readonly<Record<string, string>> = {}) => {
    const answer = await world.post(`/act/${name}`, { back: '/dead?a=1', ...fields });
    expect(answer.status).to.equal(303);
    const cookies = [answer.headers['set-cookie'] ?? []].flat().join('\n');
    const [, kind, text = ''] = /botbell_flash=(\w+)\.([\w-]+)/.exec(cookies) ?? [];
    const said = kind === undefined ? {} : { kind, text: Buffer.from(text, 'base64url').toString() };
    return { to: answer.headers['location'], ...said };
  };

  const ACTOR = { via: 'page', user: undefined, from: '127.0.0.1' };

  it('delivers a message again, once for each form', async () => {
    const { kind, text, to } = (await act('redeliver', { id: '1' })) as Record<string, unknown>;
    expect([kind, to]).to.deep.equal(['done', '/dead?a=1']);
    expect(text).to.contain('in a moment');
    expect(office.done).to.deep.equal([['redeliver', 1, ACTOR, false]]);
    expect(await act('redeliver', { id: '2' })).to.include({ kind: 'failed' });
    await act('redeliver', { id: '2', again: '1' });
    expect(office.done.at(-1)).to.deep.equal(['redeliver', 2, ACTOR, true]);
  });

  it('says of what is gone, or is no number, that it is', async () => {
    expect(await act('redeliver', { id: '99' })).to.include({
      kind: 'failed',
      text: 'There is no such thing any more.',
    });
    for (const name of ['redeliver', 'dismiss']) {
      expect(await act(name, { id: 'x' })).to.include({ kind: 'failed' });
    }
    expect(await act('route', { id: '' })).to.include({ kind: 'failed' });
  });

  it('snoozes a BOT or a destination, and says what is missing', async () => {
    const asked = {
      bot_id: ' get_items ',
      destination: '',
      until: 'next-success',
      time: '',
      because: 'tests',
    };
    expect(await act('snooze', asked)).to.include({ kind: 'done', to: '/snoozes' });
    const { snooze } = Object.fromEntries(office.done.map(([what, request]) => [what, request]));
    expect(snooze).to.deep.include({
      botId: 'get_items',
      destination: undefined,
      untilSuccess: true,
      because: 'tests',
    });
    expect(snooze).to.have.property('actor').that.deep.equals(ACTOR);

    const time = { ...asked, bot_id: '', destination: 'slack:#ops', time: '2026-12-01T09:00' };
    expect(await act('snooze', time)).to.include({ kind: 'done' });
    const until = Date.parse('2026-12-01T00:00:00Z');
    expect(office.done.at(-1)?.[1]).to.deep.include({
      destination: 'slack:#ops',
      until,
      untilSuccess: false,
    });

    for (const [fields, text] of [
      [{ bot_id: '' }, 'Name a BOT'],
      [{ time: '2020-01-01T00:00' }, 'to come'],
      [{ bot_id: '', destination: 'slack:#ops' }, 'whose success'],
      [{ destination: 'slack:#none' }, 'no such destination'],
    ] as const) {
      const {
        kind,
        to,
        text: said,
      } = (await act('snooze', { ...asked, ...fields })) as Record<string, unknown>;
      expect([kind, said]).to.deep.equal(['failed', said]).and.to.have.property('1').that.contains(text);
      expect(to, 'what was filled in is there again').to.match(/^\/snoozes\?.*because=tests/);
    }
    expect(office.done).to.have.length(2);
  });

  it('ends a snooze', async () => {
    expect(await act('end-snooze', { id: '1' })).to.include({ kind: 'done', to: '/dead?a=1' });
    expect(office.done).to.deep.equal([['end a snooze', 1, ACTOR]]);
    expect(await act('end-snooze', { id: '7' })).to.include({ kind: 'failed' });
  });

  it('dismisses a dead letter', async () => {
    expect(await act('dismiss', { id: '1' })).to.include({ kind: 'done' });
    expect(await act('dismiss', { id: '2' })).to.include({ kind: 'failed' });
    expect(office.done[0]).to.deep.equal(['dismiss', 1, ACTOR]);
  });

  it('routes a callback anew, and names who is told, or says that nobody is', async () => {
    expect(await act('route', { id: '1' })).to.include({
      kind: 'done',
      text: 'It goes to slack:#ops now.',
    });
    expect(await act('route', { id: '2' })).to.include({ kind: 'failed' });
    expect(await act('route', { id: '3' }))
      .to.have.property('text')
      .that.contains('Its job has ended');
    expect(await act('route', { id: '4' })).to.include({ kind: 'failed' });
  });

  it('begins with all that matches', async () => {
    const group = { state: 'dead', destination: 'slack:#ops', error_class: 'config', error_code: 'x' };
    const begun = await act('redeliver-all', { ...group, what: 'dismissed' });
    expect(begun).to.include({ to: '/dead', kind: 'done' });
    expect(office.done).to.deep.equal([
      [
        'bulk',
        { state: 'dead', destination: 'slack:#ops', errorClass: 'config', errorCode: 'x' },
        ACTOR,
        'dismissed',
      ],
    ]);
  });

  it('does nothing by a filter that makes no sense, and takes no empty one for all dead letters', async () => {
    const filters: readonly Readonly<Record<string, string>>[] = [
      {},
      { status: '9' },
      { state: '' },
      { state: 'dead', bot_id: '' },
      { error_class: 'any' },
    ];
    for (const fields of filters) {
      const { status } = await world.post('/act/redeliver-all', fields);
      expect([status, office.done], JSON.stringify(fields)).to.deep.equal([400, []]);
    }
  });

  it('stops a redelivery', async () => {
    expect(await act('stop', { id: '3' })).to.include({ kind: 'done' });
    expect(await act('stop', { id: '9' })).to.include({ kind: 'failed' });
    expect(office.done[0]).to.deep.equal(['stop', 3, ACTOR]);
  });

  it('marks refused bodies as seen', async () => {
    expect(await act('see-refused', { id: '12' })).to.include({ kind: 'done' });
    expect(office.done).to.deep.equal([['see refused', 12, ACTOR]]);
  });

  it('sends a test, and says what the remote said', async () => {
    expect(await act('test', { destination: 'slack:#shop' })).to.include({
      kind: 'done',
      text: 'The test for slack:#shop, after 180 ms: Slack took it.',
    });
    expect(office.done[0], 'in the language of the page').to.deep.equal(['test', 'slack:#shop', ACTOR, 'en']);
    expect(await act('test', { destination: 'slack:#ops' })).to.include({ kind: 'failed' });
    expect(await act('test', { destination: 'nobody' })).to.include({
      kind: 'failed',
      text: 'The config has no such destination.',
    });
  });

  it('reloads, and says why it could not', async () => {
    const { kind, text } = (await act('reload', { back: '/config' })) as Record<string, unknown>;
    expect([kind, text]).to.deep.equal([
      'failed',
      'The config on the disk has errors and was not loaded: the one before it stays in force.',
    ]);
    expect(office.done[0]?.[1]).to.contain('127.0.0.1');
  });

  it('says so where the ledger cannot be written', async () => {
    const gone = () => Promise.reject(new LedgerUnavailable('gone'));
    Object.assign(world.services.operations, { dismiss: gone });
    const answer = (await act('dismiss', { id: '1' })) as Record<string, unknown>;
    expect([answer['kind'], answer['to']]).to.deep.equal(['failed', '/dead?a=1']);
    expect(answer['text']).to.contain('nothing done');
  });

  it('answers in the reader’s language', async () => {
    const answer = await world.post('/act/dismiss', { id: '1', back: '/' });
    expect(answer.status).to.equal(303);
  });
});
