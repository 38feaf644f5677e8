/** `botbell redeliver`, the built program beside the built service, on the same ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { SlackFault } from '../support/faulty-slack.ts';
import { post } from '../support/bridge-world.ts';
import { MAIN } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld } from '../support/program-world.ts';
import { deliveriesIn, endClaimsIn } from '../support/proof-ledger.ts';
import { keyedCallbacks } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';

describe('botbell redeliver', () => {
  let world: ProgramWorld;
  let fault: SlackFault | undefined;

  afterEach(() => world.close());

  it('goes on with what it has begun, whenever the service is killed', async () => {
    fault = { kind: 'error', error: 'msg_too_long' };
    world = await createProgramWorld({
      receiver: 'answer_within: 60s',
      delivery: 'timeout: 50s, attempts_per_request: 1, permanent_attempts: 0',
      notify: `{ slack: '#ops' }`,
      faultOf: () => fault,
    });
    const killed = async () => {
      botbell.kill('SIGKILL');
      await botbell.exited();
    };
    let botbell = await world.start();
    const callbacks = keyedCallbacks(150);
    while (callbacks.length > 0)
      await Promise.all(callbacks.splice(-5).map((each) => post(botbell.callbacksUrl, each)));
    expect(deliveriesIn(world.file, 'dead')).to.have.length(150);
    fault = undefined;
    const command = spawn(process.execPath, [MAIN, 'redeliver', '--dead', '--yes', '--config', world.config]);
    const [printed, ended] = [text(command.stdout), once(command, 'exit')];
    await killed();
    expect(await printed).to.include('150 messages given back');
    expect(await ended).to.deep.equal([0, null]);
    botbell = await world.start();
    await killed();
    endClaimsIn(world.file);
    botbell = await world.start();
    await until('all are delivered', () => deliveriesIn(world.file, 'delivered').length === 150);
  });
});
