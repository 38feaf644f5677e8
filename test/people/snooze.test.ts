import { expect } from 'chai';
import { Refused } from '../../src/people/outcomes.ts';
import { readSnooze } from '../../src/people/snooze.ts';
import { zonedToInstant } from '../../src/time/display.ts';

const timezone = 'Europe/Berlin';
const now = zonedToInstant(Date.parse('2026-10-24T22:30:00Z'), timezone);

describe('a request for a snooze', () => {
  const read = (until: string, fields: object = {}, at = now) =>
    readSnooze({ bot_id: 'b', destination: '', because: '', until, ...fields }, { now: at, timezone });
  const endOf = (text: string, at = now) => {
    const { until, isUntilSuccess } = read(text, {}, at);
    return [new Date(until).toISOString(), isUntilSuccess];
  };
  const refusalOf = (until: string, fields?: object) => {
    try {
      read(until, fields);
    } catch (error) {
      if (error instanceof Refused) return error.outcome.name;
    }
    return undefined;
  };

  it('ends after a while, at a time or a day, tomorrow when it is nine next, or with the next success within a week', () => {
    for (const [text, end, ...more] of [
      ['2026-10-25T12:00:00+09:00', '2026-10-25T03:00'],
      ['2026-10-25T12:00', '2026-10-25T11:00'],
      ['tomorrow', '2026-10-25T08:00'],
      // The clocks go back that night.
      ['2h', '2026-10-24T22:30'],
      ['18:00', '2026-10-25T17:00'],
      ['２３:００', '2026-10-24T21:00'],
      ['2026-12-24', '2026-12-24T08:00'],
      // At half past two.
      ['tomorrow', '2026-10-25T08:00', now + 5 * 3_600_000],
      // Of two, the first that is still to come.
      ['02:30', '2026-10-25T00:30'],
      ['02:30', '2026-10-25T01:30', now + 4.5 * 3_600_000],
      ['2026-10-25T02:30', '2026-10-25T01:30', now + 4.5 * 3_600_000],
      ['02:30', '2026-10-26T01:30', now + 5.1 * 3_600_000],
    ] as const)
      expect(endOf(text, ...more), text).to.deep.equal([`${end}:00.000Z`, false]);
    expect(endOf('next-success')).to.deep.equal(['2026-10-31T20:30:00.000Z', true]);
  });

  it('names a BOT as it names itself, blanks included, and a destination and a time without them', () => {
    const said = read(' next-success ', { bot_id: ' lead', destination: ' slack:#ops ' });
    expect(said).to.include({ botId: ' lead', destination: 'slack:#ops', isUntilSuccess: true });
  });

  it('is told apart: no time at all, one that is over, nobody named, and a success of no BOT', () => {
    for (const text of ['', 'never', 'soon', '2026-02-30T00:00', '2026-02-30', '25:00', '99999999d'])
      expect(refusalOf(text), text).to.equal('snooze no time');
    for (const text of ['2026-10-24T22:30', '2020-01-01T00:00Z', '2026-10-24', '0s'])
      expect(refusalOf(text), text).to.equal('snooze past');
    expect(refusalOf('tomorrow', { bot_id: ' ' })).to.equal('snooze nothing');
    expect(refusalOf('next-success', { bot_id: '', destination: 'slack:#ops' })).to.equal('snooze whose');
  });
});
