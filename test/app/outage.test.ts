import { expect } from 'chai';
import { Outage } from '../../src/app/outage.ts';
import type { AddressedNotice } from '../../src/deliver/settings.ts';
import { plannedTo } from '../deliver/delivery-record.ts';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import { callbackWith } from '../support/callbacks.ts';
import { HOUR, SECOND, ManualClock } from '../support/manual-clock.ts';

const ALERTS = ['slack:#a', 'email:ops@example.com'].map(plannedTo);

describe('While the store cannot be written', () => {
  const clock = new ManualClock(Date.parse('2026-11-20T03:00:00Z'));
  let sent: string[];
  let recorded: Record<string, unknown>[];
  let ledger: { writtenAt: number | undefined; trouble: string | undefined };
  let failing: readonly string[];
  let outage: Outage;
  let isLate: boolean;

  beforeEach(() => {
    isLate = false;
    [sent, recorded, failing] = [[], [], []];
    ledger = { writtenAt: clock.monotonic(), trouble: undefined };
    const redact = (text: string) => text.replace('hunter2', '…');
    const settings = { current: { config: { delivery: { alerts: ALERTS } }, redact } };
    const recordOutage = (outage: Record<string, unknown>) => {
      if (ledger.writtenAt === undefined) throw new Error('still');
      recorded.push(outage);
      const wasLate = isLate;
      isLate = false;
      return wasLate ? Promise.reject(new Error('late')) : Promise.resolve();
    };
    const sendOnce = ({ destination, notice }: AddressedNotice) => {
      sent.push(`${notice.template} ${destination}`);
      return Promise.resolve(failing.includes(destination) ? undefined : { receipt: { ts: '1' } });
    };
    Object.assign(ledger, { recordOutage });
    let drawn = 0;
    const random = () => (drawn += 0.001);
    const noNews = () => ['email:ops@example.com'];
    const parts = { clock, settings, random, sendOnce, ledger, noNews };
    outage = new Outage(parts as unknown as ConstructorParameters<typeof Outage>[0]);
  });

  const breaks = (trouble = 'database or disk is full') =>
    Object.assign(ledger, { writtenAt: undefined, trouble });
  const mends = () => Object.assign(ledger, { writtenAt: clock.monotonic(), trouble: undefined });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5 * SECOND) {
      await clock.advance(5 * SECOND);
      if (ledger.writtenAt !== undefined) ledger.writtenAt = clock.monotonic();
      await outage.work();
    }
  };
  const TOLD = ['store_unwritable slack:#a', 'store_unwritable email:ops@example.com'];

  it('a process that is older than a minute tells the alerts’ destinations, and again after an hour', async () => {
    breaks();
    await pass(50 * SECOND);
    expect(sent).to.deep.equal([]);
    await pass(15 * SECOND);
    expect(sent).to.deep.equal(TOLD);
    await pass(HOUR - 10 * SECOND);
    expect(sent).to.deep.equal(TOLD);
    await pass(15 * SECOND);
    expect(sent).to.deep.equal([...TOLD, ...TOLD]);
    expect([recorded, outage.isOpen]).to.deep.equal([[], true]);
    mends();
    await pass(20 * SECOND);
    expect(outage.isOpen).to.equal(false);
  });

  it('the same is told where heartbeats are written, and only what is new is refused', async () => {
    await pass(65 * SECOND);
    ledger.trouble = 'the store has reached store.max_size';
    await pass(25 * SECOND);
    expect(sent).to.deep.equal(TOLD);
  });

  it('it tries again after a minute where it has reached nobody', async () => {
    failing = ALERTS.map(({ destination }) => destination);
    await pass(65 * SECOND);
    breaks();
    await pass(25 * SECOND);
    failing = [];
    await pass(50 * SECOND);
    expect(sent).to.deep.equal(TOLD);
    await pass(15 * SECOND);
    expect(sent).to.deep.equal([...TOLD, ...TOLD]);
  });

  it('afterwards it is written down, with how many callbacks were turned away, and whose', async () => {
    await pass(65 * SECOND);
    breaks('password hunter2');
    for (const bot_id of ['a', 'b', 'a']) outage.refused(callbackWith({ bot_id }));
    await pass(60 * SECOND);
    mends();
    await pass(30 * SECOND);
    expect(recorded).to.have.length(1);
    const answered = { count: 3, bots: ['a', 'b'] };
    expect(recorded[0]).to.deep.include({ reason: 'password …', answered });
    expect(recorded[0]?.['told'], 'who hears of an end').to.deep.equal(['slack:#a']);
    outage.refused(callbackWith({ bot_id: 'busy' }));
    await pass(30 * SECOND);
    expect(recorded).to.have.length(1);
  });

  it('it is written down under the same id again where the store did not confirm it; what fails again within an hour is so under another one, and not told anew', async () => {
    await pass(65 * SECOND);
    for (let time = 0; time < 2; time += 1) {
      breaks();
      await pass(60 * SECOND);
      mends();
      await pass(10 * SECOND);
      isLate = time === 0;
      if (isLate) expect(await pass(5 * SECOND).catch(String)).to.equal('Error: late');
      await pass(15 * SECOND);
    }
    const [first, again, next, ...others] = recorded.map(({ id }) => id);
    expect([[again === first, next === first, others], sent]).to.deep.equal([[true, false, []], TOLD]);
  });

  it('who was turned away before it was known that the store hangs counts, too', async () => {
    await pass(65 * SECOND);
    await clock.advance(5 * SECOND);
    outage.refused(callbackWith({ bot_id: 'a' }));
    for (let look = 0; look < 15; look += 1) {
      await clock.advance(SECOND);
      await outage.work();
    }
    mends();
    await pass(20 * SECOND);
    expect(recorded[0]).to.deep.include({ answered: { count: 1, bots: ['a'] }, beganMsAgo: 30 * SECOND });
  });

  it('the BOTs of at most a thousand are kept', async () => {
    await pass(65 * SECOND);
    breaks();
    for (let bot = 0; bot < 1200; bot += 1) outage.refused(callbackWith({ bot_id: `bot-${bot}` }));
    mends();
    await pass(20 * SECOND);
    const answered = recorded[0]?.['answered'] as { count: number; bots: readonly string[] };
    expect([answered.count, answered.bots.length]).to.deep.equal([1200, 1000]);
  });

  it('nobody hears of a process that was suspended, or of a store that was away for a moment', async () => {
    await pass(65 * SECOND);
    ledger.writtenAt = clock.monotonic() - 3600 * SECOND;
    await outage.work();
    await pass(30 * SECOND);
    breaks();
    await outage.work();
    mends();
    await pass(30 * SECOND);
    expect([sent, recorded]).to.deep.equal([[], []]);
  });

  it('a process that has just started waits for its store without a word', async () => {
    ledger.writtenAt = undefined;
    await pass(20 * SECOND);
    mends();
    await pass(30 * SECOND);
    expect([sent, recorded]).to.deep.equal([[], []]);
  });

  it('a process that is stopped writes it down at once, if it is over', async () => {
    const yaml = "channels: { o: { type: outbox, as: slack } }\ndefault_route: { notify: [{ o: '#ops' }] }";
    for (const left of ['the store has reached store.max_size', undefined]) {
      const world = await PipelineWorld.begin(yaml, clock.now());
      let trouble: string | undefined = 'full';
      Object.defineProperty(world.first.ledger, 'trouble', { get: () => trouble, set() {} });
      await world.clock.advance(10 * SECOND);
      trouble = left;
      await world.stop();
      expect(await world.store.rows('incidents')).to.have.length(left === undefined ? 1 : 0);
      await world.close();
    }
  });
});
