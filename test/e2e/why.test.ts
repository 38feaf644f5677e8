/** `botbell why`, asked of a ledger that the whole bridge has written, beside it and after it has stopped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SlackFault } from '../support/faulty-slack.ts';
import { type BridgeWorld, callback, createBridgeWorld, SLACK_TOKEN } from '../support/bridge-world.ts';
import { type CommandRun, runCommand } from '../support/command.ts';

const CONFIG = `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1, alerts: [operators] }
groups: { operators: [{ email: [operators@example.com] }] }
routes:
  - bot_id: invoice-import
    notify: [{ slack: '#ops' }]
  - bot_id: daily-report
    notify: [{ slack: '#ops' }, { email: [clerk@example.com] }]
  - bot_id: quiet
    on: [error]
    notify: [{ slack: '#log' }]
`;

interface Shape {
  readonly job_id: string;
  readonly status: string;
  readonly received_at: string;
  readonly result: string | null;
  readonly summary: string;
  readonly timeline: readonly { readonly at: string; readonly what: string; readonly text: string }[];
  readonly deliveries: readonly { readonly destination: string; readonly state: string }[];
}

/** Who is told at the same time, is told in any order. */
function linesIn(text: string): string[] {
  return text.trim().split('\n').toSorted();
}

describe('botbell why', () => {
  let world: BridgeWorld;
  let faults: ReadonlyMap<string, SlackFault>;

  const why = (...args: string[]): Promise<CommandRun> =>
    runCommand(['why', ...args, '--config', join(world.folder, 'botbell.yaml')]);
  const shapes = async (...args: string[]) =>
    JSON.parse((await why(...args, '--format', 'json')).stdout) as Shape[];
  const post = async (fields: Record<string, unknown>) => {
    const posted = callback(fields);
    const { body } = await world.post(posted);
    return { jobId: String(posted['job_id']), result: body.result, posted };
  };

  beforeEach(async () => {
    faults = new Map();
    world = await createBridgeWorld(CONFIG, { faultOf: ({ args }) => faults.get(String(args?.['channel'])) });
  });

  afterEach(() => world.close());

  it('tells beside the running service who was told, and by which route', async () => {
    const { jobId } = await post({});
    const { code, stdout, stderr } = await why(jobId);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include(
      `job ${jobId} · BOT invoice-import (請求書取込BOT) · error\n  Told slack:#ops at `,
    );
    expect(stdout).to.match(
      /\d\d:\d\d:\d\d · The route for invoice-import applies: it tells slack:#ops\. \(routes\[0\]\)/,
    );
    expect(stdout).to.match(
      /✓ slack:#ops was told, by the 1st attempt, in [\d.]+ m?s\. \(channel C0OPS0001, ts /,
    );
    expect(stdout).to.match(/answered after [\d.]+ m?s: everybody has been told\. \(HTTP 200\)/);
    expect((await why('job-that-never-came')).code).to.equal(1);
  });

  it('says what the config as it is now would do about what nobody was told of', async () => {
    const misspelt = await post({ bot_id: 'invoice-imprt' });
    await world.swap((yaml) => yaml.replace('bot_id: daily-report', 'bot_id: invoice-imprt'));
    expect((await why(misspelt.jobId)).stdout).to.include(
      `→ To have it told: botbell redeliver --route ${misspelt.jobId}\n`,
    );
    const later = await post({ bot_id: 'nobody', job_id: 'y; rm -rf ~' });
    await world.swap((yaml) => yaml.replace('bot_id: invoice-imprt', 'bot_id: nobody'));
    expect((await why(later.jobId)).stdout).to.include('botbell redeliver --route <job_id>\n');
  });

  it('tells what did not reach a destination, and why, each reason once', async () => {
    await post({});
    await post({ bot_id: 'quiet', status: 0 });
    await post({ bot_id: 'quiet', status: 0 });
    await post({ bot_id: 'quiet' });
    const { code, stdout } = await why('--not-told', 'slack:#log');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^2 × job .* BOT quiet .* succeeded .*\n {2}The route for quiet does not apply/m);
    expect(stdout)
      .to.include('1 × ')
      .and.to.include('The route for invoice-import applies: it tells slack:#ops.');
    const wrong = await why('--not-told', 'slack:#lgo');
    expect([wrong.code, wrong.stderr.includes('did you mean "slack:#log"?')]).to.deep.equal([2, true]);
  });

  it('prints what its documentation shows', async () => {
    faults = new Map([['#ops', { kind: 'error', error: 'not_in_channel' }]]);
    const { posted } = await post({ job_id: '4711', bot_id: 'daily-report', bot_name: 'Daily report' });
    faults = new Map();
    await world.post(posted);
    await post({ job_id: '4712', bot_id: 'invoice-imprt', bot_name: 'Invoice import' });
    const shown = /```text\n\$ botbell why 4711\n(.*?)\n\$ botbell why 4712\n(.*?)```/s.exec(
      readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8'),
    );
    expect(shown).not.to.equal(null);
    // Times, how long each thing took, and what Slack and the mail server call the messages.
    const timeless = (text: string) =>
      text
        .replaceAll(/\d+:\d\d(?::\d\d)?/g, '<time>')
        // Told in two minutes, it says neither.
        .replaceAll(' at <time>', '')
        .replaceAll(/\d+ \w+ \d{4} \(.*?\)/g, '<day>')
        .replaceAll(/\d[\d.]* m?s\b/g, '<duration>')
        .replaceAll(/ts [\d.]+|messageId <.*?>/g, '<id>');
    for (const [index, jobId] of ['4711', '4712'].entries()) {
      const { stdout } = await why(jobId);
      expect(linesIn(timeless(stdout))).to.deep.equal(linesIn(timeless(shown?.[index + 1] ?? '')));
    }
  });

  it('tells of a BOT’s last callbacks, each with what is in its rows', async () => {
    const jobIds: string[] = [];
    for (let count = 0; count < 7; count += 1) jobIds.push((await post({})).jobId);
    const last = await shapes('--bot', 'invoice-import', '--last', '3');
    expect(last.map(({ job_id }) => job_id)).to.deep.equal(jobIds.slice(-3));
    expect(await shapes('--bot', 'invoice-import')).to.have.length(5);
    expect(last[0]).to.deep.include({ status: 'error', result: 'delivered' });
    expect(new Date(last[0]?.received_at ?? '').toISOString()).to.equal(last[0]?.received_at);
    expect(last[0]?.deliveries.map(({ destination, state }) => [destination, state])).to.deep.equal([
      ['slack:#ops', 'delivered'],
    ]);
    const none = await why('--bot', 'nobody');
    expect([none.code, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.match(/no callback of the BOT "nobody" is known/);
  });

  it('forges no line, moves no terminal and shows no secret, whatever a callback says', async () => {
    const bot_name = `\u001b[2J✓ told\r\n  ✓ everybody\u202e\u0007${SLACK_TOKEN}\u2028`;
    const { jobId } = await post({ job_id: `job\n\u001b]0;x\u0007`, bot_name });
    for (const format of ['text', 'json']) {
      const { stdout } = await why(jobId, '--format', format);
      expect(stdout).to.include('Told slack:#ops at ').and.not.to.include(SLACK_TOKEN);
      expect(stdout).not.to.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]|^ {2}✓/m);
    }
  });
});
