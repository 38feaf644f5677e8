/** What scripts can ask of the API and have done by it, and what they are told where that makes no sense. */
import { expect } from 'chai';
import type { Reloading } from '../../src/admin/services.ts';
import type { BulkRedelivery } from '../../src/ledger/actions/actions.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { People } from '../../src/people/actions.ts';
import { Refused } from '../../src/people/outcomes.ts';
import { type AdminWorld, openAdminWorld } from '../support/admin-world.ts';
import { ManualClock } from '../support/manual-clock.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const ACTOR = { via: 'api', user: undefined, from: '127.0.0.1' } as const;

const BULK: BulkRedelivery = {
  id: 7,
  what: 'redelivered',
  filter: { destination: 'slack:#ops', state: 'dead', errorClass: '', from: NOW - 86_400_000 },
  actor: { via: 'page', user: 'admin', from: '192.0.2.7' },
  state: 'stopped',
  startedAt: NOW - 60_000,
  endedAt: NOW,
  stoppedBy: ACTOR,
  given: 5,
  delivered: 3,
  dead: 1,
  pending: 1,
};

const BULK_SHAPE = {
  id: 7,
  what: 'redelivered',
  filter: {
    state: 'dead',
    destination: 'slack:#ops',
    from: '2026-03-09T12:00:00.000Z',
    error_class: 'none',
  },
  state: 'stopped',
  started_at: '2026-03-10T11:59:00.000Z',
  started_by: { via: 'page', user: 'admin', from: '192.0.2.7' },
  ended_at: '2026-03-10T12:00:00.000Z',
  stopped_by: { via: 'api', user: null, from: '127.0.0.1' },
  given: 5,
  delivered: 3,
  dead: 1,
  pending: 1,
};

describe('the API', () => {
  let world: AdminWorld;
  /** What it was asked to do. */
  let asked: unknown[];

  afterEach(() => world.close());

  const open = async (people: Partial<People> = {}, archive = {}, reloading: Partial<Reloading> = {}) => {
    asked = [];
    const recorded = Object.entries(people).map(([name, operation]) => [
      name,
      (...args: unknown[]) => {
        asked.push([name, ...args]);
        return (operation as (...given: unknown[]) => unknown)(...args);
      },
    ]);
    world = await openAdminWorld({
      clock: new ManualClock(NOW),
      people: Object.fromEntries(recorded) as Partial<People>,
      archive,
      reloading,
    });
  };

  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    world.ask(`POST ${path}`, {
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('answers with the status and the body of the outcome, and hands on who asked for it', async () => {
    const accepted = { name: 'accepted', json: { id: 17, result: 'accepted' } } as const;
    await open({ redeliver: () => Promise.resolve(accepted) });
    const answer = await post('/api/deliveries/17/redeliver?again=true');
    expect([answer.status, answer.json]).to.deep.equal([202, accepted.json]);
    expect(asked).to.deep.equal([['redeliver', 17, ACTOR, true]]);
  });

  it('answers with a problem what cannot be done, and says why', async () => {
    for (const [outcome, status, detail] of [
      [{ name: 'superseded' }, 409, 'result is known'],
      [{ name: 'unknown' }, 404, 'nothing of this id'],
      [
        { name: 'destination unknown', values: { destination: 'a:b', hint: '; did you mean "a:c"?' } },
        422,
        'a:c',
      ],
    ] as const) {
      await open({ dismiss: () => Promise.reject(new Refused(outcome)) });
      const answer = await post('/api/deliveries/17/dismiss');
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([
        status,
        'application/problem+json',
      ]);
      expect(answer.json).to.have.property('detail').that.contains(detail);
      await world.close();
    }
  });

  it('refuses to snooze by a field that it does not have', async () => {
    await open({ snooze: () => Promise.resolve({ name: 'snoozed' }) });
    expect((await post('/api/snoozes', { bot_id: 'a', until: 'tomorrow' })).status).to.equal(201);
    expect((await post('/api/snoozes', { bot_id: 'a', until: 'tomorrow', why: 'x' })).status).to.equal(400);
    expect(asked).to.have.length(1);
  });

  describe('redelivers all that a filter matches', () => {
    it('after a dry run that says how many, to whom and how old', async () => {
      const tally = {
        messages: 3,
        destinations: [{ destination: 'slack:#ops', messages: 3 }],
        oldestAt: NOW - 7_200_000,
        newestAt: NOW - 60_000,
      };
      await open({ tally: () => Promise.resolve(tally) });
      const answer = await post('/api/redeliver?state=dead&error_code=is_archived&from=2d&dry_run=true');
      expect([answer.status, answer.json]).to.deep.equal([
        200,
        {
          messages: 3,
          destinations: tally.destinations,
          oldest_at: '2026-03-10T10:00:00.000Z',
          newest_at: '2026-03-10T11:59:00.000Z',
          oldest_age: 7200,
        },
      ]);
      const [[name, filter]] = asked as [[string, object]];
      expect(name).to.equal('tally');
      expect(JSON.parse(JSON.stringify(filter))).to.deep.equal({
        state: 'dead',
        errorCode: 'is_archived',
        from: NOW - 2 * 86_400_000,
      });
    });

    it('or dismisses it, as a job that can be watched', async () => {
      const begun = { name: 'bulk dismissed', json: BULK_SHAPE } as const;
      await open({
        startBulk: () => Promise.resolve(begun),
        bulks: () => Promise.resolve([BULK]),
        bulk: (id) => Promise.resolve(id === 7 ? BULK : undefined),
      });
      const { status, headers, json } = await post('/api/dismiss?state=dead&dry_run=false');
      expect([status, headers['location'], json]).to.deep.equal([202, '/api/redeliveries/7', BULK_SHAPE]);
      expect((asked.at(-1) as unknown[])[3]).to.equal('dismissed');
      expect((await world.ask('GET /api/redeliveries')).json).to.deep.equal({ items: [BULK_SHAPE] });
      expect((await world.ask('GET /api/redeliveries/7')).json).to.deep.equal(BULK_SHAPE);
      expect((await world.ask('GET /api/redeliveries/8')).status).to.equal(404);
    });

    for (const [query, parameters] of [
      ['', ['state']],
      ['?dry_run=true', ['state']],
      ['?state=delivered', ['state']],
      ['?state=dead&limit=5', ['limit']],
      ['?state=dead&dry_run=yes', ['dry_run']],
      ['?state=dead&dry_run', ['dry_run']],
      ['?state=dead&bot_id=', ['bot_id']],
      ['?state=dead&dry-run=%20&destination=+', ['dry-run', 'destination']],
      ['?stat=dead&bot=x&from=tomorrow&dry_run=1', ['stat', 'bot', 'from', 'dry_run']],
    ] as const) {
      it(`but does nothing for ${query || 'no filter at all'}`, async () => {
        await open({
          startBulk: () => Promise.resolve({ name: 'bulk redelivered' }),
          tally: () => Promise.reject(new Error('no')),
        });
        const { status, json } = await post(`/api/redeliver${query}`);
        const named = (json['errors'] as { parameter: string }[]).map(({ parameter }) => parameter);
        expect([status, named, asked]).to.deep.equal([400, parameters, []]);
        for (const parameter of parameters) expect(json['detail']).to.include(`"${parameter}" `);
      });
    }
  });

  describe('reloads the config', () => {
    const PROBLEM = {
      place: { file: 'botbell.yaml', line: 3, column: 7 },
      message: 'unknown key "rout"\u202e',
      severity: 'error',
    } as const;

    const openWith = (reloading: Partial<Reloading>) => open({}, {}, reloading);

    it('and says with which one it goes on', async () => {
      const loaded = { isLoaded: true, hasChanged: true, configHash: 'c0ffee', warnings: [] } as const;
      await openWith({ reload: () => Promise.resolve({ ...loaded, unchanged: ['receiver.listen'] }) });
      const { status, json } = await post('/-/reload');
      expect([status, json]).to.deep.equal([
        200,
        { result: 'reloaded', config: 'c0ffee', warnings: [], unchanged: ['receiver.listen'] },
      ]);
    });

    it('or answers 422 with what is wrong, and where', async () => {
      await openWith({ reload: () => Promise.resolve({ isLoaded: false, problems: [PROBLEM] }) });
      const { status, json } = await post('/-/reload');
      expect([status, json['errors']]).to.deep.equal([
        422,
        [{ file: 'botbell.yaml', line: 3, column: 7, detail: 'unknown key "rout"\\u202e' }],
      ]);
    });

    it('or says what would change, and no other parameter is read', async () => {
      const changes = [
        { botId: 'a', status: 'error', callbacks: 3, added: ['slack:#ops'], removed: [] },
      ] as const;
      const preview = {
        problems: [],
        configHash: 'c0ffee',
        since: '2026-03-03',
        changes,
        isComplete: true,
      };
      await openWith({ preview: () => Promise.resolve({ ...preview, unchanged: [] }) });
      const { status, json } = await post('/-/reload?dry_run=true');
      expect([status, json['changes']]).to.deep.equal([
        200,
        [{ bot_id: 'a', status: 'error', callbacks: 3, added: ['slack:#ops'], removed: [] }],
      ]);
      expect((await post('/-/reload?dryrun=true')).status).to.equal(400);
      for (const flag of ['dry_run=1', 'dry_run=', 'dry_run', 'dryrun='])
        expect((await post(`/-/reload?${flag}`)).status, flag).to.equal(400);
      expect((await world.ask('GET /-/reload')).status).to.equal(405);
    });
  });

  describe('refuses', () => {
    it('parameters that nobody reads, everywhere', async () => {
      await open();
      for (const what of [
        'GET /api/callbacks/1?x=1',
        'GET /api/callbacks/1/body?x=1',
        'POST /api/callbacks/1/route?dry_run=true',
        'POST /api/deliveries/1/redeliver?agian=true',
        'POST /api/deliveries/1/redeliver?again=yes',
        'POST /api/deliveries/1/redeliver?again=true&again=true',
        'POST /api/deliveries/1/dismiss?again=true',
        'GET /api/redeliveries?limit=1',
        'GET /api/redeliveries/1?x=1',
        'POST /api/redeliveries/1/stop?x=1',
        'POST /api/test?destination=a',
        'GET /api/refused?limit=-1',
        'GET /api/bots?days=0',
        'GET /api/bots?days=401',
        'GET /api/bots/a?since=1',
      ]) {
        expect((await world.ask(what)).status, what).to.equal(400);
      }
      expect(asked).to.deep.equal([]);
    });

    it('other methods, and says which there are', async () => {
      await open();
      for (const [what, allow] of [
        ['POST /api/callbacks', 'HEAD, GET'],
        ['DELETE /api/callbacks/1', 'HEAD, GET'],
        ['GET /api/deliveries/1/redeliver', 'POST'],
        ['PUT /api/test', 'POST'],
        ['OPTIONS /api/bots', 'HEAD, GET'],
        ['POST /healthz', 'HEAD, GET'],
        ['POST /metrics', 'HEAD, GET'],
      ] as const) {
        const { status, headers } = await world.ask(what);
        expect([status, headers['allow'], headers['content-type']], what).to.deep.equal([
          405,
          allow,
          'application/problem+json',
        ]);
      }
    });

    it('a body that is no JSON object, is too large, or says what nobody reads', async () => {
      await open({ test: () => Promise.resolve({ name: 'tested, delivered', json: {} }) });
      const test = (body: string, type = 'application/json') =>
        world.ask('POST /api/test', { headers: { 'content-type': type }, body });
      const right = '{"destination": "slack:#ops"}';
      expect((await test(right.slice(0, -1))).status).to.equal(400);
      expect((await test('"x"')).status).to.equal(400);
      expect((await test(right.replace('}', ', "reason": "x"}'))).status).to.equal(400);
      expect((await test(' '.repeat(65 * 1024))).status).to.equal(413);
      expect((await test('destination=x', 'application/x-www-form-urlencoded')).status).to.equal(415);
      expect((await test(right, 'application/json; charset=utf-8')).status).to.equal(200);
      expect(asked).to.have.length(1);
    });
  });

  it('answers 503 while the ledger cannot be read or written', async () => {
    const fails = () => Promise.reject(new LedgerUnavailable('disk /var/secret/path is gone'));
    await open(
      { dismiss: fails, bulks: fails },
      {
        callbacks: fails,
        story: fails,
        bots: fails,
        refusals: fails,
      },
    );
    for (const what of [
      'GET /api/callbacks',
      'GET /api/callbacks/1',
      'GET /api/bots',
      'GET /api/refused',
      'GET /api/redeliveries',
      'POST /api/deliveries/1/dismiss',
    ]) {
      const { status, headers, body } = await world.ask(what);
      expect([status, headers['retry-after'], headers['content-type']], what).to.deep.equal([
        503,
        '5',
        'application/problem+json',
      ]);
      expect(body).not.to.include('secret');
    }
    expect(world.unforeseen).to.deep.equal([]);
  });
});
