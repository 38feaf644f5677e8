import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { anew } from '../support/anew.ts';
import { startSlackStandIn } from '../support/faulty-slack.ts';
import { runCommand } from '../support/command.ts';
import { target } from '../support/recorded.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { BesideStore } from './beside-store.ts';

const TOKEN = 'xoxb-9-SECRET-TOKEN';

describe('The command test', () => {
  let folder: string;
  const slack = anew(() =>
    startSlackStandIn({
      tokens: [TOKEN],
      channels: [
        { id: 'C0OPS0001', name: '#ops' },
        { id: 'C0LOG0001', name: '#log', isMember: false },
      ],
    }),
  );
  const mail = anew(() => startMailCatcher({}));

  const run = (...args: string[]) => runCommand(['test', '--config', join(folder, 'botbell.yaml'), ...args]);

  beforeEach(() => {
    folder = tempFolder();
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

  it('sends all of them with --all, groups of alerts included, a message that says it is a test and mentions nobody, prints what each remote answered, and exits 1 where one cannot be reached', async () => {
    const { code, stdout } = await run('--all');
    expect(code).to.equal(1);
    const [ops = '', log = '', operators = ''] = stdout.split('\n');
    expect(ops).to.equal(`✓ slack:#ops: Delivered (channel C0OPS0001, ts ${slack.messages[0]?.ts}).`);
    const sent = JSON.stringify(slack.messages);
    expect(sent).to.include('Test message').and.to.include('slack:#ops').and.not.to.include('here>');
    expect(log).to.match(/^✕ slack:#log: Slack answered not_in_channel: .*\/invite/);
    expect(operators).to.match(
      /^✓ email:operators@example\.com: Delivered \(messageId <[0-9a-f]{64}@example\.com>\)/,
    );
    expect(mail.mails).to.have.length(1);
    expect(mail.mails[0]?.parsed.subject).to.include('Test message from Botbell to email:operators@');
    expect(mail.mails[0]?.to).to.deep.equal(['operators@example.com']);
  });

  it('sends nothing at all where one of the destinations is none, and names the nearest', async () => {
    const { code, stderr } = await run('slack:#ops', 'slack:#lgo');
    expect([code, slack.messages.length]).to.deep.equal([2, 0]);
    expect(stderr).to.match(/tells nobody at slack:#lgo; did you mean "slack:#log"/);
    expect((await run('chat:#ops')).stderr).to.include('chat:#ops');
  });

  it('writes with --report what was sent and answered, what to look at and a form, to be read without scripts', async () => {
    const report = join(folder, 'report.html');
    const { code, stdout } = await run('slack:#ops', 'slack:#log', '--report', report);
    expect(code).to.equal(1);
    const lines = stdout.split('\n');
    expect(lines.at(-1)).to.equal(`${report}: open it in a browser, beside the app`);
    const which = lines.flatMap((line) => /#ops \((\w+)\): Delivered/.exec(line)?.[1] ?? []);
    expect(which).to.deep.equal(['test', 'success', 'error']);
    expect(slack.messages).to.have.length(3);
    const [test, success, error] = slack.messages.map((message) => JSON.stringify(message));
    expect([test, success].join('')).to.not.include('here>');
    expect(error).to.include('<!here>').and.to.include('this is a test, no BOT has run');
    const page = readFileSync(report, 'utf8');
    expect(page).to.include("default-src 'none'");
    expect(page).to.not.match(/<script|src="|javascript:/i);
    const [, ops = '', log = ''] = page.split(/<h2>slack:/);
    expect(ops.match(/<p>Delivered \(channel C0OPS0001, ts/g)).to.have.length(3);
    expect(ops.match(/<pre>/g)).to.have.length(3);
    expect(log.match(/<p>Slack answered not_in_channel/g)).to.have.length(3);
    for (const [each, answers] of [
      [ops, 'ok; ok; ok'],
      [log, 'config not_in_channel; config not_in_channel; config not_in_channel'],
    ] as const) {
      const [, form = ''] = /<textarea[^>]*>([^<]*)</.exec(each) ?? [];
      expect(form)
        .to.match(/^slack, \d{4}-\d\d-\d\d, Botbell /)
        .and.to.include(`: ${answers}\n`);
      expect(form).not.to.match(/#ops|#log|C0OPS0001/);
      expect(form.match(/^- \[ \] /gm)).to.have.length(9);
    }
  });

  it('writes no report over a file, and then sends nothing', async () => {
    const config = join(folder, 'botbell.yaml');
    const before = readFileSync(config, 'utf8');
    const { code, stderr } = await run('slack:#ops', '--report', config);
    expect([code, slack.messages.length, readFileSync(config, 'utf8')]).to.deep.equal([1, 0, before]);
    expect(stderr).to.include('is there already, and stays as it is');
  });
});

describe('The report of a test', () => {
  it('shows no secret of a channel, in Japanese as in English, however the page has to write it', async () => {
    const folder = tempFolder();
    const [key, ofBody] = ['KEY&<of>-the-remote/9', 'R&<outing>-key-of-nobody'];
    const url = `https://127.0.0.1:1/${encodeURIComponent(key)}`;
    const hooks = { ops: { url, body: { routing_key: ofBody, text: '{{ card.text }}' } } };
    const config = join(folder, 'botbell.yaml');
    const routed = { display: { language: 'ja' }, default_route: { notify: [{ chat: 'ops' }] } };
    writeFileSync(config, JSON.stringify({ ...routed, channels: { chat: { type: 'webhook', hooks } } }));
    const report = join(folder, 'report.html');
    const { code, stderr } = await runCommand(['test', '--config', config, '--all', '--report', report]);
    expect(code, stderr).to.equal(1);
    const page = readFileSync(report, 'utf8');
    expect(page)
      .to.include('<html lang="ja">')
      .and.to.include('スマートフォンとダークモード')
      .and.to.match(/>webhook, /);
    const plain = page.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    for (const secret of [key, encodeURIComponent(key), ofBody]) expect(page + plain).not.to.include(secret);
  });
});

describe('The command test beside a service', () => {
  const world = new BesideStore(
    "channels: { slack: { type: outbox, as: slack } }\ndefault_route: { notify: [{ slack: ['#ops', '#log'] }] }",
  );

  it('has it send at once what waits where the test arrives, and nothing else', async () => {
    await world.recorded.arrive({}, ['slack:#ops', 'slack:#log'].map(target));
    await world.store.run('update deliveries set due_at = due_at + 900000');
    expect(await world.run(['test', 'slack:#ops'])).to.include({ code: 0 });
    await world.clock.advance(300_000);
    const due = await world.recorded.claim();
    expect(due.map(({ destination }) => destination)).to.deep.equal(['slack:#ops']);
  });
});
