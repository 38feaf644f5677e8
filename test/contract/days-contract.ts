/** What every ledger promises of reports: whatever is counted by then, they say what an oracle makes of all that came. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { sized } from '../support/test-size.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Tx } from '../../src/ledger/database.ts';
import type { Admission } from '../../src/ledger/ledger.ts';
import { rollUp } from '../../src/ledger/days/roll-up.ts';
import { type Figures, FIGURES, sumOf } from '../../src/report/figures.ts';
import { writeOwnNotice } from '../../src/ledger/callbacks/own-notices.ts';
import { DAY_MS, HOUR_MS, PostsOracle } from '../support/posts-oracle.ts';
import { arrivalOf, claimedOf, OPS } from './arrivals.ts';
import { Bench, type CreateStore } from './ledger-bench.ts';
import { settleAll, settlementsOf } from './settlements.ts';
import { delivered, failed } from './updates.ts';

const MARGIN_MS = 60_000;
const BOTS = [
  ['invoice-*', '請求書取込'],
  ['get_items', ''],
] as const;

/** 600 jobs like the one that is there; and two answers to each, other than 2xx. */
const MANY = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 600)
  insert into callbacks (kind, identity, job_id, bot_key, bot_id, bot_name, status, started_at, received_at,
    times_received, routing, bytes, body)
  select kind, 'job ' || n, 'job ' || n, bot_key, bot_id, bot_name, status, started_at, received_at, 1, routing, bytes, body
  from callbacks, numbers`;
const ANSWERED = `
  insert into history (callback_id, at, what, entry)
  select callbacks.id, received_at, 'answered', '{"status":502,"receivedAt":' || received_at || '}'
  from callbacks, (select 1 union all select 2) as twice`;

/** From its first POST to the start of a job. */
const STARTS_MS = [-5 * 60_000, -7 * HOUR_MS, -3 * DAY_MS, -31 * DAY_MS, -31 * DAY_MS - 1, 2 * HOUR_MS];

const POST = fc.record({
  kind: fc.constant('post' as const),
  bot: fc.nat({ max: 1 }),
  job: fc.nat({ max: STARTS_MS.length - 1 }),
  status: fc.constantFrom(0, 1, 2, 2),
  elapsed: fc.option(fc.constantFrom(0, 12, 59.25, 4000), { nil: undefined }),
  outcome: fc.constantFrom('told', 'failed', 'told late', 'for nobody', 'unanswered'),
  answerMs: fc.nat({ max: 8000 }),
  /** The service posts the last one again. */
  isAgain: fc.boolean(),
});
const weighing = <Fields>(
  weight: number,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => ({
  weight,
  arbitrary: fc.record(fields),
});
const STEP = fc.oneof(
  { weight: 8, arbitrary: POST },
  weighing(1, { kind: fc.constantFrom('missed' as const, 'overdue' as const), bot: fc.nat({ max: 1 }) }),
  weighing(4, { kind: fc.constant('pass' as const), ms: fc.constantFrom(MARGIN_MS, 5 * HOUR_MS, DAY_MS) }),
  weighing(3, { kind: fc.constantFrom('roll up' as const, 'two roll up' as const) }),
  weighing(1, { kind: fc.constant('stop' as const), after: fc.integer({ min: 1, max: 9 }) }),
  weighing(1, { kind: fc.constant('forget' as const), keepMs: fc.constantFrom(-1, HOUR_MS, 2 * DAY_MS) }),
);
type Step = (typeof STEP)['generate'] extends (...args: never[]) => { readonly value: infer Value }
  ? Value
  : never;
type Post = Extract<Step, { readonly kind: 'post' }>;

const posted = (elapsed: 12 | 4000, isAgain: boolean): Step =>
  ({ kind: 'post', bot: 0, job: 0, status: 1, elapsed, outcome: 'told', answerMs: 7, isAgain }) as const;
const COUNTED: readonly Step[] = [1, 2].flatMap(() => [{ kind: 'pass', ms: MARGIN_MS }, { kind: 'roll up' }]);
/** What is counted of it gets longer. */
const AGAIN: Step[] = [posted(12, false), ...COUNTED, posted(4000, true), ...COUNTED];

/** Two processes on one store, and what an oracle makes of what comes. */
function countingOn(bench: Bench, second: DatabaseLedger, timezone: string) {
  const { ledger, store } = bench;
  const oracle = new PostsOracle(timezone);
  const starts = new Map<string, number>();
  let last: Post | undefined;
  /** What is to be written of POSTs that are not answered yet. */
  const late: (() => Promise<void>)[] = [];

  async function count(step: Extract<Step, { readonly kind: 'roll up' | 'two roll up' | 'stop' }>) {
    const how = { timezone, marginMs: MARGIN_MS };
    if (step.kind === 'stop')
      return store.call((tx) => rollUp(stoppingAfter(tx, step.after), how), []).catch(stopped);
    return Promise.all([ledger, ...(step.kind === 'roll up' ? [] : [second])].map((by) => by.rollUp(how)));
  }

  async function post(given: Post): Promise<void> {
    const { elapsed, outcome } = given;
    const { bot, job, status } = (given.isAgain ? last : undefined) ?? given;
    last = { ...given, bot, job, status };
    const [bot_id, bot_name] = BOTS[bot] ?? BOTS[0];
    const start = starts.get(`${bot} ${job}`) ?? store.clock.now() + (STARTS_MS[job] ?? 0);
    starts.set(`${bot} ${job}`, start);
    const fields = { bot_id, bot_name, job_id: `job-${job}`, status: status as 0, elapsed_time: elapsed };
    const callback = callbackWith({ ...fields, start_time: new Date(start).toISOString() });
    const admission = await ledger.admit(arrivalOf(callback, outcome === 'for nobody' ? [] : [OPS]));
    const receivedAt = admission.asOf;
    oracle.post({ ...fields, startedAt: start, receivedAt, isRetry: !admission.isNew });
    if (admission.isAnswered) oracle.answer(bot_id, receivedAt, 0, 200);
    else if (outcome === 'told late') late.push(() => answer(admission, bot_id, given));
    else if (outcome !== 'unanswered') await answer(admission, bot_id, given);
  }

  async function answer(admission: Admission, botId: string, { outcome, answerMs }: Post): Promise<void> {
    const own = admission.deliveries.filter(({ destination }) => claimedOf(admission).includes(destination));
    const [status, result] = outcome === 'failed' ? [502, 'failed' as const] : [200, 'delivered' as const];
    const updates = own.map((each) => (status === 200 ? delivered(each) : failed(each)));
    const at = admission.asOf;
    const answered = { arrivedAt: at, answeredAt: at + answerMs, status, result };
    const receivedAt = admission.firstReceivedAt;
    const each = settlementsOf(updates, admission.callbackId, answered);
    await settleAll(
      ledger,
      each.map((settlement) => ({ ...settlement, receivedAt })),
    );
    oracle.answer(botId, at, answerMs, status);
  }

  async function notice(kind: 'missed' | 'overdue', bot: number): Promise<void> {
    const [botId] = BOTS[bot] ?? BOTS[0];
    const receivedAt = await store.call(async (tx) => {
      await writeOwnNotice(tx, { kind, botId, botName: '', subject: '{}' });
      return tx.now;
    }, []);
    oracle.notice(kind, botId, receivedAt);
  }

  return {
    async do(step: Step): Promise<unknown> {
      if (step.kind === 'post') return post(step);
      // An answer is written before a margin is over.
      if (step.kind === 'pass' || step.kind === 'forget') for (const settle of late.splice(0)) await settle();
      if (step.kind === 'pass') return store.passTime(step.ms);
      if (step.kind === 'forget') return bench.forget(step.keepMs);
      return 'bot' in step ? notice(step.kind, step.bot) : count(step);
    },

    /** Of each BOT, and of each day of both. */
    async judge(): Promise<void> {
      const today = oracle.dayOf(store.clock.now());
      for (const [from, to] of [
        [today - 60 * DAY_MS, today + 2 * DAY_MS],
        [today - 2 * DAY_MS, today],
      ] as const) {
        const bots = await ledger.archive.figuresOfPeriod({ from, to, timezone });
        const said = bots.filter(isAny).map(({ botId, botName, ...figures }) => ({
          botId,
          botName: figures.runs === 0 ? '' : botName,
          ...sumOf([figures]),
        }));
        expect(said).to.deep.equal(oracle.bots(from, to));
        const days = await ledger.archive.figuresByDay({ from, to, timezone });
        expect(days.filter(isAny)).to.deep.equal(oracle.days(from, to));
      }
    },
  };
}

function isAny(figures: Figures): boolean {
  return FIGURES.some((name) => figures[name] !== 0);
}

/** The transaction of a process that stops: it begins so many statements. */
function stoppingAfter(tx: Tx, statements: number): Tx {
  let left = statements;
  const all: Tx['all'] = (statement) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('stopped')) : tx.all(statement);
  };
  const own: Partial<Tx> = { all, first: async (statement) => (await all<never>(statement))[0] };
  return new Proxy(tx, { get: (of, name) => own[name as 'all'] ?? (Reflect.get(of, name, of) as unknown) });
}

function stopped(error: unknown): void {
  expect(String(error)).to.include('stopped');
}

/** @param numRuns worlds that are tried */
export function describeDays(name: string, createStore: CreateStore, numRuns: number): void {
  describe(`${name} counts days`, () => {
    const bench = anew(() => Bench.open(createStore));

    it('so that reports say at every moment what all POSTs come to, whoever counts, stops or forgets meanwhile', async () => {
      const steps = fc.array(STEP, { minLength: 10, maxLength: sized(25, 120), size: 'max' });
      const zones = fc.constantFrom('Asia/Tokyo', 'America/New_York', 'UTC');
      await fc.assert(
        fc.asyncProperty(steps, zones, async (all, timezone) => {
          const own = await Bench.open(createStore);
          try {
            const counting = countingOn(own, await own.openAs('second'), timezone);
            await counting.do({ kind: 'roll up' });
            for (const step of all) {
              await counting.do(step);
              await counting.judge();
            }
          } finally {
            await own.close();
          }
        }),
        { numRuns, examples: [[AGAIN, 'UTC']] },
      );
    });

    it('with the incidents that were open in a period, as long as they were open in it', async () => {
      const { store, ledger } = bench;
      const today = new PostsOracle('Asia/Tokyo').dayOf(store.clock.now());
      // Midnight in Tokyo.
      const begin = today - 9 * HOUR_MS;
      const incidents = [
        ['a', begin - 5 * HOUR_MS, begin + HOUR_MS],
        ['a', begin + 2 * HOUR_MS, begin + 3 * HOUR_MS],
        ['a', begin - 5 * HOUR_MS, begin],
        ['b', begin + HOUR_MS, null],
        ['c', begin + DAY_MS, null],
      ];
      for (const [id, since, overAt] of incidents)
        await store.run(`
          insert into incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, over_at)
          values ('bot', '${id}', '${id}', 'name', 'error', '', '', ${since}, ${since}, 1, 0, ${overAt})`);
      await store.passTime(begin + 6 * HOUR_MS - store.clock.now());
      const saidOf = async (botId?: string) => {
        const asked = { from: today, to: today + DAY_MS, timezone: 'Asia/Tokyo', botId };
        const bots = await ledger.archive.figuresOfPeriod(asked);
        return bots.map((bot) => [bot.botId, bot.botName, bot.incidents, bot.incidentMs / HOUR_MS]);
      };
      expect(await saidOf()).to.deep.equal([
        ['a', 'name', 2, 2],
        ['b', 'name', 1, 5],
      ]);
      expect(await saidOf('b')).to.deep.equal([['b', 'name', 1, 5]]);
    });

    it('step by step where many came, of one BOT or all, under the name that it had last', async () => {
      const { store, ledger } = bench;
      const now = store.clock.now();
      const day = new PostsOracle('UTC').dayOf(now);
      const came = (at: number, bot_name: string) =>
        bench.arrive({ bot_name, job_id: bot_name, start_time: new Date(at).toISOString() }, []);
      await came(now, 'first');
      await store.run(MANY);
      await store.run(ANSWERED);
      await store.passTime(DAY_MS);
      for (const name of ['other', 'second']) await came(now + DAY_MS, name);
      const steps = [];
      for (const ms of [0, MARGIN_MS - 1, 1, MARGIN_MS]) {
        await store.passTime(ms);
        let count = 1;
        while (await ledger.rollUp({ timezone: 'UTC', marginMs: MARGIN_MS })) count += 1;
        steps.push(count);
      }
      expect(steps).to.deep.equal([1, 1, 3, 1]);
      const asked = { from: day, to: day + 2 * DAY_MS, timezone: 'UTC' };
      const said = async (botId?: string) => {
        const bots = await ledger.archive.figuresOfPeriod({ ...asked, botId });
        const days = await ledger.archive.figuresByDay({ ...asked, botId });
        const ofBots = bots.map(({ botName, runs, retries }) => `${botName} ${runs} ${retries}`);
        return [ofBots, days.map(({ runs, retries }) => `${runs} ${retries}`)];
      };
      const all = [['second 603 1202'], ['601 1202', '2 0']];
      expect([await said(), await said('get_items'), await said('b')]).to.deep.equal([all, all, [[], []]]);
      await came(now + DAY_MS, 'third');
      expect((await said())[0], 'what is not counted yet').to.deep.equal(['third 604 1202']);
      expect(await said('b')).to.deep.equal([[], []]);
    });

    it('for 400 days, longer than it keeps callbacks, and then no more', async () => {
      const { store, ledger } = bench;
      const how = { timezone: 'Pacific/Kiritimati', marginMs: MARGIN_MS };
      const today = new PostsOracle(how.timezone).dayOf(store.clock.now());
      await bench.arrive({ start_time: new Date(store.clock.now()).toISOString() }, []);
      await store.run(MANY);
      const pass = async (ms: number) => {
        await store.passTime(ms);
        for (let isMore = true; isMore;) isMore = await ledger.rollUp(how);
      };
      const runs = async () => {
        const [day] = await ledger.archive.figuresByDay({ from: today, to: today + DAY_MS, ...how });
        return day?.runs;
      };
      await pass(MARGIN_MS);
      await pass(MARGIN_MS);
      await store.run('delete from callbacks');
      await store.passTime(400 * DAY_MS);
      await bench.forget(0);
      expect([await runs(), await store.rows('runs', 'day')]).to.deep.equal([601, []]);
      await store.passTime(3 * DAY_MS);
      await bench.forget(0);
      expect(await runs()).to.equal(undefined);
    });
  });
}
