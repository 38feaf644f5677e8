/** Killed at any moment: whatever was written down as undeliverable has its alert, and the alert is told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { deliveriesIn, endClaimsIn } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallback, keyOf } from '../../support/proof-tally.ts';
import { seededRandom, until } from '../../support/proof-wait.ts';
import { createProofWorld, type ProofWorld } from '../../support/proof-world.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(20, 60);
const KILLS = sized(2, 4);

/** Set it to see the same kills again, as nearly as the machine allows. */
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000);

const addressOf = (number: number) => `gone-${number}@example.com`;

/** Each to an address of its own, so that each dead letter has a cause of its own. */
const ROUTES = [
  'routes:',
  ...Array.from(
    { length: CALLBACKS },
    (_, number) => `  - { bot_id: bot-${number}, notify: [{ email: ${addressOf(number)} }] }`,
  ),
].join('\n');

function alertsIn(file: string): number {
  const database = new DatabaseSync(file);
  try {
    return database.prepare("select id from callbacks where kind = 'alert'").all().length;
  } finally {
    database.close();
  }
}

describe('A dead letter, whatever crashes', () => {
  const random = seededRandom(SEED);
  let world: ProofWorld;

  afterEach(() => world.close());

  it('is never without its alert, and the alert reaches the operators', async () => {
    world = await createProofWorld({
      routes: ROUTES,
      delivery: 'permanent_attempts: 0, alerts: [operators]',
    });
    for (let number = 0; number < CALLBACKS; number += 1) {
      const address = addressOf(number);
      world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: 'no such user', address });
    }
    world.mail.faults.push({ at: 'mail', does: 'delay', until: () => sleep(random() * 20) });
    let botbell = await world.start();
    const service = new JobService({ urlOf: () => botbell.callbacksUrl, retryMs: 100, concurrency: 4 });
    const callbacks = Array.from({ length: CALLBACKS }, (_, number) =>
      keyedCallback(keyOf(number), { bot_id: `bot-${number}` }),
    );
    const posted = service.postAll(callbacks);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const most = (kill * CALLBACKS) / (KILLS + 1);
      await until(`kill ${kill}, seed ${SEED}`, () => deliveriesIn(world.file, 'dead').length >= most);
      await sleep(random() * 20);
      botbell.kill('SIGKILL');
      await botbell.exited();
      expect(alertsIn(world.file), `seed ${SEED}`).to.equal(deliveriesIn(world.file, 'dead').length);
      endClaimsIn(world.file);
      botbell = await world.start();
    }
    await posted;
    await until(`all is told, seed ${SEED}`, () => deliveriesIn(world.file, 'pending').length === 0);
    const subjects = world.mail.mails.map(({ parsed }) => parsed.subject ?? '');
    for (let number = 0; number < CALLBACKS; number += 1) {
      const words = `BOT ${keyOf(number)} could not be delivered to email:${addressOf(number)}`;
      const told = subjects.filter((subject) => subject.includes(words));
      expect(told, `${words}, seed ${SEED}`).not.to.deep.equal([]);
    }
  });
});
