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
  const answers = () => bench.results('answered');

  it('passes on the callback as it first came, and how often it came', async () => {
    bench.fails(OPS, ...failures(2, 'transient'));
    await post(callbackWith({ elapsed_time: 1 }));
    await post(callbackWith({ elapsed_time: 31 }));
    const sent = bench.addressed
      .filter(({ destination }) => destination === OPS)
      .map(
        ({ notice }) =>
          `${!isAlert(notice) && notice.timesReceived} ${String(callbackOf(notice).elapsed_time)}`,
      );
    expect(sent, 'drawn once for a POST').to.deep.equal(['1 1', '2 1']);
  });

  it('one of whose destinations fails is answered at the end of its time-out where the remote has the message and is silent', async () => {
    bench.handedOver.add(OPS);
    bench.takes(OPS, 60_000);
    const begun = bench.clock.monotonic();
    expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
    expect(bench.clock.monotonic() - begun).to.be.below(ANSWER_WITHIN_MS - 1000);
    await bench.clock.advance(60_000);
    expect([bench.tries(OPS), (await bench.row(OPS))?.['state']]).to.deep.equal([1, 'delivered']);
  });

  it('one of whose destinations fails is taken over without an attempt where its channel has no connection to spare', async () => {
    bench.full.add('slack');
    expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
    expect(bench.tries(OPS)).to.equal(0);
  });

  it('one of whose destinations fails has it attempted once more within the request, is then answered 502, and the retry reaches only that one', async () => {
    bench.fails(OPS, ...failures(2, 'transient'));
    const first = await post();
    expect(summary(first)).to.deep.equal([502, 'failed', ['pending', 'delivered']]);
    expect(first.deliveries[0]?.error).to.equal('transient trouble');
    expect(bench.tries(OPS)).to.equal(2);
    expect(summary(await post())).to.deep.equal([200, 'delivered', ['delivered', 'delivered']]);
    expect(bench.told).to.deep.equal([MAIL, OPS]);
    expect(await answers()).to.deep.equal(['failed', 'delivered']);
  });

  describe('to a destination that limits its rate', () => {
    for (const [what, failed, first] of [
      ['limits its rate', failure('rate_limited', 90_000), 'taken_over'],
      ['resents to be asked again so soon', failure('config', 3_600_000), 'taken_over'],
      ['is in trouble and names a time', failure('transient', 60_000), 'taken_over'],
    ] as const)
      it(`takes over at once what cannot be told in time, and leaves a remote alone that ${what}`, async () => {
        bench.fails(OPS, failed);
        const startedAt = bench.clock.now();
        expect((await post()).result).to.equal(first);
        expect(bench.clock.now() - startedAt).to.be.lessThan(1000);
        await bench.clock.advance(30_000);
        for (const again of [CALLBACK, callbackWith({ job_id: 'other' })])
          expect(summary(await post(again))).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
        expect(bench.tries(OPS), 'left alone').to.equal(1);
      });

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
      await bench.plan(OPS);
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
      expect(bench.addressed.map(({ notice }) => callbackOf(notice).job_id).at(-1)).to.equal('last');
      await bench.clock.runUntil(bench.first.pipeline.stop());
    });
  });

  it('to a slow destination counts a late lasting failure as one of the answers that it was worth', async () => {
    // As an attempt that begins late in its POST.
    bench.policy.timeoutMs = 2 * ANSWER_WITHIN_MS;
    bench.takes(OPS, ANSWER_WITHIN_MS + 100);
    bench.fails(OPS, ...failures(9, 'permanent'));
    const statuses: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      statuses.push((await post()).status);
      await bench.clock.runUntil(bench.first.pipeline.loop.underWay.idle());
    }
    expect(statuses).to.deep.equal([504, 504, 504, 200]);
    expect(await bench.alerts(), 'of the dead letter').to.deep.equal([`dead_letter ${OPS} x`]);
  });

  describe('while the store cannot be written', () => {
    it('tells nobody, and is refused', async () => {
      const mend = bench.breakStore();
      expect(await rejectionOf(post())).to.be.instanceOf(LedgerUnavailable);
      expect(bench.tried).to.deep.equal([]);
      mend();
      expect((await post()).result).to.equal('delivered');
    });

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

  it('gives up what it no longer sends to anybody, which the operators are told, until a route names it again', async () => {
    bench.fails(OPS, failure('config'));
    await post();
    await bench.plan();
    expect(summary(await post())).to.deep.equal([200, 'taken_over', ['pending', 'delivered']]);
    await bench.first.pipeline.start();
    await bench.clock.advance(1000);
    expect(summary(await post())).to.deep.equal([200, 'gave_up', ['dead', 'delivered']]);
    expect(await bench.alerts()).to.deep.equal([`dead_letter ${OPS} not_routed`]);
    await bench.plan(OPS, MAIL);
    await bench.clock.advance(6000);
    expect(summary(await post())).to.deep.equal([200, 'duplicate', ['delivered', 'delivered']]);
  });

  describe('beside many others', () => {
    beforeEach(async () => {
      bench.maxInFlight = 16;
      await bench.plan(OPS);
    });

    it('is answered taken over for the sake of who comes where it has waited for half a second, and told all the same', async () => {
      bench.takes(OPS, 3000);
      const { posts } = bench.first.pipeline;
      const first = handle(callbackWith({ job_id: 'first' }));
      await bench.clock.advance(500);
      const second = handle(callbackWith({ job_id: 'second' }));
      await bench.clock.advance(100);
      posts.makeRoom();
      posts.makeRoom();
      expect((await first).result, 'with no time passing').to.equal('taken_over');
      expect((await bench.clock.runUntil(second)).result, 'not yet so long').to.equal('delivered');
      expect([bench.tries(OPS), bench.told]).to.deep.equal([2, [OPS, OPS]]);
      expect((await post(callbackWith({ job_id: 'first' }))).result).to.equal('duplicate');
    });

    it('is answered taken over for the sake of who comes where it only waits', async () => {
      bench.full.add('slack');
      const waiting = handle();
      await bench.clock.advance(100);
      bench.first.pipeline.posts.makeRoom();
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

  it('while the process stops is taken over at once where it only waits, and nothing more begins', async () => {
    bench.fails(OPS, failure('rate_limited', 3000));
    const verdict = handle();
    await bench.clock.advance(1000);
    const startedAt = bench.clock.now();
    bench.first.pipeline.loop.stop();
    expect((await bench.clock.runUntil(verdict)).result).to.equal('taken_over');
    expect(bench.clock.now()).to.equal(startedAt);
    expect((await post(callbackWith({ job_id: 'other' }))).result).to.equal('taken_over');
    expect(bench.tried).to.have.length(2);
  });

  it('while the process stops has its attempt finished, or cut and written down as one that may have arrived', async () => {
    bench.takes(OPS, 60_000);
    await bench.plan(OPS);
    const verdict = handle();
    await bench.clock.advance(1000);
    bench.first.pipeline.loop.stop();
    bench.first.pipeline.loop.cutOff();
    expect((await bench.clock.runUntil(verdict)).result).to.equal('taken_over');
    const row = await bench.row(OPS);
    expect(row).to.include({ state: 'pending', is_taken_over: 1, error_code: 'cut_off' });
    expect(row?.['last_error']).to.match(/may have arrived/);
  });
});
