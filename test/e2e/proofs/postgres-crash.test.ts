/** PostgreSQL crashes under load, whole or by one backend: what was answered 200 is told, and nobody is marked as told who was not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReceivedCall } from '../../../src/stand-ins/slack-stand-in.ts';
import { forAll } from '../../support/anew.ts';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { startOwnPostgres } from '../../support/postgres-server.ts';
import { deliveriesIn, rowsOf } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally, toldOf } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProgramWorld, type ProgramWorld, SLACK_OPS } from '../../support/program-world.ts';
import { sized } from '../../support/test-size.ts';
import { Random } from '../../simulation/random.ts';

const JOBS = sized(40, 200);
const CRASHES = sized(2, 5);
/** POSTs under way at once: of so many the outcome may be lost at a crash. */
const AT_ONCE = 8;

describe('PostgreSQL that crashes under load', () => {
  const server = forAll(() => startOwnPostgres());
  let world: ProgramWorld;

  afterEach(() => world.close());

  const crashes: Readonly<Record<string, () => Promise<void>>> = {
    async 'as a whole'() {
      await server.crash();
      await server.start();
    },
    /** As the OOM killer does; the server then ends all others, and starts anew by itself. */
    async 'since one backend is killed'() {
      const [backend] = await rowsOf(
        world.store,
        `select pid from pg_stat_activity where application_name = 'botbell' limit 1`,
      );
      process.kill(Number(backend?.['pid']), 'SIGKILL');
      await until('it is back', () => rowsOf(world.store, 'select 1').then(Boolean, () => false));
    },
  };

  for (const [how, crash] of sized(Object.entries(crashes).slice(0, 1), Object.entries(crashes)))
    it(`${how} tells all, twice only what it was writing, and marks nobody as told who was not`, async () => {
      const random = new Random(JOBS);
      const tried = new Set<string>();
      /** The first attempt of a third is taken over, of some more it fails; the others take a while. */
      const faultOf = ({ args }: ReceivedCall): SlackFault => {
        const key = toldOf(JSON.stringify(args), SLACK_OPS);
        const dice = tried.has(key) ? 1 : random.next();
        tried.add(key);
        if (dice < 0.3) return { kind: 'error', error: 'channel_not_found' };
        if (dice < 0.4) return { kind: 'status', status: 500 };
        const ms = 300 * random.next();
        return { kind: 'delay', until: () => sleep(ms) };
      };
      world = await createProgramWorld({
        store: await server.createDatabase(),
        receiver: 'answer_within: 3s',
        delivery: 'take_over_after: 1s, attempts_per_request: 1, permanent_attempts: 0',
        notify: `{ slack: '#ops' }`,
        faultOf,
      });
      const botbell = await world.start();
      const service = new JobService({
        urlOf: () => botbell.callbacksUrl,
        retryMs: 200,
        concurrency: AT_ONCE,
      });
      const callbacks = keyedCallbacks(JOBS);
      const posted = service.postAll(callbacks);
      for (let crashed = 1; crashed <= CRASHES; crashed += 1) {
        await until('some are answered', () => service.statuses.length > (JOBS * crashed) / (CRASHES + 1));
        await crash();
      }
      await posted;
      const expected = pairsOf(callbacks, [SLACK_OPS]);
      // A backoff is no reason to wait.
      const hasten = async () => {
        await rowsOf(world.store, `update deliveries set due_at = 0 where state = 'pending'`);
      };
      await until('all are told', async () => {
        await hasten();
        return tally(world.told(), expected).missing.length === 0;
      });
      await until(
        'that is written down',
        async () => (await deliveriesIn(world.store, 'pending')).length === 0,
      );
      const written = (await deliveriesIn(world.store, 'delivered')).filter((each) =>
        each.endsWith(SLACK_OPS),
      );
      expect(written.sort()).to.deep.equal([...expected].sort());
      expect(tally(world.told(), expected).repeated.size).to.be.at.most(CRASHES * AT_ONCE * 2);
      expect(botbell.log()).not.to.match(/unhandled/i);
    });
});
