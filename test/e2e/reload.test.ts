/** The built program reads its config again while it runs: on SIGHUP, and when the files have changed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { callback, post } from '../support/bridge-world.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld, TOKEN } from '../support/program-world.ts';
import { until } from '../support/proof-wait.ts';

const NEW_TOKEN = 'xoxb-NEW-SECRET-TOKEN';
const RELOADED = 'the config was loaded again';

describe('A running Botbell', () => {
  let world: ProgramWorld;
  let botbell: ServeProcess;

  const lines = (words: string) =>
    botbell
      .log()
      .split('\n')
      .filter((line) => line.includes(words));
  const toldAt = (channel: string) => world.slack.messages.filter((message) => message.channel === channel);
  const resultOf = async (job: unknown) => (await post(botbell.callbacksUrl, job)).body.result;

  afterEach(() => world.close());

  it('goes by its new config after SIGHUP, tells there what was taken over for a wrong channel, and follows a change by itself', async () => {
    world = await createProgramWorld({
      notify: "{ slack: '#opps' }",
      delivery: 'attempts_per_request: 1, permanent_attempts: 0',
    });
    const tokenFile = join(world.folder, 'token');
    writeFileSync(tokenFile, `${TOKEN}\n`);
    world.rewrite((yaml) => yaml.replace(TOKEN, `\${file:${tokenFile}}`));
    world.tokens.push(NEW_TOKEN);
    botbell = await world.start();
    expect(await resultOf(callback())).to.equal('taken_over');
    world.rewrite((yaml) => yaml.replace('#opps', '#ops'));
    botbell.kill('SIGHUP');
    await until('the message at the mended address', () => toldAt('#ops').length === 1);
    writeFileSync(tokenFile, `${NEW_TOKEN}\n`);
    await until('the rotated secret in force', () => lines(RELOADED).length === 2);
    world.tokens.splice(0, 1);
    expect(await resultOf(callback({ job_id: `job ${TOKEN} ${NEW_TOKEN}` }))).to.equal('delivered');
    await until('the callback in the log', () => lines('job [secret] [secret]').length > 0);
    expect(botbell.log(), 'neither the old nor the new one').not.to.match(/SECRET/);
    expect(lines('"cause":"SIGHUP"'), 'a busy machine may have found that change by itself').to.have.length(
      1,
    );
    expect(lines(RELOADED)[1]).to.include('"cause":"a change of its files"');
  });
});
