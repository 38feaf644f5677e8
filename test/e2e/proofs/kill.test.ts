/** Killed at any moment, with any number of sends under way: nothing is lost, and only those sends can be repeated. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import type { ServeProcess } from '../../support/process.ts';
import { deliveriesIn, endClaimsIn } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally } from '../../support/proof-tally.ts';
import { seededRandom, until } from '../../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(80, 240);
const KILLS = sized(2, 4);
const CONCURRENCY = 24;

/** Until all is told after the last kill. */
const LONGEST_MS = 120_000;

/** What the worker may have under way besides, when Botbell delivers by itself. */
const WORKERS_HAND = 64;

/** Of the remotes' answers, so that every kill meets sends in all stages. */
const SLOWEST_ANSWER_MS = 30;

/** So long that no attempt times out, however busy the machine is: what timed out may be told twice. */
const TIMEOUT_S = 50;

/** Set it to see the same kills again, as nearly as the machine allows. */
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000);

describe('Killed with -9 at random moments under load', () => {
  const random = seededRandom(SEED);
  let world: ProgramWorld;

  const dawdle = () => sleep(random() * SLOWEST_ANSWER_MS);
  const slowly = (): SlackFault | undefined => {
    const draw = random();
    if (draw < 0.4) return undefined;
    return { kind: draw < 0.7 ? 'delay' : 'answer_late', until: dawdle };
  };

  afterEach(() => world.close());

  for (const mode of ['delivered', 'accepted']) {
    it(`loses nothing in \`${mode}\` mode, and repeats only what was being sent at a kill`, async () => {
      world = await createProgramWorld({
        receiver: `answer_when: ${mode}, answer_within: ${TIMEOUT_S + 10}s`,
        delivery: `timeout: ${TIMEOUT_S}s`,
        faultOf: slowly,
      });
      world.mail.faults.push({ at: 'data', does: 'delay', until: dawdle });
      const callbacks = keyedCallbacks(CALLBACKS);
      const everybody = pairsOf(callbacks, DESTINATIONS);
      let botbell: ServeProcess = await world.start();
      const service = new JobService({
        urlOf: () => botbell.callbacksUrl,
        retryMs: 100,
        concurrency: CONCURRENCY,
      });
      const posted = service.postAll(callbacks);
      const openAtKills: ReadonlySet<string>[] = [];
      const unansweredAtKills: ReadonlySet<string>[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const moment = world.told().length + random() * ((2 * CALLBACKS) / KILLS);
        await until(
          `kill ${kill}, seed ${SEED}`,
          () => world.told().length >= Math.min(moment, everybody.length),
        );
        await sleep(random() * SLOWEST_ANSWER_MS);
        unansweredAtKills.push(new Set(service.outstanding));
        botbell.kill('SIGKILL');
        await botbell.exited();
        openAtKills.push(new Set(deliveriesIn(world.file, 'pending')));
        endClaimsIn(world.file);
        botbell = await world.start();
      }
      await posted;
      await until(
        `everything delivered, seed ${SEED}`,
        () => deliveriesIn(world.file, 'pending').length === 0,
        LONGEST_MS,
      );
      const { missing, repeated } = tally(world.told(), everybody);
      expect(missing, `never told, seed ${SEED}`).to.deep.equal([]);
      const unexplained = [...repeated].filter(([pair, times]) => {
        const open = openAtKills.filter((each) => each.has(pair)).length;
        const unanswered = unansweredAtKills.filter((each) => each.has(pair.split(' ')[0] ?? '')).length;
        return times > (mode === 'delivered' ? Math.min(open, unanswered) : open);
      });
      expect(unexplained, `told twice without a kill to explain it, seed ${SEED}`).to.deep.equal([]);
      const repeats = [...repeated.values()].reduce((sum, times) => sum + times, 0);
      const inFlight = mode === 'delivered' ? CONCURRENCY * DESTINATIONS.length : WORKERS_HAND;
      expect(repeats).to.be.at.most(KILLS * inFlight);
      expect(deliveriesIn(world.file, 'delivered')).to.have.members(everybody);
    });
  }
});
