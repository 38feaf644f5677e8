/** When the heartbeat's URL is asked, when not, and what comes of it; by a clock that is moved by hand. */
import { expect } from 'chai';
import { Heartbeat, type HeartbeatReport } from '../../src/observe/heartbeat.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';

const URL_A = 'https://watcher.example/a';
const URL_B = 'https://watcher.example/b';
const MINUTE = 60_000;

describe('the heartbeat', () => {
  let clock: ManualClock;
  let heartbeat: Heartbeat;
  let asked: { url: string; at: number }[];
  let reports: { report: HeartbeatReport; isNews: boolean }[];
  let troubles: string[];
  let lookFails: boolean;
  let answer: (signal: AbortSignal) => Promise<void>;
  let startedAt: number;

  const outcomes = () => reports.map(({ report }) => report.outcome);
  const askedAt = () => asked.map(({ at }) => at - startedAt);

  beforeEach(() => {
    clock = new ManualClock();
    startedAt = clock.monotonic();
    asked = [];
    reports = [];
    troubles = [];
    lookFails = false;
    answer = () => Promise.resolve();
    heartbeat = new Heartbeat({
      clock,
      troubles: () => (lookFails ? Promise.reject(new Error('unforeseen')) : Promise.resolve(troubles)),
      ask: (url, signal) => {
        asked.push({ url, at: clock.monotonic() });
        return answer(signal);
      },
      onBeat: (report, isNews) => void reports.push({ report, isNews }),
    });
  });

  it('asks at once, and then as often as it is told', async () => {
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(3 * MINUTE);
    expect(askedAt()).to.deep.equal([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(new Set(outcomes())).to.deep.equal(new Set(['sent']));
    expect(reports.map(({ isNews }) => isNews)).to.deep.equal([true, false, false, false]);
  });

  it('asks nobody while no URL is given', async () => {
    heartbeat.follow(undefined);
    await clock.advance(MINUTE);
    expect([asked, reports, clock.sleeping]).to.deep.equal([[], [], 0]);
  });

  it('asks nobody while not all is well, says what is not, and asks again as soon as all is', async () => {
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(0);
    troubles = ['the store cannot be used'];
    await clock.advance(2 * MINUTE);
    expect(askedAt()).to.deep.equal([0]);
    expect(reports.slice(1)).to.deep.equal([
      { report: { outcome: 'withheld', troubles }, isNews: true },
      { report: { outcome: 'withheld', troubles }, isNews: false },
    ]);
    troubles = [];
    await clock.advance(MINUTE);
    expect(reports.at(-1)).to.deep.equal({ report: { outcome: 'sent' }, isNews: true });
  });

  it('goes on after it failed, which is news once, and once more when it is over', async () => {
    const error = new Error('it answered 500');
    answer = () => Promise.reject(error);
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(MINUTE);
    answer = () => Promise.resolve();
    await clock.advance(MINUTE);
    expect(reports).to.deep.equal([
      { report: { outcome: 'failed', error }, isNews: true },
      { report: { outcome: 'failed', error }, isNews: false },
      { report: { outcome: 'sent' }, isNews: true },
    ]);
  });

  it('goes on after nobody could tell whether all is well, which counts as a failure', async () => {
    lookFails = true;
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(0);
    lookFails = false;
    await clock.advance(MINUTE);
    expect([outcomes(), askedAt()]).to.deep.equal([['failed', 'sent'], [MINUTE]]);
  });

  it('gives up on a watcher that does not answer within seconds', async () => {
    answer = rejectedWhenAborted;
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(4999);
    expect(reports).to.deep.equal([]);
    await clock.advance(1);
    const [first] = reports;
    expect(first?.report.outcome === 'failed' && first.report.error).to.include({ name: 'TimeoutError' });
    await clock.advance(MINUTE);
    expect(askedAt()).to.deep.equal([0, MINUTE]);
  });

  it('never asks twice at once, however short the interval is', async () => {
    answer = () => clock.sleep(2500);
    heartbeat.follow({ url: URL_A, everyMs: 1000 });
    await clock.advance(6000);
    expect(askedAt()).to.deep.equal([0, 2500, 5000]);
  });

  it('goes by a changed URL or interval at once, and by none any more', async () => {
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(1000);
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(1000);
    expect(asked).to.have.length(1);
    heartbeat.follow({ url: URL_B, everyMs: MINUTE });
    await clock.advance(0);
    heartbeat.follow({ url: URL_B, everyMs: 2 * MINUTE });
    await clock.advance(2 * MINUTE);
    expect(asked.map(({ url, at }) => [url, at - startedAt])).to.deep.equal([
      [URL_A, 0],
      [URL_B, 2000],
      [URL_B, 2000],
      [URL_B, 2000 + 2 * MINUTE],
    ]);
    heartbeat.follow(undefined);
    await clock.advance(10 * MINUTE);
    expect([asked.length, clock.sleeping]).to.deep.equal([4, 0]);
  });

  it('says of a new URL what comes of it, though the old one came to the same', async () => {
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(0);
    heartbeat.follow({ url: URL_B, everyMs: MINUTE });
    await clock.advance(0);
    expect(reports.map(({ isNews }) => isNews)).to.deep.equal([true, true]);
  });

  it('leaves nothing behind when it is stopped, not even what is being asked', async () => {
    const cut = moment();
    answer = async (signal) => {
      await rejectedWhenAborted(signal).finally(() => cut.happen());
    };
    heartbeat.follow({ url: URL_A, everyMs: MINUTE });
    await clock.advance(0);
    await heartbeat.stop();
    await cut.promise;
    expect([reports, clock.sleeping]).to.deep.equal([[], 0]);
    await clock.advance(10 * MINUTE);
    expect(asked).to.have.length(1);
  });
});

function rejectedWhenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
