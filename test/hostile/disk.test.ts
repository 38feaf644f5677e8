/** What strangers send does not fill the disk, nor push out of the ledger what is undelivered. */
import { expect } from 'chai';
import { request } from 'undici';
import type { SlackFault } from '../support/faulty-slack.ts';
import { type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';
import { noise } from '../support/noise.ts';
import { deliveriesIn } from '../support/proof-ledger.ts';
import { keyedCallback, keyOf, tally } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 16 * MEGABYTE;
/** Room is looked for before what comes is written. */
const MOST_BYTES = MAX_BYTES + MEGABYTE;

/** Most of which cannot be compressed. */
const LARGE = 1_000_000;

describe('The disk', () => {
  let program: HostileProgram;
  let sent = 0;

  afterEach(() => program.close());

  const send = (fields: Record<string, unknown>) => {
    sent += 1;
    return program.post(JSON.stringify(keyedCallback(keyOf(sent), fields)));
  };
  const sample = async (name: string) =>
    Number(new RegExp(`^botbell_${name} (.*)$`, 'm').exec(await program.metrics())?.[1]);
  const readiness = async () => {
    const { statusCode: status, body } = await request(`${program.botbell.adminUrl}/readyz`);
    return { status, body: await body.text() };
  };

  it('when it is full of what is undelivered, takes nothing new, loses nothing, and recovers by itself', async () => {
    let isDown = true;
    const faultOf = (): SlackFault | undefined => (isDown ? { kind: 'status', status: 500 } : undefined);
    program = await startHostileProgram({
      receiver: 'max_body: 4mb',
      ledger: 'max_size: 16mb',
      routes: '  - { bot_id: ops, notify: [{ slack: "#ops" }] }\n',
      delivery: 'take_over_after: 2s, attempts_per_request: 1',
      faultOf,
    });
    const known = keyedCallback(keyOf(700_000), { bot_id: 'ops' });
    const taken = [keyOf(700_000)];
    const postKnown = () => program.post(JSON.stringify(known));
    expect((await postKnown()).status).to.equal(502);
    for (let full = false; !full;) {
      const answer = await send({ bot_id: 'ops', message: noise(LARGE) });
      full = answer.status === 503;
      if (full) expect(answer.body).to.contain('The store is full.');
      else taken.push(keyOf(sent));
    }
    expect(taken.length).to.be.above(5);
    expect(await sample('store_bytes')).to.be.below(MOST_BYTES);
    for (const bytes of [100_000, 5000]) {
      while ((await send({ bot_id: 'ops', message: noise(bytes) })).status !== 503) taken.push(keyOf(sent));
    }
    expect(program.botbell.log()).to.contain('the store is full');
    expect((await postKnown()).status, 'who is known is not refused for want of room').to.be.oneOf([
      200, 502,
    ]);
    expect((await program.post('{"status":9}')).status).to.equal(422);

    isDown = false;
    const expected = taken.map((key) => `${key} slack:#ops`);
    const outcome = () => tally(program.world.told(), expected);
    await until('everything that was taken is told', () => outcome().missing.length === 0);
    await until(
      'outcomes are written',
      () => deliveriesIn(program.world.file, 'pending').length === 0,
      30_000,
    );
    const after = await send({ bot_id: 'ops', message: noise(LARGE) });
    expect(after.status, after.body).to.equal(200);
    expect((await readiness()).status).to.equal(200);
    expect(outcome().repeated).to.deep.equal(new Map());
    await program.expectAlive();
  });
});
