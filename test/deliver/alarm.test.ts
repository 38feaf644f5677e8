/** Operators hear of each cause once an hour, and what keeps them from hearing keeps nothing else from working. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Alarm, createAlarm, type Trouble } from '../../src/deliver/alarm.ts';
import { type Alert, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { target } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';

const HOUR_MS = 3_600_000;
const DEAD: Trouble = { cause: 'dead slack', message: 'It was given up.', callback: callbackWith() };

describe('the alarm', () => {
  let clock: ManualClock;
  let raised: Alert[];
  let nudges: number;
  let unwritten: unknown[];
  let raise: (alert: Alert) => Promise<void>;

  const alarmTo = (destinations: readonly string[]): Alarm =>
    createAlarm({
      clock,
      ledger: { raise: (alert) => raise(alert) },
      targets: destinations.map(target),
      onRaised: () => void (nudges += 1),
      onUnwritten: (error) => unwritten.push(error),
    });

  beforeEach(() => {
    clock = new ManualClock();
    raised = [];
    nudges = 0;
    unwritten = [];
    raise = (alert) => {
      raised.push(alert);
      return Promise.resolve();
    };
  });

  it('has everybody told, at once, in the shape of an error of the BOT that it befell', async () => {
    alarmTo(['slack:#ops', 'email:ops@example.com'])(DEAD);
    await nextTurn();
    expect(raised[0]?.targets.map(({ destination }) => destination)).to.deep.equal([
      'slack:#ops',
      'email:ops@example.com',
    ]);
    expect(raised[0]?.callback).to.deep.include({
      bot_id: 'get_items',
      job_id: 'job-1',
      status: 1,
      message: 'It was given up.',
      start_time: new Date(clock.now()).toISOString(),
    });
    expect([raised[0]?.raisedAt, nudges]).to.deep.equal([clock.now(), 1]);
  });

  it('speaks as Botbell where no BOT is to blame', () => {
    alarmTo(['slack:#ops'])({ ...DEAD, callback: undefined });
    expect(raised[0]?.callback).to.include({ bot_id: 'botbell', bot_name: 'Botbell', job_id: '' });
  });

  it('gives one cause of one hour one identity, whatever its words', async () => {
    const alarm = alarmTo(['slack:#ops']);
    alarm(DEAD);
    await clock.advance(HOUR_MS - 1);
    alarm({ ...DEAD, message: 'Another was given up.', callback: undefined });
    alarm({ ...DEAD, cause: 'dead email' });
    await clock.advance(1);
    alarm(DEAD);
    const [first, sameHour, otherCause, nextHour] = raised.map(({ identity }) => identity);
    expect(sameHour).to.equal(first);
    expect(new Set([first, otherCause, nextHour]).size).to.equal(3);
  });

  it('is silent where nobody is named', () => {
    alarmTo([])(DEAD);
    expect(raised).to.deep.equal([]);
  });

  it('throws nothing when the ledger is gone, and says what it could not write', async () => {
    raise = () => Promise.reject(new LedgerUnavailable('gone'));
    alarmTo(['slack:#ops'])(DEAD);
    await nextTurn();
    expect(unwritten).to.have.length(1);
    expect(nudges).to.equal(0);
  });
});
