/** When a BOT is due, what meets that, and who is told once that nothing came. */
import { expect } from 'chai';
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

describe('what one result meets', () => {
  const often = { cron: '*/30 * * * *', graceMs: 4 * HOUR };
  const rows: [what: string, bot: Watched, due: string][] = [
    [
      'every due time up to the last, where the grace is longer than the interval',
      new Watched(often, '2026-11-20T08:55').came('2026-11-20T12:10'),
      '2026-11-20 13:00',
    ],
    [
      'the due time at which a BOT of a pattern comes for the first time',
      new Watched(WORKDAYS, '2026-11-20T09:00').came('2026-11-20T09:00'),
      '2026-11-23 09:00',
    ],
    [
      'a due time of the config where the BOT had come before',
      new Watched(DAILY, '2026-11-20T14:00', { hasCome: true }).came('2026-11-21T13:00'),
      '2026-11-22 14:00',
    ],
    [
      'none where it comes too early for that',
      new Watched(DAILY, '2026-11-20T14:00', { hasCome: true }).came('2026-11-21T09:00'),
      '2026-11-21 14:00',
    ],
    [
      'the coming due time, which the clocks show half an hour later where they leave that out',
      new Watched(often, '2026-10-04T01:10', { timezone: 'Australia/Lord_Howe' }).came('2026-10-04T01:40'),
      '2026-10-04 03:00',
    ],
  ];
  for (const [what, bot, due] of rows)
    it(`is ${what}`, () => {
      expect(bot.said).to.deep.equal([]);
      expect(bot.dueAt).to.equal(due);
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
