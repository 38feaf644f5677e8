/** What the API tells of a ledger. That each database tells the same is proved by the archive’s contract. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { CallbackResult, DeliveryTarget, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { type AdminWorld, openAdminWorld, SECRET } from '../support/admin-world.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { deadUpdate, deliveredUpdate, Recorded, target, update } from '../support/recorded.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';

const OPS = target('slack:#ops');
const LOG = target('email:log@example.com');

describe('the API over a ledger', () => {
  let store: StoreUnderTest;
  let clock: ManualClock;
  let recorded: Recorded;
  let world: AdminWorld;

  beforeEach(async () => {
    clock = new ManualClock(Date.parse('2026-03-01T20:00:00Z'));
    store = createSqliteStore(clock);
    recorded = new Recorded(store);
    world = await openAdminWorld({ clock, archive: recorded.archive });
  });

  afterEach(async () => {
    await world.close();
    await store.close();
  });

  const arrive = (
    fields: Partial<Callback>,
    planned: readonly DeliveryTarget[] = [],
    updateOf: (id: number) => DeliveryUpdate = deliveredUpdate,
    result: CallbackResult = 'delivered',
    body?: string,
  ) => recorded.answered(fields, planned, updateOf, result, { ...(body && { body: Buffer.from(body) }) });
  const failed = (id: number) => update(id, { lastError: deadUpdate(id).lastError });

  const get = async (path: string) => {
    const answer = await world.ask(`GET ${path}`);
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).to.equal('no-store');
    return answer.json;
  };

  it('lists callbacks with their deliveries, newest first', async () => {
    await arrive({ job_id: 'a' }, [OPS]);
    const id = await arrive({ job_id: 'b', bot_id: '請求', status: 1 }, [OPS, LOG], deadUpdate, 'gave_up');
    const { items, next } = await get('/api/callbacks?limit=1');
    expect(next).to.equal(id);
    const deliveries = (items as { deliveries: { id: number; updated_at: string }[] }[])[0]?.deliveries;
    expect(items).to.deep.equal([
      {
        id,
        kind: 'callback',
        job_id: 'b',
        bot_id: '請求',
        bot_name: '商品取得',
        status: 'error',
        started_at: '2026-03-01T20:00:00.000Z',
        elapsed_time: 12,
        received_at: '2026-03-01T20:00:00.000Z',
        last_received_at: '2026-03-01T20:00:00.000Z',
        times_received: 1,
        result: 'gave_up',
        deliveries: [OPS, LOG].map(({ destination }, index) => ({
          id: deliveries?.[index]?.id,
          destination,
          state: 'dead',
          attempts: 1,
          last_error: { class: 'permanent', code: '550', message: 'no such user' },
          updated_at: deliveries?.[index]?.updated_at,
        })),
      },
    ]);
    const rest = await get(`/api/callbacks?before=${String(next)}`);
    expect([(rest['items'] as { job_id: string }[]).map((each) => each.job_id), rest['next']]).to.deep.equal([
      ['a'],
      null,
    ]);
  });

  it('tells the story of a callback, which it gives to the letter', async () => {
    const body = '{"code": 1e2, "job_id":"a","big":12345678901234567890123,"x":[1.50,"</script>"]}';
    const id = await arrive({ job_id: 'a' }, [OPS], deliveredUpdate, 'delivered', body);
    const answer = await world.ask(`GET /api/callbacks/${id}`);
    expect(answer.body).to.include(`"callback":${body}`);
    expect(answer.json).to.include({
      id,
      job_id: 'a',
      kind: 'callback',
      result: 'delivered',
      callback_url: `/api/callbacks/${id}/body`,
    });
    expect(answer.json['summary']).to.be.a('string').and.include('slack:#ops');
    const timeline = answer.json['timeline'] as readonly Readonly<Record<string, unknown>>[];
    expect(timeline[0]).to.include({ at: '2026-03-01T20:00:00.000Z', what: 'received' });
    for (const event of timeline)
      expect(Object.keys(event)).to.deep.equal(['at', 'what', 'text', 'small', 'destination']);
    expect((await world.ask(`GET /api/callbacks/${id}/body`)).body).to.equal(body);
  });

  it('says no secret of any config in an error, whenever that was written', async () => {
    const lastError = {
      class: 'config',
      code: 'invalid_auth',
      message: `token ${SECRET} is wrong`,
    } as const;
    const id = await arrive({}, [OPS], (each) => ({ ...failed(each), lastError }), 'failed');
    for (const path of ['/api/callbacks', `/api/callbacks/${id}`]) {
      const { body } = await world.ask(`GET ${path}`);
      expect(body).to.include('invalid_auth').and.not.to.include(SECRET);
    }
  });

  it('gives a large callback at an address of its own alone', async () => {
    const body = JSON.stringify({ ...callbackWith({}), message: 'x'.repeat(1_100_000) });
    const id = await arrive({}, [], deliveredUpdate, 'no_route', body);
    const { callback, callback_url: url } = await get(`/api/callbacks/${id}`);
    expect([callback, url]).to.deep.equal([null, `/api/callbacks/${id}/body`]);
    expect((await world.ask(`GET ${String(url)}`)).body).to.equal(body);
  });

  it('tells how each BOT does, and one of them with its last runs, whatever its id', async () => {
    const long = '長い/?#&'.repeat(60);
    await arrive({ job_id: '1', bot_id: 'a/b', elapsed_time: 5 });
    await arrive({ job_id: '2', bot_id: 'a/b', status: 1, elapsed_time: 7 });
    await arrive({ job_id: '3', bot_id: long, elapsed_time: 9 });
    const { items, next } = await get('/api/bots');
    expect(next).to.equal(null);
    const bots = items as Readonly<Record<string, unknown>>[];
    expect(bots[0]).to.include({ bot_id: 'a/b' });
    expect(bots[0]).to.include({ last_failed_at: '2026-03-01T20:00:00.000Z' });
    for (const bot of bots) {
      const one = await get(`/api/bots/${encodeURIComponent(String(bot['bot_id']))}`);
      expect(one).to.include({ bot_id: bot['bot_id'] });
      expect(one['runs']).to.have.length(bot === bots[0] ? 2 : 1);
    }
    expect((await get('/api/bots?after=a%2Fb'))['items']).to.have.length(1);
  });

  it('gives what strangers wrote as JSON and nothing else, cleaned where it stands in lists', async () => {
    const naughty = [
      '</script><script>alert(1)</script>',
      'a\u0000b\u202ec\u2028d\ufeff',
      '\ud800 alone',
      '__proto__',
      '🏴󠁧󠁢󠁳󠁣󠁴󠁿👩‍👩‍👧‍👦 ﷽ 𝕫',
      '\u0301'.repeat(500),
      'x'.repeat(20_000),
    ];
    for (const [index, text] of naughty.entries())
      await arrive({ job_id: `${index} ${text}`, bot_id: text, bot_name: text, message: text }, [OPS]);
    const { items } = await get('/api/callbacks');
    expect(items).to.have.length(naughty.length);
    for (const item of items as { id: number; job_id: string; bot_id: string; bot_name: string }[]) {
      const one = await get(`/api/callbacks/${item.id}`);
      for (const text of [item.job_id, item.bot_id, item.bot_name, String(one['summary'])])
        expect(text).not.to.match(/[\u0000-\u0008\u202e\u2028\ufeff\ud800](?![\udc00-\udfff])/);
      const found = await get(`/api/callbacks?job_id=${encodeURIComponent(item.job_id)}`);
      expect(found['items'], item.job_id).to.deep.equal([item]);
    }
    for (const { bot_id: id } of (await get('/api/bots'))['items'] as { bot_id: string }[])
      expect((await get(`/api/bots/${encodeURIComponent(id)}`))['bot_id']).to.equal(id);
    expect(world.unforeseen).to.deep.equal([]);
  });

  it('shows what was refused', async () => {
    const errors = [{ pointer: '/status', detail: 'missing' }];
    for (const body of ['first', '<script>'])
      await recorded.refuse({
        receivedAt: clock.now(),
        status: 422,
        detail: 'no callback',
        errors,
        from: '::1',
        body,
      });
    const { items, next } = await get('/api/refused?limit=1');
    expect(items).to.deep.equal([
      {
        id: next,
        received_at: '2026-03-01T20:00:00.000Z',
        status: 422,
        detail: 'no callback',
        errors,
        from: '::1',
        body: '<script>',
      },
    ]);
    expect((await get(`/api/refused?before=${String(next)}`))['items']).to.have.length(1);
  });

  it('answers 404 for what the ledger does not have', async () => {
    for (const path of [
      '/api/callbacks/999999',
      '/api/callbacks/999999/body',
      '/api/callbacks/0',
      '/api/callbacks/x',
      '/api/callbacks/99999999999999999999',
      '/api/bots/nobody',
      '/api/bots/%00',
    ]) {
      const { status, headers } = await world.ask(`GET ${path}`);
      expect([status, headers['content-type']], path).to.deep.equal([404, 'application/problem+json']);
    }
    expect(world.unforeseen).to.deep.equal([]);
  });
});
