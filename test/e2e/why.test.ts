/** `botbell why`, asked beside the running service of a ledger that the whole bridge has written. What a story says is proved in test/story. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { anew } from '../support/anew.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { callback, createBridgeWorld, SLACK_TOKEN } from '../support/bridge-world.ts';
import { runCommand } from '../support/command.ts';

const CONFIG = `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1 }
routes:
  - bot_id: invoice-import
    notify: [{ slack: '#ops' }]
  - bot_id: daily-report
    notify: [{ slack: '#ops' }, { email: [clerk@example.com] }]
  - bot_id: quiet
    on: [error]
    notify: [{ slack: '#log' }]
`;

/** Who is told at the same time, is told in any order. */
function linesIn(text: string): string[] {
  return text.trim().split('\n').toSorted();
}

/** Without times, how long each thing took, and what Slack and the mail server call the messages. */
function timeless(text: string): string {
  return (
    text
      .replaceAll(/\d+:\d\d(?::\d\d)?/g, '<time>')
      // Told in two minutes, it says neither.
      .replaceAll(/ at <time>|（<time>）/g, '')
      .replaceAll(/(?:\d+ \w+ \d{4}|\d+年\d+月\d+日) \(.*?\)/g, '<day>')
      .replaceAll(/\d[\d.]*(?: m?s\b|(?:ミリ)?秒)/g, '<duration>')
      .replaceAll(/ts [\d.]+|messageId <.*?>/g, '<id>')
  );
}

describe('botbell why', () => {
  let faults: ReadonlyMap<string, SlackFault>;
  const world = anew(() =>
    createBridgeWorld(CONFIG, { faultOf: ({ args }) => faults.get(String(args?.['channel'])) }),
  );

  const why = (...args: string[]) =>
    runCommand(['why', ...args, '--config', join(world.folder, 'botbell.yaml')]);

  beforeEach(() => void (faults = new Map()));

  it('prints what its documentation shows', async () => {
    faults = new Map([['#ops', { kind: 'error', error: 'not_in_channel' }]]);
    const posted = callback({ job_id: '4711', bot_id: 'daily-report', bot_name: 'Daily report' });
    await world.post(posted);
    faults = new Map();
    await world.post(posted);
    const misspelt = { bot_id: 'invoice-imprt', bot_name: 'Invoice import' };
    await world.post(callback({ job_id: '4712', ...misspelt }));
    for (const [document, display] of [
      ['operating.md', ''],
      ['operating.ja.md', 'display: { language: ja }'],
    ] as const) {
      appendFileSync(join(world.folder, 'botbell.yaml'), display);
      const [, ...shown] =
        /```text\n\$ botbell why 4711\n(.*?)\n\$ botbell why 4712\n(.*?)```/s.exec(
          readFileSync(join(import.meta.dirname, '../../docs', document), 'utf8'),
        ) ?? [];
      expect(shown).to.have.length(2);
      for (const [index, text] of shown.entries()) {
        const { stdout } = await why(String(4711 + index));
        expect(linesIn(timeless(stdout))).to.deep.equal(linesIn(timeless(text)));
      }
    }
  });

  it('tells of a BOT’s last callbacks, in JSON too, and forges no line and shows no secret of a config', async () => {
    const bot_name = `\u001b[2J✓ told\r\n  ✓ everybody\u202e\u0007${SLACK_TOKEN}\u2028`;
    const jobIds = ['1', '2', '3', '4', '5', `job\n\u001b]0;x\u0007`];
    for (const job_id of jobIds) await world.post(callback({ job_id, bot_name }));
    const asked = ['--bot', 'invoice-import'];
    const { stdout: text } = await why(...asked);
    expect(text.match(/^job /gm)).to.have.length(5);
    expect(text).not.to.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]|^ {2}✓/m);
    const { stdout: json } = await why(...asked, '--last', '3', '--format', 'json');
    const shapes = JSON.parse(json) as readonly Readonly<Record<string, string>>[];
    expect(shapes.map(({ job_id, status, result }) => [job_id, status, result])).to.deep.equal(
      ['4', '5', 'job\n'].map((jobId) => [jobId, 'error', 'delivered']),
    );
    expect(text + json).not.to.include(SLACK_TOKEN);
    const none = await why('--bot', 'nobody');
    expect([none.code, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.match(/no callback of BOT "nobody" is known/);
    expect((await why('no-such-job')).stderr).to.match(/no callback of job "no-such-job" is known/);
  });

  it('tells what did not reach a destination, and why, each reason once', async () => {
    const [quiet, succeeded] = [{ bot_id: 'quiet' }, { bot_id: 'quiet', status: 0 }];
    for (const fields of [{}, succeeded, succeeded, quiet]) await world.post(callback(fields));
    const { code, stdout } = await why('--not-told', 'slack:#log');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^2 × job .* BOT quiet .* succeeded .*\n {2}The route for quiet does not apply/m);
    expect(stdout).to.match(/^1 × .*\n.*The route for invoice-import applies: it tells slack:#ops\./m);
    const one = await why('--not-told', 'slack:#log', '--last', '1');
    expect(one.stdout.match(/ × /g)).to.have.length(1);
    const wrong = await why('--not-told', 'slack:#lgo');
    expect([wrong.code, wrong.stderr.includes('did you mean "slack:#log"?')]).to.deep.equal([2, true]);
    await world.swap((yaml) => yaml.replace('#log', '#new'));
    const left = await why('--not-told', 'slack:#log', '--last', '1');
    expect([left.code, left.stdout]).to.deep.equal([0, one.stdout]);
    expect((await why('--not-told', 'slack:#lgo')).code).to.equal(2);
  });
});
