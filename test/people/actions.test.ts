/** What people do while Botbell runs: delivered at once, in its turn, and said in the log. */
import { expect } from 'chai';
import type { Actor } from '../../src/ledger/callbacks/history.ts';
import { claimFor, only } from '../contract/ledger-bench.ts';
import { settleAll, settlementsOf } from '../contract/settlements.ts';
import { dead, delivered } from '../contract/updates.ts';
import type { People } from '../../src/people/actions.ts';
import { Refused } from '../../src/people/outcomes.ts';
import { anew } from '../support/anew.ts';
import { callbackOf, callbackWith } from '../support/callbacks.ts';
import { DeliveryBench } from '../deliver/delivery-bench.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const ACTOR: Actor = { via: 'page', user: 'hanako', from: '192.0.2.7' };
const SECOND_MS = 1000;

describe('what people do', () => {
  const bench = anew(() => DeliveryBench.open([OPS, LOG]));
  let people: People;

  const accept = (job_id: string, destinations: readonly string[] = [OPS]) =>
    bench.accept(callbackWith({ job_id }), destinations);
  const deadLetters = async (...jobs: readonly string[]): Promise<number[]> => {
    const { ledger } = bench.first;
    const ids: number[] = [];
    for (const job of jobs) {
      const { callbackId, deliveries } = await accept(job);
      await claimFor(ledger, only(OPS, 1));
      const updates = deliveries.map((each) => dead(each));
      await settleAll(ledger, settlementsOf(updates, callbackId));
      ids.push(...deliveries.map(({ id }) => id));
    }
    return ids;
  };
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, nth) => `${name}-${nth}`);
  /** Jobs of which somebody was told, in their order. */
  const jobs = () => bench.addressed.map(({ notice }) => callbackOf(notice).job_id);
  const begin = async (what: 'redelivered' | 'dismissed' = 'redelivered') =>
    (await people.startBulk({}, ACTOR, what)).json?.['id'] as number;
  const refusalOf = async (asked: Promise<unknown>) => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    return error instanceof Refused ? error.message : error;
  };

  beforeEach(() => {
    ({ people } = bench.first.pipeline);
  });

  it('is done at once', async () => {
    const [id = 0] = await deadLetters('a');
    await bench.first.pipeline.start();
    await bench.clock.advance(100);
    expect(bench.told).to.deep.equal([]);
    expect((await people.redeliver(id, ACTOR, false)).json).to.deep.equal({ id, result: 'accepted' });
    await bench.clock.advance(0);
    expect(bench.told).to.deep.equal([OPS]);
    const asked = { what: 'redeliver', actor: ACTOR, subject: id, result: 'accepted' };
    expect(bench.actions).to.deep.equal([asked]);
  });

  it('routes anew by the config in force, which names whom it did not, but tells nobody again whose channel has another name now', async () => {
    const { ledger, pipeline } = bench.first;
    const { callbackId, deliveries } = await accept('a', ['chat:#log']);
    await ledger.upkeep.heartbeat({ hash: 'before', channels: new Map([['chat', 'outbox']]) });
    await claimFor(ledger, only('chat:#log', 1));
    await settleAll(ledger, settlementsOf(deliveries.map(delivered), callbackId));
    await pipeline.start();
    await bench.clock.advance(100);
    const { json } = await people.routeAnew(callbackId, ACTOR);
    expect(json).to.deep.equal({ id: callbackId, told: [OPS], untouched: [LOG] });
    await bench.clock.advance(0);
    expect(bench.told).to.deep.equal([OPS]);
    expect((await people.routeAnew(callbackId, ACTOR)).name).to.equal('routed to nobody');
    expect(await refusalOf(people.routeAnew(99, ACTOR))).to.equal('The ledger has nothing of this id.');
    const results = bench.actions.map(({ result }) => result);
    expect(results).to.deep.equal(['routed', 'routed to nobody', 'unknown']);
  });

  it('snoozes a BOT that is not known, and says so', async () => {
    await accept('a');
    const snooze = async (bot_id: string) => {
      const fields = { bot_id, destination: OPS, until: 'next-success', because: 'moving' };
      const { name, json } = await people.snooze(fields, ACTOR);
      expect(json).to.include({ bot_id, destination: OPS, until: 'next-success', held: 0 });
      return name;
    };
    expect(await snooze('get_items')).to.equal('snoozed');
    expect(await snooze('get_itmes')).to.equal('snoozed, unknown');
  });

  const OVER_BY_KEEP = { isConfigRefused: false, unrouted: [], configHash: '', noNews: [], keepMs: -1 };
  const ENDS = {
    closeIncidents: (ids: readonly number[]) => people.closeIncidents(ids, ACTOR),
    giveBack: (ids: readonly number[]) => people.giveBack(ids, ACTOR),
    'store.keep': () => bench.first.ledger.maintainIncidents(OVER_BY_KEEP),
  };
  for (const [name, end] of Object.entries(ENDS))
    it(`ends with a quiet take-up, whoever is on it by then, the snooze that came with it, and no other: ${name}`, async () => {
      const { archive } = bench.first.ledger;
      const takeUpQuietly = async (job_id: string) => {
        // No snooze can name the BOT whose id is empty.
        for (const bot_id of ['', 'a'])
          await bench.accept(callbackWith({ job_id, bot_id, status: 1, message: 'x' }));
        const ids = (await archive.openIncidents()).map(({ id }) => id);
        await people.takeUp(ids, { by: 'kenji', because: '', quiet: true }, ACTOR);
        return ids;
      };
      const ids = await takeUpQuietly('1');
      await people.takeUp(ids, { by: 'aya', because: '', quiet: false }, ACTOR);
      await people.snooze({ bot_id: 'a', destination: '', until: '2h', because: '' }, ACTOR);
      const open = async () => (await archive.snoozes()).items.map(({ isUntilSuccess }) => isUntilSuccess);
      expect(await open()).to.deep.equal([false, true]);
      await end(ids);
      expect(await open()).to.deep.equal([false]);
      if (name !== 'closeIncidents') return;
      // What is over has none any more: the next incident's is its own.
      await takeUpQuietly('2');
      await end(ids).catch(() => undefined);
      expect(await open()).to.deep.equal([true, false]);
    });

  describe('in bulk', () => {
    it('gives what is new three turns of four, while both wait for a destination that keeps a pace', async () => {
      await deadLetters(...numbered('old', 12));
      await bench.first.ledger.pausePace(OPS, SECOND_MS);
      await bench.first.pipeline.paces.refresh();
      for (const job of numbered('new', 9)) await accept(job);
      const id = await begin();
      while ((await bench.first.ledger.actions.continueBulk()).isMore);
      await bench.first.pipeline.start();
      await bench.clock.advance(40 * SECOND_MS);
      const order = jobs().map((job) => job.slice(0, 3));
      const firsts = order.slice(0, 12);
      expect(firsts.filter((each) => each === 'new')).to.have.length(9);
      expect(firsts.slice(0, 4)).to.include('old');
      expect(jobs().filter((job) => job.startsWith('new'))).to.deep.equal(numbered('new', 9));
      expect(await bench.first.ledger.archive.bulk(id)).to.include({ state: 'done', delivered: 12 });
    });

    it('goes on by itself until it is through', async () => {
      await deadLetters(...numbered('old', 130));
      await bench.first.pipeline.start();
      await bench.clock.advance(100);
      const id = await begin();
      await bench.clock.advance(5 * SECOND_MS);
      const bulk = await bench.first.ledger.archive.bulk(id);
      expect(bulk).to.include({ state: 'done', given: 130, delivered: 130 });
      expect(bench.told).to.have.length(130);
    });

    it('is found by a process of which nobody has asked it', async () => {
      await deadLetters('a');
      await bench.first.pipeline.start();
      await bench.clock.advance(100);
      const other = await bench.store.open({ clock: bench.clock, owner: 'other' });
      await other.actions.startBulk({}, ACTOR);
      await bench.clock.advance(2 * SECOND_MS);
      expect(bench.told).to.deep.equal([OPS]);
    });
  });
});
