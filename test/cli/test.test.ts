/** `botbell test` as a user sees it, between a strict Slack and a real mail server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type MailCatcher, startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { runCommand } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOKEN = 'xoxb-9-SECRET-TOKEN';

describe('The command test', () => {
  let folder: string;
  let slack: SlackStandIn;
  let mail: MailCatcher;

  const run = (...args: string[]) => runCommand(['test', '--config', join(folder, 'botbell.yaml'), ...args]);

  beforeEach(async () => {
    folder = tempFolder();
    slack = await startSlackStandIn({
      tokens: [TOKEN],
      channels: [
        { id: 'C0OPS0001', name: '#ops' },
        { id: 'C0LOG0001', name: '#log', isMember: false },
      ],
    });
    mail = await startMailCatcher({});
    writeFileSync(
      join(folder, 'botbell.yaml'),
      `
channels:
  slack: { type: slack, token: ${TOKEN}, api_url: '${slack.apiUrl}' }
  email: { type: email, smtp: 'smtp://${mail.host}/?ignoreTLS=true', from: 'BOT alerts <alerts@example.com>' }
groups: { operators: [{ email: operators@example.com }] }
delivery: { alerts: [operators] }
default_route: { notify: [{ slack: ['#ops', '#log'], mention_on_error: '@here' }] }
`,
    );
  });

  afterEach(async () => {
    await Promise.all([slack.close(), mail.close()]);
  });

  it('sends a message that says it is a test, mentions nobody, and prints what the remote answered', async () => {
    const { code, stdout } = await run('slack:ops');
    expect([code, stdout]).to.deep.equal([
      0,
      `✓ slack:#ops: Delivered (channel C0OPS0001, ts ${slack.messages[0]?.ts}).`,
    ]);
    expect(slack.messages).to.have.length(1);
    const sent = JSON.stringify(slack.messages[0]);
    expect(sent).to.include('Test message').and.to.include('slack:#ops').and.not.to.include('here>');
  });

  it('tests all of them with --all, groups of alerts included, and exits 1 where one cannot be reached', async () => {
    const { code, stdout } = await run('--all');
    expect(code).to.equal(1);
    const [ops = '', log = '', operators = ''] = stdout.split('\n');
    expect(ops).to.match(/^✓ slack:#ops: Delivered/);
    expect(log).to.match(/^✕ slack:#log: Slack answered not_in_channel: .*\/invite/);
    expect(operators).to.match(
      /^✓ email:operators@example\.com: Delivered \(messageId <[0-9a-f]{64}@example\.com>\)/,
    );
    expect(mail.mails).to.have.length(1);
    expect(mail.mails[0]?.parsed.subject).to.include(
      'Test message from Botbell to email:operators@example.com',
    );
    expect(mail.mails[0]?.to).to.deep.equal(['operators@example.com']);
  });

  it('sends nothing at all where one of the destinations is none, and names the nearest', async () => {
    const { code, stderr } = await run('slack:#ops', 'slack:#lgo');
    expect([code, slack.messages.length]).to.deep.equal([2, 0]);
    expect(stderr).to.match(/tells nobody at slack:#lgo; did you mean "slack:#log"/);
    expect((await run('chat:#ops')).stderr).to.include('chat:#ops');
  });
});
