/** A callback from its arrival to its answer, with remotes that do as the test says. */
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { isAlert } from '../../src/notice/notice.ts';
import { anew } from '../support/anew.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { ANSWER_WITHIN_MS, DeliveryBench, failure, failures } from './delivery-bench.ts';

const CALLBACK = callbackWith();
const OPS = 'slack:#ops';
const MAIL = 'email:a@example.com';

function summary({ status, result, deliveries }: Verdict): [number, string, string[]] {
  return [status, result, deliveries.map((each) => each.state)];
}

describe('a POST', () => {
  const bench = anew(() => DeliveryBench.open([OPS, MAIL]));

  const post = (callback: Callback = CALLBACK) => bench.deliver(callback);
  const handle = (callback: Callback = CALLBACK) => bench.first.handle(callback);

  it('passes on the callback as it first came, and how often it came', async () => {
    bench.fails(OPS, ...failures(2, 'transient'));
    await post(callbackWith({ elapsed_time: 1 }));
    await post(callbackWith({ elapsed_time: 31 }));
    const sent = bench.addressed
      .filter(({ destination }) => destination === OPS)
      .map(({ notice }) => [!isAlert(notice) && notice.timesReceived, callbackOf(notice).elapsed_time]);
    expect(sent, 'drawn once for a POST').to.deep.equal([
      [1, 1],
      [2, 1],
    ]);
  });

  describe('to a destination that limits its rate', () => {
    it('waits for a pause that ends in time, though somebody sets the clock back', async () => {
      bench.fails(OPS, failure('rate_limited', 2000));
      const startedAt = bench.clock.monotonic();
      const verdict = handle();
      await bench.clock.advance(1000);
      bench.clock.setBy(-3_600_000);
      expect((await bench.clock.runUntil(verdict)).result).to.equal('delivered');
      expect(bench.clock.monotonic() - startedAt).to.be.within(2000, 3000);
    });

    it('is not sent in a pause that began while it waited for a connection', async () => {
      const waiting: (() => void)[] = [];
      const turn = () => new Promise<() => void>((give) => void waiting.push(() => give(() => undefined)));
      Object.assign(bench.channelTo('slack'), { turn });
      bench.fails(OPS, failure('rate_limited', 300_000));
      const posts = Promise.all([handle(), handle(callbackWith({ job_id: 'second' }))]);
      await bench.clock.advance(100);
      for (const give of waiting) {
        give();
        await bench.clock.advance(100);
      }
      const verdicts = (await bench.clock.runUntil(posts)).map(({ result }) => result);
      expect([bench.tries(OPS), ...verdicts]).to.deep.equal([1, 'taken_over', 'taken_over']);
    });

    it('is told in turn within fifteen seconds where a dozen come at once, one more behind them, without a non-2xx', async () => {
      bench.limitRate(OPS, 1000);
      bench.planned = [OPS];
      await bench.reload();
      await bench.first.pipeline.start();
      const all = Array.from({ length: 12 }, (_, number) =>
        handle(callbackWith({ job_id: `job-${number}`, bot_id: `bot-${number}` })),
      );
      await bench.clock.advance(1000);
      const last = handle(callbackWith({ job_id: 'last', message: 'last', bot_id: 'last' }));
      expect((await bench.clock.runUntil(last)).result).to.equal('taken_over');
      const verdicts = await bench.clock.runUntil(Promise.all(all));
      expect(new Set(verdicts.map(({ status }) => status))).to.deep.equal(new Set([200]));
      await bench.clock.advance(6000);
      expect(bench.told).to.have.length(13);
      const jobs = bench.addressed.map(({ notice }) => callbackOf(notice).job_id);
      expect(jobs.at(-1)).to.equal('last');
      await bench.clock.runUntil(bench.first.pipeline.stop());
    });
  });

  describe('while the store cannot be written', () => {
    for (const [operation, outcome] of [
      ['admit', 'LedgerUnavailable: hangs'],
      ['takeOver', '504 timed_out'],
      ['settle', 'LedgerUnavailable: hangs'],
    ] as const)
      it(`is answered in time where the store hangs at ${operation} and another process attempts it`, async () => {
        bench.takes(OPS, 2 * ANSWER_WITHIN_MS);
        const other = await bench.another('other');
        void other.handle(CALLBACK);
        await bench.clock.advance(100);
        const hang = async (...args: readonly unknown[]) => {
          await bench.clock.sleep(Number(args[1] ?? 60_000));
          throw new LedgerUnavailable('hangs');
        };
        Object.assign(bench.first.ledger, { [operation]: hang });
        const begun = bench.clock.monotonic();
        const said = handle().then(({ status, result }) => `${status} ${result}`, String);
        expect(await bench.clock.runUntil(said)).to.equal(outcome);
        expect(bench.clock.monotonic() - begun).to.be.within(ANSWER_WITHIN_MS - 1000, ANSWER_WITHIN_MS);
      });

    it('leaves so much earlier where writing takes long that who is taken over is written down in time', async () => {
      const { ledger } = bench.first;
      const { settle } = ledger;
      const slow: typeof settle = async (settlement, withinMs = 5000) => {
        await bench.clock.sleep(Math.min(withinMs, 400));
        if (withinMs < 400) throw new LedgerUnavailable('takes long');
        return settle.call(ledger, settlement);
      };
      Object.assign(ledger, { settle: slow, writeMs: 400 });
      bench.full.add('slack');
      const begun = bench.clock.monotonic();
      expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
      expect(bench.clock.monotonic() - begun).to.be.below(ANSWER_WITHIN_MS);
    });

    it('is answered 200 all the same where everybody has been told, and the log says so', async () => {
      bench.takes(OPS, 100);
      const answer = handle();
      await bench.clock.advance(50);
      bench.breakStore();
      expect((await bench.clock.runUntil(answer)).result).to.equal('delivered');
      expect(bench.unwritten).to.have.length(1);
    });

    for (const [what, failed] of [
      ['given up', failure('permanent')],
      ['taken over', failure('rate_limited', 90_000)],
    ] as const)
      it(`is not answered 200 where something is to be ${what}, since nobody would know`, async () => {
        bench.policy.permanentAttempts = 0;
        bench.takes(OPS, 100);
        bench.fails(OPS, failed);
        const answer = handle();
        await bench.clock.advance(50);
        bench.breakStore();
        expect(await rejectionOf(bench.clock.runUntil(answer))).to.be.instanceOf(LedgerUnavailable);
      });
  });

  describe('beside many others', () => {
    beforeEach(async () => {
      bench.maxInFlight = 16;
      bench.planned = [OPS];
      await bench.reload();
    });

    it('is answered taken over for the sake of who comes where it has waited for half a second, and told all the same', async () => {
      bench.takes(OPS, 3000);
      const { posts } = bench.first.pipeline;
      const first = handle(callbackWith({ job_id: 'first' }));
      await bench.clock.advance(500);
      const second = handle(callbackWith({ job_id: 'second' }));
      await bench.clock.advance(100);
      posts.relieve();
      posts.relieve();
      expect((await first).result, 'with no time passing').to.equal('taken_over');
      expect((await bench.clock.runUntil(second)).result, 'not yet so long').to.equal('delivered');
      expect([bench.tries(OPS), bench.told]).to.deep.equal([2, [OPS, OPS]]);
      expect((await post(callbackWith({ job_id: 'first' }))).result).to.equal('duplicate');
    });

    it('is answered taken over for the sake of who comes where it only waits', async () => {
      bench.full.add('slack');
      const waiting = handle();
      await bench.clock.advance(100);
      bench.first.pipeline.posts.relieve();
      expect((await waiting).result, 'with no time passing').to.equal('taken_over');
    });

    for (const [what, fields] of [
      ['destination', (number: number) => ({ job_id: `job-${number}`, bot_id: `bot-${number}` })],
      ['BOT', (number: number) => ({ job_id: `job-${number}` })],
      ['job', (number: number) => ({ bot_id: `bot-${number}`, message: `${number}` })],
    ] as const) {
      it(`is taken over at once where a quarter of max_in_flight waits for the same ${what}`, async () => {
        const process = await bench.another('crowded');
        bench.takes(OPS, 3000);
        const waiting = [0, 1, 2, 3].map((number) => process.handle(callbackWith(fields(number))));
        await bench.clock.advance(100);
        const fifth = process.handle(callbackWith(fields(5)));
        const startedAt = bench.clock.now();
        expect((await bench.clock.runUntil(fifth)).result).to.equal('taken_over');
        expect(bench.clock.now() - startedAt).to.be.lessThan(100);
        await bench.clock.runUntil(Promise.all(waiting));
      });
    }
  });

  it('has its attempt finished while the process stops, or cut and written down as one that may have arrived', async () => {
    bench.takes(OPS, 60_000);
    bench.planned = [OPS];
    await bench.reload();
    const verdict = handle();
    await bench.clock.advance(1000);
    bench.first.pipeline.loop.stop();
    bench.first.pipeline.loop.cut();
    expect((await bench.clock.runUntil(verdict)).result).to.equal('taken_over');
    const row = await bench.row(OPS);
    expect(row).to.include({ state: 'pending', is_taken_over: 1, error_code: 'cut_off' });
    expect(row?.['last_error']).to.match(/may have arrived/);
  });
});
