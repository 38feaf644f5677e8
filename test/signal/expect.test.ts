import { expect } from 'chai';
import { beginToExpect, cronFault, missedFrom } from '../../src/signal/expect.ts';
import { underRule, withCallback } from '../../src/signal/expect.ts';
import { calendarOf, daysIn } from '../../src/signal/calendar.ts';
import { type Expectation, WEEKDAYS } from '../../src/signal/rules.ts';
import { zonedToInstant } from '../../src/time/display.ts';
import { DAY, HOUR, MINUTE } from '../support/manual-clock.ts';

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
    expect([after(late, early), after(late, early - 1)]).to.deep.equal([
      [DAY, undefined],
      [0, undefined],
    ]);
    expect(after(late + 1, due)).to.deep.equal([DAY, due]);
  });

  it('is due anew where its schedule is edited, or the clocks that it goes by, and as before where its grace is', () => {
    const [rule, at] = [{ everyMs: 2 * HOUR, graceMs: MINUTE }, Date.parse('2026-11-20T09:00Z')];
    const expected = beginToExpect(rule, { at, hasCome: true, lastResultAt: at });
    expect(underRule({ ...rule }, expected, at + HOUR)).to.deep.equal(expected);
    const patient = { ...rule, graceMs: HOUR };
    expect(underRule(patient, expected, at + HOUR)).to.deep.equal({ ...expected, rule: patient });
    const rarer = { ...rule, everyMs: DAY };
    const edited = { ...expected, rule: rarer, dueAt: at + HOUR + DAY };
    expect(underRule(rarer, expected, at + HOUR)).to.deep.equal(edited);
    const nine = (timezone: string) => ({ cron: '0 9 * * *', graceMs: 0, timezone });
    const before = beginToExpect(nine('Asia/Tokyo'), { at, hasCome: true, lastResultAt: at });
    expect(underRule(nine('UTC'), before, at).dueAt - before.dueAt).to.equal(9 * HOUR);
  });

  it('is due as before where its calendar gets other days, unless that takes the due time away', () => {
    const dates = (except: readonly string[]) => except.map((date) => daysIn(date) ?? ([0, 0] as const));
    const on = (...except: readonly string[]): Expectation => {
      const calendar = calendarOf({ days: WEEKDAYS, except: dates(except), also: [], until: undefined });
      return { cron: '0 9 * * *', graceMs: HOUR, timezone: 'UTC', calendar };
    };
    const due = Date.parse('2026-11-20T09:00Z');
    const begun = beginToExpect(on(), { at: due - DAY, hasCome: true, lastResultAt: undefined });
    const early = { at: due - MINUTE, startedAt: due - MINUTE, isResult: true };
    const met = withCallback(on(), begun, early).expected;
    for (const [expected, at, except, dueAt] of [
      [begun, due + MINUTE, '2027-01-01', due],
      [begun, due - MINUTE, '2027-01-01', due],
      [met, due - MINUTE, '2027-01-01', due + DAY],
      [met, due + MINUTE, '2026-11-21', due + 2 * DAY],
      [begun, due + MINUTE, '2026-11-20', due + DAY],
    ] as const)
      expect(underRule(on(except), expected, at).dueAt, `${except} ${at - due}`).to.equal(dueAt);
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
    expect(withCallback(rule, begun, { ...began, isResult: true }).lateFor).to.equal(at + DAY);
    const { expected } = withCallback(rule, begun, began);
    expect(missedFrom(rule, expected)).to.equal(began.at);
    const result = { at: at + DAY + 2 * HOUR, startedAt: at + DAY, isResult: true };
    expect(withCallback(rule, { ...expected, missed: expected.dueAt }, result).lateFor).to.equal(at + DAY);
  });

  it('is expected again in time after a clock that ran ahead is set back', () => {
    const daily = { everyMs: DAY, graceMs: HOUR };
    const times = ['2026-11-20T09:00', '2027-11-20T09:00', '2026-11-20T10:00'];
    const dues = duesOf(daily, 'UTC', true, ...times);
    expect(dues).to.deep.equal(['2026-11-21T09:00', '2027-11-21T09:00', '2026-11-21T09:00']);
  });

  it('is due where the clocks of the timezone are, in hours that they skip and that come twice', () => {
    const rule = { cron: '30 2 * * *', graceMs: 10 * MINUTE, timezone: BERLIN };
    const spring = duesOf(rule, BERLIN, false, '2026-03-28T12:00', '2026-03-29T03:05');
    expect(spring).to.deep.equal(['2026-03-29T01:00', '2026-03-30T00:30']);
    const autumn = duesOf(rule, BERLIN, false, '2026-10-24T12:00', '2026-10-25T02:35');
    expect(autumn).to.deep.equal(['2026-10-25T00:30', '2026-10-26T01:30']);
  });
});

describe('a BOT that is expected each hour, with ten minutes of grace', () => {
  const rule = { everyMs: HOUR, graceMs: 10 * MINUTE };

  /** @param came minutes since it is expected: `e` a start, `x` a result, `-` nothing */
  const toldOf = (hasCome: boolean, came: string) => {
    const told: string[] = [];
    let expected = beginToExpect(rule, { at: 0, hasCome, lastResultAt: undefined });
    for (const each of came.split(' ')) {
      const at = Number(each.slice(1)) * MINUTE;
      if (at >= missedFrom(rule, expected)) {
        told.push(`missed ${expected.dueAt / MINUTE}`);
        expected = { ...expected, missed: expected.dueAt };
      }
      if (each.startsWith('-')) continue;
      const next = withCallback(rule, expected, { at, startedAt: at, isResult: each.startsWith('x') });
      expected = next.expected;
      if (next.lateFor !== undefined) told.push(`late ${next.lateFor / MINUTE}`);
    }
    return [...told, `due ${expected.dueAt / MINUTE}`].join(', ');
  };

  for (const [what, hasCome, came, told] of [
    ['from its first callback on', false, 'e20 x85', 'due 140'],
    ['from a first callback that is late', false, 'x75', 'missed 60, late 60, due 135'],
    ['from no later one', false, 'e20 e50 -91', 'missed 80, due 80'],
    ['by its schedule where it has come before', true, 'e20 x65', 'due 120'],
    ['until a result comes, not a start', true, 'e55 -71', 'missed 60, due 60'],
    ['once until a result comes', false, 'e20 -91 -200 x205', 'missed 80, late 80, due 260'],
    ['also by who comes for the first time after that', false, '-71 e75 x100', 'missed 60, late 60, due 135'],
  ] as const)
    it(`is due and missed ${what}`, () => expect(toldOf(hasCome, came)).to.equal(told));
});

describe('a cron expression', () => {
  it('is refused where it is none, or never comes', () => {
    for (const cron of ['0 9 * * 1-5', '@daily', '*/2 * * * * *', '0 0 29 2 *'])
      expect(cronFault(cron), cron).to.equal(undefined);
    expect(cronFault('0 0 30 2 *')).to.equal('never');
    expect(cronFault('60 9 * * *')).to.equal('Invalid value for minute: 60');
    expect(cronFault('0 9 1 13 *')).to.equal('Invalid value for month');
    expect(cronFault('daily')).to.equal('fields');
    expect(cronFault('2026-01-01T00:00:00')).to.be.a('string');
  });
});
