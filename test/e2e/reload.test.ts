/** The built program reads its config again while it runs: on SIGHUP, when asked, and when the files have changed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { callback, post } from '../support/bridge-world.ts';
import type { ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld, TOKEN } from '../support/program-world.ts';
import { until } from '../support/proof-wait.ts';
import { sized } from '../support/test-size.ts';

const NEW_TOKEN = 'xoxb-NEW-SECRET-TOKEN';
const RELOADED = 'the config was loaded again';
const RELOADS = sized(5, 20);

describe('A running Botbell', () => {
  let world: ProgramWorld;
  let botbell: ServeProcess;

  /** With Slack's token in a file. */
  const open = async (notify: string, delivery: string, receiver = '') => {
    world = await createProgramWorld({ notify: `{ slack: '${notify}' }`, delivery, receiver });
    const file = join(world.folder, 'token');
    writeFileSync(file, `${TOKEN}\n`);
    world.rewrite((yaml) => yaml.replace(TOKEN, `\${file:${file}}`));
    return { rotate: (token: string) => writeFileSync(file, `${token}\n`) };
  };
  const lines = (words: string) =>
    botbell
      .log()
      .split('\n')
      .filter((line) => line.includes(words));
  const toldAt = (channel: string) => world.slack.messages.filter((message) => message.channel === channel);
  const resultOf = async (job: unknown) => (await post(botbell.callbacksUrl, job)).body.result;

  afterEach(() => world.close());

  it('goes by its new config after SIGHUP, tells there what was taken over for a wrong channel, and follows a change by itself', async () => {
    const { rotate } = await open('#opps', 'attempts_per_request: 1, permanent_attempts: 0');
    world.tokens.push(NEW_TOKEN);
    botbell = await world.start();
    expect(await resultOf(callback())).to.equal('taken_over');
    world.rewrite((yaml) => yaml.replace('#opps', '#ops'));
    botbell.kill('SIGHUP');
    await until('the message at the mended address', () => toldAt('#ops').length === 1);
    rotate(NEW_TOKEN);
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

  it('loses nothing and tells nobody twice while it is reloaded again and again under load', async () => {
    // What timed out, as it may on a busy machine, is not `delivered`.
    const { rotate } = await open('#ops', 'timeout: 50s', 'answer_within: 60s');
    world.tokens.push(NEW_TOKEN);
    botbell = await world.start();
    const results: unknown[] = [];
    const postMany = async (count: number) =>
      results.push(...(await Promise.all(Array.from({ length: count }, () => resultOf(callback())))));
    await postMany(10);
    for (let time = 0; time < RELOADS; time += 1) {
      const [from, to, token] = time % 2 === 0 ? ['#ops', '#log', NEW_TOKEN] : ['#log', '#ops', TOKEN];
      world.rewrite((yaml) => yaml.replace(from, to));
      rotate(token);
      const met = postMany(40);
      const answer = await request(`${botbell.adminUrl}/-/reload`, { method: 'POST' });
      // On a slow machine it may have found the change by itself.
      expect(await answer.body.json())
        .to.have.property('result')
        .that.is.oneOf(['reloaded', 'unchanged']);
      await met;
      await postMany(10);
    }
    // What a reload met before its attempt is taken over, and goes where the config in force sends it.
    for (const result of results) expect(result).to.be.oneOf(['delivered', 'taken_over']);
    await until('all are told', () => world.slack.messages.length >= results.length);
    expect(world.slack.messages).to.have.length(results.length);
    expect(Math.min(toldAt('#ops').length, toldAt('#log').length)).to.be.above(0);
  });
});
