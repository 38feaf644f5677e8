/** What strangers send does not fill the disk, nor push out of the ledger what is undelivered. */
import { expect } from 'chai';
import { request } from 'undici';
import { noise } from '../support/noise.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld } from '../support/program-world.ts';
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
  let world: ProgramWorld;
  let botbell: ServeProcess;
  let sent = 0;

  afterEach(() => world.close());

  async function ask(url: string, body?: string) {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, body === undefined ? {} : { method: 'POST', headers, body });
    return { status: answer.statusCode, body: await answer.body.text() };
  }
  const post = (fields: object) => ask(botbell.callbacksUrl, JSON.stringify(fields));
  const send = (fields: Record<string, unknown>) => post(keyedCallback(keyOf((sent += 1)), fields));
  const storeBytes = async () => {
    const { body } = await ask(`${botbell.adminUrl}/metrics`);
    return Number(/^botbell_store_bytes (.*)$/m.exec(body)?.[1]);
  };

  it('when it is full of what is undelivered, takes nothing new, loses nothing, and recovers by itself', async () => {
    let isDown = true;
    world = await createProgramWorld({
      receiver: 'max_body: 4mb',
      ledger: 'max_size: 16mb',
      delivery: 'take_over_after: 2s, attempts_per_request: 1',
      notify: "{ slack: '#ops' }",
      faultOf: () => (isDown ? { kind: 'status', status: 500 } : undefined),
    });
    botbell = await world.start({ nodeArguments: ['--max-old-space-size=256'] });
    const known = keyedCallback(keyOf(700_000));
    const taken = [keyOf(700_000)];
    const postKnown = () => post(known);
    expect((await postKnown()).status).to.equal(502);
    for (let full = false; !full;) {
      const answer = await send({ message: noise(LARGE) });
      full = answer.status === 503;
      if (full) expect(answer.body).to.contain('The store is full.');
      else taken.push(keyOf(sent));
    }
    expect(taken.length).to.be.above(5);
    expect(await storeBytes()).to.be.below(MOST_BYTES);
    for (const bytes of [100_000, 5000]) {
      while ((await send({ message: noise(bytes) })).status !== 503) taken.push(keyOf(sent));
    }
    expect(botbell.log()).to.contain('the store is full');
    expect((await postKnown()).status, 'who is known is not refused for want of room').to.be.oneOf([
      200, 502,
    ]);
    expect((await post({ status: 9 })).status).to.equal(422);

    isDown = false;
    const expected = taken.map((key) => `${key} slack:#ops`);
    const outcome = () => tally(world.told(), expected);
    // What was tried often while the store was filled waits longest for its next attempt.
    await until('everything that was taken is told', () => outcome().missing.length === 0, 240_000);
    await until('outcomes are written', () => deliveriesIn(world.file, 'pending').length === 0, 30_000);
    const after = await send({ message: noise(LARGE) });
    expect(after.status, after.body).to.equal(200);
    expect((await ask(`${botbell.adminUrl}/readyz`)).status).to.equal(200);
    expect(outcome().repeated).to.deep.equal(new Map());
    expect(botbell.log()).not.to.match(/unforeseen error|unhandled/i);
  });
});
