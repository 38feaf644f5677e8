/** When a BOT is due, what meets that, and who is told once that nothing came. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  beginToExpect,
  cronFault,
  type Expected,
  missedFrom,
  withCallback,
  withMissed,
} from '../../src/signal/expect.ts';
import type { Expectation } from '../../src/signal/rules.ts';
import { zonedToInstant } from '../../src/time/display.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TOKYO = 'Asia/Tokyo';
const BERLIN = 'Europe/Berlin';

function instant(local: string, timezone = TOKYO): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

/** A BOT under a rule: what comes, and what is told of it. */
class Watched {
  readonly rule: Expectation;
  readonly timezone: string;
  expected: Expected;
  readonly said: string[] = [];

  constructor(rule: Expectation, began: string, { timezone = TOKYO, hasCome = false } = {}) {
    this.rule = rule;
    this.timezone = timezone;
    this.expected = beginToExpect(rule, { at: instant(began, timezone), hasCome, timezone });
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
    const { expected, lateFor } = withCallback(this.rule, this.expected, callback, this.timezone);
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
  it('is missed once nothing has come within the grace, and told so once', () => {
    const bot = new Watched(WORKDAYS, '2026-11-19T12:00');
    expect(bot.dueAt).to.equal('2026-11-20 09:00');
    expect(bot.until('2026-11-20T09:30').said).to.deep.equal([]);
    bot.until('2026-11-20T09:31').until('2026-11-23T12:00').until('2026-11-24T12:00');
    expect(bot.said).to.deep.equal(['missed 2026-11-20 09:00']);
  });

  it('says that a result is late, and expects the next', () => {
    const bot = new Watched(WORKDAYS, '2026-11-19T12:00').until('2026-11-20T10:00').came('2026-11-20T11:00');
    expect(bot.said).to.deep.equal(['missed 2026-11-20 09:00', 'late for 2026-11-20 09:00']);
    expect(bot.dueAt).to.equal('2026-11-23 09:00');
    bot.came('2026-11-23T09:10').until('2026-11-24T09:31');
    expect(bot.said.slice(2)).to.deep.equal(['missed 2026-11-24 09:00']);
  });

  it('names the first due time that was missed, however many followed', () => {
    const bot = new Watched(WORKDAYS, '2026-11-19T12:00').until('2026-11-20T10:00').came('2026-11-25T09:05');
    expect(bot.said).to.deep.equal(['missed 2026-11-20 09:00', 'late for 2026-11-20 09:00']);
    expect(bot.dueAt).to.equal('2026-11-26 09:00');
  });

  it('is late without having been missed where nobody was there to say so', () => {
    const { expected, lateFor } = withCallback(
      WORKDAYS,
      beginToExpect(WORKDAYS, { at: instant('2026-11-19T12:00'), hasCome: true, timezone: TOKYO }),
      { at: instant('2026-11-20T12:00'), startedAt: instant('2026-11-20T11:59'), isResult: true },
      TOKYO,
    );
    expect(lateFor).to.equal(instant('2026-11-20T09:00'));
    expect(expected).to.deep.equal({ dueAt: instant('2026-11-23T09:00'), hasCome: true, missed: undefined });
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

  it('is not met by a start', () => {
    const bot = new Watched(WORKDAYS, '2026-11-19T12:00').came('2026-11-20T09:00', { isResult: false });
    expect(bot.until('2026-11-20T09:31').said).to.deep.equal(['missed 2026-11-20 09:00']);
    expect(bot.came('2026-11-20T10:00', { isResult: false }).said).to.have.lengthOf(1);
    expect(bot.came('2026-11-20T10:05').said[1]).to.equal('late for 2026-11-20 09:00');
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

  it('counts from the first callback of one that was not known', () => {
    const bot = new Watched(DAILY, '2026-11-20T09:00', { hasCome: true });
    expect(bot.came('2026-11-20T09:10').dueAt).to.equal('2026-11-21 09:00');
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
  const run = fc.record({
    day: fc.integer({ min: 0, max: 364 }),
    // Of nine o'clock: from well before the grace to well after it.
    offset: fc.integer({ min: -120, max: 180 }),
    ran: fc.integer({ min: 0, max: 60 }),
  });
  const rules = fc.constantFrom<Expectation>(
    { cron: '0 9 * * *', graceMs: 30 * MINUTE },
    { cron: '0 9 * * 1-5', graceMs: HOUR },
    { cron: '0 */6 * * *', graceMs: 4 * HOUR },
    { everyMs: DAY, graceMs: 45 * MINUTE },
  );

  it('says of each due time what all results say together', () => {
    const zones = fc.constantFrom(BERLIN, TOKYO);
    fc.assert(
      fc.property(rules, fc.array(run, { maxLength: 60 }), zones, (rule, runs, timezone) => {
        const results = runs
          .map(({ day, offset, ran }) => YEAR + day * DAY + 9 * HOUR + offset * MINUTE + ran * 1000)
          .map((at, index) => ({ at, startedAt: at - (runs[index]?.ran ?? 0) * MINUTE, isResult: true }))
          .toSorted((a, b) => a.at - b.at);
        expect(toldStepByStep(rule, results, timezone)).to.deep.equal(toldByAll(rule, results, timezone));
      }),
      { numRuns: 20 },
    );
  });

  interface Came {
    readonly at: number;
    readonly startedAt: number;
    readonly isResult: boolean;
  }

  function toldStepByStep(rule: Expectation, results: readonly Came[], timezone: string): string[] {
    const told: string[] = [];
    let expected = beginToExpect(rule, { at: YEAR, hasCome: true, timezone });
    const tick = (now: number) => {
      if (now < missedFrom(rule, expected)) return;
      told.push(`missed ${expected.dueAt}`);
      expected = withMissed(expected);
    };
    for (const result of results) {
      tick(result.at);
      const next = withCallback(rule, expected, result, timezone);
      expected = next.expected;
      if (next.lateFor !== undefined) told.push(`late ${next.lateFor}`);
    }
    return told;
  }

  const known = new Map<string, number[]>();

  function dueTimes(rule: Expectation, timezone: string): number[] {
    const key = JSON.stringify([rule, timezone]);
    const dues = known.get(key) ?? [];
    if (dues.length > 0) return dues;
    known.set(key, dues);
    let at = YEAR;
    while (at < YEAR + 366 * DAY) {
      at = beginToExpect(rule, { at, hasCome: true, timezone }).dueAt;
      dues.push(at);
    }
    return dues;
  }

  function toldByAll(rule: Expectation, results: readonly Came[], timezone: string): string[] {
    const dues = dueTimes(rule, timezone);
    const isMet = (due: number, index: number) =>
      results.some(
        ({ at, startedAt }) =>
          at > (dues[index - 1] ?? YEAR) && at <= due + rule.graceMs && startedAt >= due - rule.graceMs,
      );
    const unmet = dues.filter((due, index) => !isMet(due, index));
    const told: string[] = [];
    let last: number | undefined;
    for (const { at } of results) {
      // What was over when this one came, and had not been told by the one before.
      const over = unmet.find((due) => due + rule.graceMs < at && due + rule.graceMs >= (last ?? YEAR));
      if (over !== undefined) told.push(`missed ${over}`, `late ${over}`);
      last = at;
    }
    return told;
  }
});
