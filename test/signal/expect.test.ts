/** When a BOT is due, what meets that, and who is told once that nothing came. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  beginToExpect,
  type Came,
  cronFault,
  missedFrom,
  underRule,
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

function instant(local: string, timezone: string): number {
  return zonedToInstant(Date.parse(`${local}Z`), timezone);
}

describe('a BOT that is expected', () => {
  /** When it is due next: from the first of these times on, and after a result at each of the others. */
  const duesOf = (rule: Expectation, timezone: string, hasCome: boolean, ...times: readonly string[]) => {
    const [began = NaN, ...results] = times.map((time) => instant(time, timezone));
    let expected = beginToExpect(rule, { at: began, hasCome, lastResultAt: undefined });
    const dues = [expected.dueAt];
    for (const at of results) {
      ({ expected } = withCallback(rule, expected, { at, startedAt: at, isResult: true }));
      dues.push(expected.dueAt);
    }
    return dues.map((due) => new Date(due).toISOString().slice(0, 16));
  };

  it('is met by what comes no later than the grace, of a run that began no more than that early', () => {
    const due = Date.parse('2026-11-20T09:00Z');
    const rule = { cron: '0 9 * * *', graceMs: 30 * MINUTE, timezone: 'UTC' };
    const expected = beginToExpect(rule, { at: due - 12 * HOUR, hasCome: false, lastResultAt: undefined });
    const after = (at: number, startedAt: number) => {
      const next = withCallback(rule, expected, { at, startedAt, isResult: true });
      return [next.expected.dueAt - due, next.lateFor];
    };
    const [early, late] = [due - 30 * MINUTE, due + 30 * MINUTE];
    expect(after(late, early)).to.deep.equal([DAY, undefined]);
    expect(after(late, early - 1)).to.deep.equal([0, undefined]);
    expect(after(late + 1, due)).to.deep.equal([DAY, due]);
  });

  it('is due anew where its schedule is edited, and as before where its grace is', () => {
    const [rule, at] = [{ everyMs: 2 * HOUR, graceMs: MINUTE }, Date.parse('2026-11-20T09:00Z')];
    const expected = beginToExpect(rule, { at, hasCome: true, lastResultAt: at });
    expect(underRule({ ...rule }, expected, at + HOUR)).to.deep.equal(expected);
    const patient = { ...rule, graceMs: HOUR };
    expect(underRule(patient, expected, at + HOUR)).to.deep.equal({ ...expected, rule: patient });
    const rarer = { ...rule, everyMs: DAY };
    const edited = { ...expected, rule: rarer, dueAt: at + HOUR + DAY };
    expect(underRule(rarer, expected, at + HOUR)).to.deep.equal(edited);
  });

  it('is due from now on where it was due only later than a clock that is set back can ask for', () => {
    const [rule, at] = [{ everyMs: HOUR, graceMs: 0 }, Date.parse('2026-11-20T09:00Z')];
    const expected = beginToExpect(rule, { at, hasCome: true, lastResultAt: at });
    for (const [now, dueAt] of [
      [at, at + HOUR],
      [at - HOUR, at + HOUR],
      [at - HOUR - 1, at - HOUR],
      [at - DAY, at - DAY + HOUR],
    ] as const)
      expect(underRule(rule, expected, now)).to.deep.equal({ ...expected, dueAt });
  });

  it('is missed although the BOT’s first callback, which is no result, comes before that is told', () => {
    const rule = { everyMs: DAY, graceMs: HOUR };
    const at = Date.parse('2026-11-20T09:00Z');
    const begun = beginToExpect(rule, { at, hasCome: false, lastResultAt: undefined });
    const began = { at: at + DAY + HOUR + 1, startedAt: at + DAY, isResult: false };
    const { expected } = withCallback(rule, begun, began);
    expect(missedFrom(rule, expected)).to.equal(began.at);
    const result = { at: at + DAY + 2 * HOUR, startedAt: at + DAY, isResult: true };
    expect(withCallback(rule, withMissed(expected), result).lateFor).to.equal(at + DAY);
  });

  it('is expected again in time after a clock that ran ahead is set back', () => {
    const daily = { everyMs: DAY, graceMs: HOUR };
    const times = ['2026-11-20T09:00', '2027-11-20T09:00', '2026-11-20T10:00'];
    expect(duesOf(daily, 'UTC', true, ...times)).to.deep.equal([
      '2026-11-21T09:00',
      '2027-11-21T09:00',
      '2026-11-21T09:00',
    ]);
  });

  it('is due where the clocks of the timezone are, in hours that they skip and that come twice', () => {
    const rule = { cron: '30 2 * * *', graceMs: 10 * MINUTE, timezone: BERLIN };
    const spring = duesOf(rule, BERLIN, false, '2026-03-28T12:00', '2026-03-29T03:05');
    expect(spring).to.deep.equal(['2026-03-29T01:00', '2026-03-30T00:30']);
    const autumn = duesOf(rule, BERLIN, false, '2026-10-24T12:00', '2026-10-25T02:35');
    expect(autumn).to.deep.equal(['2026-10-25T00:30', '2026-10-26T01:30']);
  });
});

describe('a cron expression', () => {
  it('is refused where it is none, or never comes', () => {
    for (const cron of ['0 9 * * 1-5', '@daily', '*/2 * * * * *', '0 0 29 2 *'])
      expect(cronFault(cron), cron).to.equal(undefined);
    expect(cronFault('0 0 30 2 *')).to.equal('never');
    expect(cronFault('60 9 * * *')).to.equal('Invalid value for minute: 60');
    expect(cronFault('daily')).to.equal('fields');
    expect(cronFault('2026-01-01T00:00:00')).to.be.a('string');
  });
});

describe('a year of runs', () => {
  const YEAR = Date.parse('2026-01-01T00:00Z');
  const ZONES = [BERLIN, TOKYO, 'America/New_York', 'Australia/Lord_Howe'];
  /** Of 2026 in these zones: days around those on which the clocks change. */
  const changes = [66, 87, 93, 276, 297, 304].flatMap((day) => [day - 1, day, day + 1]);
  const days = fc.constantFrom(0, ...changes);
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
