/** When a BOT is due, what meets that, and who is told once that nothing came. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  beginToExpect,
  type Came,
  cronFault,
  type Expected,
  missedFrom,
  withCallback,
  withMissed,
} from '../../src/signal/expect.ts';
import type { Expectation } from '../../src/signal/rules.ts';
import { instantToZoned, zonedToInstant } from '../../src/time/display.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TOKYO = 'Asia/Tokyo';
const BERLIN = 'Europe/Berlin';

function instant(local: string, timezone = TOKYO): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

/** A rule that does not say its timezone. */
type Untold = { readonly graceMs: number } & ({ readonly everyMs: number } | { readonly cron: string });

/** A BOT under a rule: what comes, and what is told of it. */
class Watched {
  readonly rule: Expectation;
  readonly timezone: string;
  expected: Expected;
  readonly said: string[] = [];

  constructor(rule: Untold, began: string, { timezone = TOKYO, hasCome = false } = {}) {
    this.rule = { ...rule, timezone };
    this.timezone = timezone;
    this.expected = beginToExpect(this.rule, {
      at: instant(began, timezone),
      hasCome,
      lastResultAt: undefined,
    });
  }

  /** The timer, as whoever claims it does. */
  until(time: string | number): this {
    const now = typeof time === 'number' ? time : instant(time, this.timezone);
    if (now < missedFrom(this.rule, this.expected)) return this;
    this.said.push(`missed ${this.#shown(this.expected.dueAt)}`);
    this.expected = withMissed(this.expected);
    return this;
  }

  came(time: string, { ran = 0, isResult = true } = {}): this {
    this.until(time);
    const at = instant(time, this.timezone);
    const callback = { at, startedAt: at - ran, isResult };
    const { expected, lateFor } = withCallback(this.rule, this.expected, callback);
    this.expected = expected;
    if (lateFor !== undefined) this.said.push(`late for ${this.#shown(lateFor)}`);
    return this;
  }

  get dueAt(): string {
    return this.#shown(this.expected.dueAt);
  }

  #shown(at: number): string {
    return new Intl.DateTimeFormat('sv', {
      timeZone: this.timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    }).format(at);
  }
}

const WORKDAYS = { cron: '0 9 * * 1-5', graceMs: 30 * MINUTE };
const DAILY = { everyMs: DAY, graceMs: HOUR };

// 2026-11-20 is a Friday.
describe('a BOT that is expected by the clock', () => {
  it('says that a result is late, and expects the next', () => {
    const bot = new Watched(WORKDAYS, '2026-11-19T12:00').until('2026-11-20T10:00').came('2026-11-20T11:00');
    expect(bot.said).to.deep.equal(['missed 2026-11-20 09:00', 'late for 2026-11-20 09:00']);
    expect(bot.dueAt).to.equal('2026-11-23 09:00');
    bot.came('2026-11-23T09:10').until('2026-11-24T09:31');
    expect(bot.said.slice(2)).to.deep.equal(['missed 2026-11-24 09:00']);
  });

  it('is met by a run that begins at most one grace early, and after the due time before', () => {
    expect(new Watched(WORKDAYS, '2026-11-19T12:00').came('2026-11-20T08:30').dueAt).to.equal(
      '2026-11-23 09:00',
    );
    expect(new Watched(WORKDAYS, '2026-11-19T12:00').came('2026-11-20T08:29').dueAt).to.equal(
      '2026-11-20 09:00',
    );
    const long = new Watched(WORKDAYS, '2026-11-19T12:00').came('2026-11-20T09:05', { ran: 40 * MINUTE });
    expect(long.dueAt).to.equal('2026-11-20 09:00');
    const twice = { cron: '*/10 * * * *', graceMs: 15 * MINUTE };
    const bot = new Watched(twice, '2026-11-20T08:55').came('2026-11-20T08:56').came('2026-11-20T08:58');
    expect(bot.dueAt).to.equal('2026-11-20 09:10');
  });

  it('is expected again in time after a clock that ran ahead is set back', () => {
    const bot = new Watched(DAILY, '2026-11-20T09:00', { hasCome: true });
    const came = (time: string) => {
      const callback = { at: instant(time), startedAt: instant(time), isResult: true };
      bot.expected = withCallback(bot.rule, bot.expected, callback).expected;
      return bot.dueAt;
    };
    expect(came('2027-11-20T09:00')).to.equal('2027-11-21 09:00');
    expect(came('2026-11-20T10:00')).to.equal('2026-11-21 09:00');
  });

  it('is due where the clocks of the timezone are, over daylight saving', () => {
    const rule = { cron: '30 2 * * *', graceMs: 10 * MINUTE };
    const bot = new Watched(rule, '2026-03-28T12:00', { timezone: BERLIN });
    expect(bot.dueAt).to.equal('2026-03-29 03:00');
    expect(bot.came('2026-03-29T03:05').dueAt).to.equal('2026-03-30 02:30');
    const autumn = new Watched(rule, '2026-10-24T12:00', { timezone: BERLIN });
    expect(new Date(autumn.expected.dueAt).toISOString()).to.equal('2026-10-25T00:30:00.000Z');
    expect(autumn.came('2026-10-25T02:35').dueAt).to.equal('2026-10-26 02:30');
  });
});

describe('a BOT that is expected every so often', () => {
  it('counts from when the config began, until its first callback comes', () => {
    const bot = new Watched(DAILY, '2026-11-20T14:00');
    expect(bot.dueAt).to.equal('2026-11-21 14:00');
    expect(bot.came('2026-11-21T09:00', { isResult: false }).dueAt).to.equal('2026-11-22 09:00');
    expect(bot.came('2026-11-21T09:20').came('2026-11-22T09:20').dueAt).to.equal('2026-11-23 09:00');
    expect(bot.until('2026-11-23T10:01').said).to.deep.equal(['missed 2026-11-23 09:00']);
  });

  it('is missed where it never came, and late when it does', () => {
    const bot = new Watched(DAILY, '2026-11-20T14:00').until('2026-11-21T15:01');
    bot.came('2026-11-23T09:00', { isResult: false }).came('2026-11-23T09:10');
    expect(bot.said).to.deep.equal(['missed 2026-11-21 14:00', 'late for 2026-11-21 14:00']);
    expect(bot.dueAt).to.equal('2026-11-24 09:00');
  });
});

describe('a cron expression', () => {
  it('is refused where it is none, or never comes', () => {
    expect(['0 9 * * 1-5', '@daily', '*/2 * * * * *', '0 0 29 2 *'].map(cronFault)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(cronFault('0 0 30 2 *')).to.equal('it never comes');
    expect(cronFault('60 9 * * *')).to.equal('Invalid value for minute: 60');
    expect(cronFault('daily')).to.be.a('string');
    expect(cronFault('2026-01-01T00:00:00')).to.be.a('string');
  });
});

describe('a year of runs', () => {
  const YEAR = Date.parse('2026-01-01T00:00Z');
  const ZONES = [BERLIN, TOKYO, 'America/New_York', 'Australia/Lord_Howe'];
  /** Of 2026 in these zones: days around those on which the clocks change. */
  const days = fc.constantFrom(
    0,
    65,
    66,
    67,
    86,
    87,
    88,
    92,
    93,
    94,
    275,
    276,
    277,
    296,
    297,
    298,
    303,
    304,
    305,
  );
  const callback = fc.record({
    day: days,
    minute: fc.integer({ min: 1, max: 1439 }),
    ran: fc.oneof(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 0, max: 3000 })),
    isResult: fc.boolean(),
  });
  const graces = fc.constantFrom(0, 30 * MINUTE, 4 * HOUR, 2 * DAY);
  const rules = fc.oneof(
    fc.record({ everyMs: fc.constantFrom(HOUR, 90 * MINUTE, DAY), graceMs: graces }),
    fc.record({
      cron: fc.constantFrom('0 9 * * 1-5', '0 */6 * * *', '30 4 * * *', '*/30 * * * *'),
      graceMs: graces,
    }),
  );
  const howKnown = fc.constantFrom<Known>('has come', 'is named', 'is of a pattern');

  /** Whether the BOT had come before, is named by the config, or is matched by a pattern and has not come. */
  type Known = 'has come' | 'is named' | 'is of a pattern';

  it('says of each due time what all results say together', () => {
    fc.assert(
      fc.property(
        rules,
        fc.array(callback, { maxLength: 40 }),
        fc.constantFrom(...ZONES),
        howKnown,
        (untold, posted, timezone, known) => {
          const rule = { ...untold, timezone };
          const times = posted.map(({ day, minute, ran, isResult }) => {
            const at = YEAR + day * DAY + minute * MINUTE + 1;
            return { at, startedAt: at - ran * MINUTE, isResult };
          });
          const byTime = [...new Map(times.map((each) => [each.at, each])).values()].toSorted(
            (a, b) => a.at - b.at,
          );
          const came = [...byTime, { at: YEAR + 330 * DAY, startedAt: YEAR + 330 * DAY, isResult: true }];
          expect(toldStepByStep(rule, came, known)).to.deep.equal(toldByAll(rule, came, known));
        },
      ),
      { numRuns: 200 },
    );
  });

  function toldStepByStep(rule: Expectation, callbacks: readonly Came[], known: Known): string[] {
    const told: string[] = [];
    const begin = (at: number) =>
      beginToExpect(rule, { at, hasCome: known === 'has come', lastResultAt: undefined });
    let expected = known === 'is of a pattern' ? undefined : begin(YEAR);
    for (const came of callbacks) {
      if (expected !== undefined && came.at >= missedFrom(rule, expected)) {
        told.push(`missed ${expected.dueAt}`);
        expected = withMissed(expected);
      }
      const next = withCallback(rule, expected ?? begin(came.at), came);
      expected = next.expected;
      if (next.lateFor !== undefined) told.push(`late ${next.lateFor}`);
    }
    return told;
  }

  const localTimes = new Map<string, readonly (readonly [number, Date])[]>();

  /** Each half hour of the year, with what a clock in the zone shows. */
  function halfHours(timezone: string) {
    const known =
      localTimes.get(timezone) ??
      Array.from({ length: 366 * 48 }, (_, index) => YEAR + index * 30 * MINUTE).map(
        (at) => [at, new Date(instantToZoned(at, timezone))] as const,
      );
    localTimes.set(timezone, known);
    return known;
  }

  const SHOWS: Readonly<Record<string, (clock: Date) => boolean>> = {
    '0 9 * * 1-5': (clock) =>
      clock.getUTCHours() === 9 && clock.getUTCMinutes() === 0 && clock.getUTCDay() % 6 !== 0,
    '0 */6 * * *': (clock) => clock.getUTCHours() % 6 === 0 && clock.getUTCMinutes() === 0,
    '30 4 * * *': (clock) => clock.getUTCHours() === 4 && clock.getUTCMinutes() === 30,
    '*/30 * * * *': () => true,
  };

  function duesAfter(rule: Expectation, from: number): number[] {
    if ('everyMs' in rule) {
      const count = Math.ceil((YEAR + 366 * DAY - from) / rule.everyMs);
      return Array.from({ length: count }, (_, index) => from + (index + 1) * rule.everyMs);
    }
    return halfHours(rule.timezone)
      .filter(([at, clock]) => at > from && SHOWS[rule.cron]?.(clock))
      .map(([at]) => at);
  }

  /** What the sentences of the documentation say, with the whole year in view. */
  function toldByAll(rule: Expectation, callbacks: readonly Came[], known: Known): string[] {
    const [first] = callbacks;
    if (first === undefined) return [];
    const isCounted = 'everyMs' in rule && known !== 'has come';
    const spans = [
      ...(known === 'is of a pattern' ? [] : [{ from: YEAR, to: isCounted ? first.at : Infinity }]),
      ...(isCounted || known === 'is of a pattern' ? [{ from: first.at, to: Infinity }] : []),
    ];
    const results = callbacks.filter(({ isResult }) => isResult);
    const over = spans.flatMap(({ from, to }) => {
      const dues = duesAfter(rule, from);
      const isMet = (due: number, index: number) =>
        results.some(
          ({ at, startedAt }) =>
            at >= from &&
            at <= to &&
            at > (dues[index - 1] ?? ('everyMs' in rule ? from : 0)) &&
            at <= due + rule.graceMs &&
            startedAt >= due - rule.graceMs,
        );
      return dues.filter((due, index) => due + rule.graceMs < to && !isMet(due, index));
    });
    const told: string[] = [];
    let last = -Infinity;
    for (const { at } of results) {
      const missed = over.find((due) => due + rule.graceMs < at && due + rule.graceMs >= last);
      if (missed !== undefined) told.push(`missed ${missed}`, `late ${missed}`);
      last = at;
    }
    return told;
  }
});
