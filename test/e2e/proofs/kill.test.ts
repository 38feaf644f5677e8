/** Killed at any moment, with any number of sends under way: nothing is lost, and only those sends can be repeated. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { forAll } from '../../support/anew.ts';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { startOwnPostgres } from '../../support/postgres-server.ts';
import type { ServeProcess } from '../../support/process.ts';
import { deliveriesIn } from '../../support/proof-ledger.ts';
import { postAll } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';
import { SEED, sized } from '../../support/test-size.ts';
import { Random } from '../../simulation/random.ts';

const CALLBACKS = sized(40, 240);
const KILLS = sized(2, 4);

/** Of the remotes' answers, so that every kill meets sends in all stages. */
const SLOWEST_ANSWER_MS = 30;

/** So long that no attempt times out, however busy the machine is: what timed out may be told twice. */
const TIMEOUT_S = 50;

describe('Killed with -9 at random moments under load', () => {
  const random = new Random(SEED);
  const server = forAll(() => startOwnPostgres());
  let world: ProgramWorld;

  afterEach(() => world.close());

  const dawdle = () => sleep(random.next() * SLOWEST_ANSWER_MS);
  const slowly = (): SlackFault | undefined => {
    const draw = random.next();
    if (draw < 0.4) return undefined;
    return { kind: draw < 0.7 ? 'delay' : 'answer_late', until: dawdle };
  };

  const onSqlite = { who: 'a process over SQLite', replicas: 1, storeOf: () => undefined };
  const onPostgres = {
    who: 'one of two replicas over PostgreSQL',
    replicas: 2,
    storeOf: () => server.createDatabase(),
  };
  const delivered = { mode: 'delivered', ...onSqlite };
  const accepted = { mode: 'accepted', ...onPostgres };
  const all = [delivered, accepted, { ...delivered, ...onPostgres }, { ...accepted, ...onSqlite }];

  for (const { who, replicas, storeOf, mode } of sized([delivered, accepted], all))
    it(`${who} loses nothing in \`${mode}\` mode, and repeats only what was being sent at a kill`, async () => {
      const receiver = `answer_when: ${mode}, answer_within: ${TIMEOUT_S + 10}s`;
      const delivery = `timeout: ${TIMEOUT_S}s, take_over_after: 5s`;
      world = await createProgramWorld({ store: await storeOf(), receiver, delivery, faultOf: slowly });
      world.mail.faults.push({ at: 'data', does: 'delay', until: dawdle });
      const callbacks = keyedCallbacks(CALLBACKS);
      const everybody = pairsOf(callbacks, DESTINATIONS);
      const running = await Promise.all(Array.from({ length: replicas }, () => world.start()));
      let turn = 0;
      const urlOf = () => running[(turn += 1) % replicas]?.callbacksUrl ?? '';
      const posted = postAll({ urlOf, retryMs: 100, concurrency: 24 }, callbacks);
      const inHandAtKills: ReadonlySet<string>[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const moment = world.told().length + random.next() * ((2 * CALLBACKS) / KILLS);
        const hasCome = () => world.told().length >= Math.min(moment, everybody.length);
        await until(`kill ${kill}, seed ${SEED}`, hasCome);
        await sleep(random.next() * SLOWEST_ANSWER_MS);
        const index = random.int(0, replicas - 1);
        const victim = running[index] as ServeProcess;
        // Once it is gone, the other one frees at once what it had in hand.
        victim.kill('SIGSTOP');
        const inHand = await deliveriesIn(world.store, 'pending', victim.pid);
        victim.kill('SIGKILL');
        await victim.exited();
        const late = await deliveriesIn(world.store, 'pending', victim.pid);
        inHandAtKills.push(new Set([...inHand, ...late]));
        running[index] = await world.start();
      }
      await posted;
      const isDone = async () => (await deliveriesIn(world.store, 'pending')).length === 0;
      await until(`everything delivered, seed ${SEED}`, isDone);
      const { missing, repeated } = tally(world.told(), everybody);
      expect(missing, `never told, seed ${SEED}`).to.deep.equal([]);
      const unexplained = [...repeated].filter(
        ([pair, times]) => times > inHandAtKills.filter((each) => each.has(pair)).length,
      );
      expect(unexplained, `told twice without a kill to explain it, seed ${SEED}`).to.deep.equal([]);
      expect(await deliveriesIn(world.store, 'delivered')).to.have.members(everybody);
    });
});
