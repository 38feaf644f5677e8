import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readVersion } from '../../src/package-files.ts';
import { startSlackStandIn } from '../support/faulty-slack.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/proof-wait.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = `
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
routes:
  - bot_id: get_items
    on: [error]
    notify: [{ slack: '#shop' }]
  - bot_id: 'invoice-*'
    notify: [{ slack: '#ops', mention_on_error: '@here' }, { email: ops@example.com }]
default_route:
  notify: [{ slack: '#rest' }]
`;

/** A config of one channel, and one address on it. */
const telling = (channel: string, address: string) =>
  `channels: { chat: ${channel} }\ndefault_route: { notify: [{ chat: '${address}' }] }\n`;

const ERROR = 'config/samples/error.json';

/** What nobody can mean, each with what is said of it. */
const wrongUsage = (file: string) =>
  readFileSync(`test/cli/${file}`, 'utf8')
    .split(/^\$ botbell /m)
    .slice(1)
    .map((each) => each.trimEnd().split('\n'));

const JAPANESE = { LANG: 'ja_JP.UTF-8' };

const COMMANDS =
  'serve check route preview why report redeliver snooze status take-up send test backup demo init schema'.split(
    ' ',
  );

const never = () => new Promise<void>(() => undefined);

describe('The command line', () => {
  let folder: string;
  let config: string;

  const run = (...args: readonly string[]) => runCommand([...args, '--config', config]);

  beforeEach(() => {
    folder = tempFolder();
    config = join(folder, 'botbell.yaml');
    writeFileSync(config, CONFIG);
  });

  describe('in general', () => {
    for (const [args = '', ...said] of wrongUsage('wrong-usage.txt'))
      it(`exits 2 on wrong usage and says what is wrong on stderr: botbell ${args}`, async () => {
        const words = args.split(' ');
        const readsConfig = !/^(?:demo|schema|init)/.test(args);
        const answer = await (readsConfig ? run(...words) : runCommand(words));
        expect(answer).to.deep.equal({ code: 2, stdout: '', stderr: said.join('\n') });
      });

    it('says in Japanese what is wrong with what was asked for where the locale is, or the config', async () => {
      writeFileSync(config, `display: { language: ja }\n${CONFIG}`);
      for (const [args = '', ...said] of wrongUsage('wrong-usage.ja.txt')) {
        const words = args.split(' ');
        const given = /^(?:demo|schema|init)/.test(args) ? words : [...words, '--config', config];
        expect((await runCommand(given, { variables: JAPANESE })).stderr, args).to.equal(said.join('\n'));
      }
    });

    it('has help in Japanese for every command, argument and option', async () => {
      for (const command of ['', ...COMMANDS]) {
        const { stdout } = await runCommand([command, '--help'].filter(Boolean), { variables: JAPANESE });
        const terms = stdout.split(/^ {2}(?=\S)/m).slice(1);
        expect(terms, command).not.to.be.empty;
        expect(terms.filter((term) => !/[ぁ-ん]|[ァ-ヶ一-龠]/u.test(term))).to.deep.equal([]);
        expect(stdout).not.to.match(/^[A-Z][A-Za-z ]*:|\b(?:choices|default|env):/m);
      }
    });

    it('prints its version for every command and exits 0', async () => {
      for (const command of COMMANDS)
        expect(await runCommand([command, '--version'])).to.include({ code: 0, stdout: readVersion() });
    });

    it('takes the config from --config, then from BOTBELL_CONFIG', async () => {
      expect((await run('check')).code).to.equal(0);
      expect((await runCommand(['--config', config, 'check'])).code).to.equal(0);
      expect((await runCommand(['check'], { variables: { BOTBELL_CONFIG: config } })).stdout).to.include(
        config,
      );
    });

    it('offers --config in the help of each command that reads one, and of no other', async () => {
      for (const command of COMMANDS) {
        const { stdout } = await runCommand([command, '--help']);
        const readsConfig = !['demo', 'schema', 'init'].includes(command);
        expect(stdout.includes('--config'), command).to.equal(readsConfig);
      }
    });

    it('says what is wrong with what was asked for in the language of the config', async () => {
      writeFileSync(config, `display: { language: ja }\n${CONFIG}`);
      const { code, stderr } = await run('snooze', 'b', '--until', 'soon');
      expect([code, stderr.slice(0, 16)]).to.deep.equal([2, 'エラー：終了は期間（2h）、時刻']);
      writeFileSync(config, `store: { url: 'sqlite:${folder}/none.db' }\n${readFileSync(config, 'utf8')}`);
      expect((await run('why', 'job-1')).stderr).to.match(/^store\.url に記録がまだありません。/);
      expect((await run('route', 'none.json')).stderr).to.include('を読めません：見つかりません');
      const cut = await runCommand(['preview', '-', '--config', config], { stdin: '{' });
      expect(cut.stderr).to.include('-: 本文がJSONではありません');
    });

    it('says which file is missing', async () => {
      const { code, stdout } = await runCommand(['check', '--config', join(folder, 'none.yaml')]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/none\.yaml:1:1: .*cannot be read/);
    });
  });

  describe('check', () => {
    it('lets warnings pass unless --strict; other commands say only how many there are', async () => {
      writeFileSync(config, `${CONFIG}\nreceiver: { token: short }\n`);
      expect((await run('check')).code).to.equal(0);
      const strict = await runCommand(['check', '--config', config, '--strict']);
      expect([strict.code, strict.stdout.includes('warning')]).to.deep.equal([1, true]);
      expect((await run('preview', ERROR)).stderr).to.equal('1 warning, as `botbell check` says');
    });

    it('checks where no variable is set with --without-secrets, and says which were taken for granted', async () => {
      const secrets =
        "receiver: { token: '${TOKEN:-}', max_in_flight: '${MOST}' }\nheartbeat: { url: '${file:/run/x}' }\n";
      writeFileSync(config, secrets + CONFIG);
      const stderr = 'not set here, and so not checked: TOKEN, MOST, file:/run/x';
      const lenient = await run('check', '--without-secrets', '--strict');
      expect(lenient).to.deep.equal({ code: 0, stdout: `${config}: ok`, stderr });
      expect((await run('check')).code).to.equal(1);
    });

    it('tells all that is wrong but for what is not set, in the order of the lines, file by file', async () => {
      const folderOfSet = join(folder, 'templates', 'en', 'slack');
      mkdirSync(folderOfSet, { recursive: true });
      const blocks =
        "blocks:\n  - type: section\n    text: { type: mrkdwn, text: '{{ a | nope }} {{ botid }}' }\n  - type: nonsense\n";
      writeFileSync(join(folderOfSet, 'error.yaml'), `text: '{{ job_idd }}'\n${blocks}`);
      const receiver = "receiver: { token: short, answer_within: 40s, path: '${UNSET}' }";
      writeFileSync(config, `${CONFIG}\ntemplates: ${join(folder, 'templates')}\n${receiver}\n`);
      const { code, stdout } = await run('check', '--without-secrets');
      expect(code).to.equal(1);
      const places = stdout.match(/\w+\.yaml:\d+:\d+(?=: )/g) ?? [];
      const ofConfig = ['botbell.yaml:15:13', 'botbell.yaml:15:27'];
      expect(places).to.deep.equal([...ofConfig, 'error.yaml:1:11', 'error.yaml:4:34', 'error.yaml:5:5']);
      expect(stdout).to.match(/error\.yaml:1:11: .*job_idd.*job_id/);
    });

    it('asks Slack with --online, and shows no token when it refuses the credentials', async () => {
      const slack = await startSlackStandIn({ tokens: ['xoxb-right'], channels: [] });
      const channel = `{ type: slack, token: xoxb-wrong, api_url: '${slack.apiUrl}' }`;
      writeFileSync(config, telling(channel, '#x'));
      const { code, stdout, stderr } = await run('check', '--online');
      expect([code, slack.calls]).to.deep.equal([1, ['auth.test']]);
      expect(stdout + stderr).to.not.include('xoxb-wrong');
      writeFileSync(config, `display: { language: ja }\n${readFileSync(config, 'utf8')}`);
      const japanese = await run('check', '--online');
      await slack.close();
      expect(japanese.stdout).to.match(
        /^チャネル chat: 使えません: .*invalid_auth.*。\n記録（store） \/.*: 使えます。/,
      );
    });

    it('looks at the store with --online, and shows no password, though the error repeats it', async () => {
      writeFileSync(config, `store: { url: 'postgres://u:ECONNREFUSED@127.0.0.1:1/botbell' }\n${CONFIG}`);
      const { code, stdout, stderr } = await run('check', '--online');
      expect(code).to.equal(1);
      expect(stdout).to.match(/store: cannot be used: .*\[secret\] 127\.0\.0\.1:1/);
      expect(stdout + stderr).to.not.include('ECONNREFUSED');
      writeFileSync(config, `display: { language: ja }\n${readFileSync(config, 'utf8')}`);
      const japanese = await run('check', '--online');
      expect(japanese.stdout).to.match(/記録（store）: 使えません: データベースに接続できません（/);
    });
  });

  it('reads a callback for route from standard input, and exits 1 on what is none', async () => {
    const args = ['route', '-', '--config', config];
    const { code, stderr } = await runCommand(args, { stdin: '{"status": 3}' });
    expect(code).to.equal(1);
    expect(stderr).to.include('/status').and.to.include('/job_id');
  });

  describe('preview', () => {
    it('shows each destination its message, and nothing but that on stdout as JSON', async () => {
      const { code, stdout } = await run('preview', ERROR, '--format', 'json');
      expect(code).to.equal(0);
      const previews = JSON.parse(stdout) as { destination: string; channel: string; message: object }[];
      expect(previews.map(({ destination, channel }) => [destination, channel])).to.deep.equal([
        ['slack:#ops', 'slack'],
        ['email:ops@example.com', 'email'],
      ]);
      expect(previews.map(({ message }) => Object.keys(message).sort())).to.deep.equal([
        ['blocks', 'text'],
        ['html', 'subject', 'text'],
      ]);
    });

    it('shows as JSON the body of a webhook as it is sent, each number as it came', async () => {
      writeFileSync(config, telling("{ type: webhook, hooks: { h: { url: 'https://example.com' } } }", 'h'));
      const stdin = readFileSync(ERROR, 'utf8').replace(/"code":/, '"output":{"b":1.10,"1":2},"code":');
      const args = ['preview', '-', '--config', config, '--format', 'json'];
      const { stdout } = await runCommand(args, { stdin });
      expect(stdout.replaceAll(/\s/g, '')).to.include('"output":{"b":1.10,"1":2}');
    });

    it('hides of a hook’s own body what the config keeps secret, whatever the format', async () => {
      const hook = "{ url: 'https://example.com', body: { routing_key: '${KEY}', to: mended } }";
      writeFileSync(config, telling(`{ type: webhook, hooks: { h: ${hook} } }`, 'h'));
      for (const format of ['text', 'json', 'html']) {
        const args = ['preview', ERROR, '--config', config, '--format', format];
        const { stdout } = await runCommand(args, { variables: { KEY: 'key-"of"-pagerduty' } });
        expect(stdout, format).to.include('[secret]').and.include('mended').and.not.include('pagerduty');
      }
    });

    it('shows with --format html each in a frame that may run nothing, as light or dark as its reader’s system', async () => {
      writeFileSync(config, `display: { language: ja }\n${readFileSync(config, 'utf8')}`);
      const { stdout } = await run('preview', ERROR, '--format', 'html');
      expect(stdout).to.include('<html lang="ja">').and.to.include('<h1>Botbellのプレビュー</h1>');
      const frames = [
        ...stdout.matchAll(
          /<iframe sandbox="([^"]*)" title="(?:slack:#ops|email:[^"]*)" [^>]*srcdoc="([^"]*)">/g,
        ),
      ];
      expect(frames).to.have.length(2);
      for (const [, sandbox, document] of frames) {
        expect(sandbox).to.equal('allow-popups allow-popups-to-escape-sandbox');
        expect(document).to.contain('&lt;base target=&quot;_blank&quot;&gt;');
        expect(document).to.contain(
          '&lt;meta name=&quot;color-scheme&quot; content=&quot;light dark&quot;&gt;',
        );
      }
    });

    it('shows one destination with --to, even one that no route reaches', async () => {
      const routed = await run('preview', ERROR, '--to', 'slack:ops');
      expect(routed.stdout).to.include('slack:#ops').and.to.not.include('email:');
      const other = await run('preview', ERROR, '--to', 'slack:#else');
      expect([other.code, other.stderr.includes('no route')]).to.deep.equal([0, true]);
    });
  });

  it('says of route and preview what is not in the answer without variables, and asks for no secret', async () => {
    const secret = telling("{ type: slack, token: '${TOKEN}' }", '#x');
    writeFileSync(config, secret);
    expect((await run('route', ERROR)).stderr).to.equal('');
    writeFileSync(config, secret.replace('#x', '${ROOM}${ROOM}'));
    for (const command of ['route', 'preview'])
      expect((await run(command, ERROR)).stderr).to.match(/^not set here, and so not in the answer: ROOM$/m);
  });

  it('refuses to serve by a config that is wrong, and says where', async () => {
    writeFileSync(config, CONFIG.replace('outbox, as: slack', 'outbux, as: slack'));
    const { code, stderr } = await run('serve');
    expect(code).to.equal(1);
    expect(stderr).to.match(/botbell\.yaml:\d+:\d+: .*one of slack, email, .*outbox/);
  });

  it('demo shows in the language of the terminal what people are told, a partial failure, and the retry that heals it, and leaves nothing behind', async () => {
    // Where nobody else's demo runs meanwhile.
    const { TMPDIR: before = '/tmp' } = process.env;
    process.env['TMPDIR'] = folder;
    const { code, stdout } = await runCommand(['demo'], { variables: JAPANESE, untilStopped: never });
    process.env['TMPDIR'] = before;
    expect(code).to.equal(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('botbell-demo-'))).to.deep.equal([]);
    expect(stdout, 'nothing that acts, nor English').not.to.match(/\\u00|answered|Started|Running/);
    expect(stdout).to.match(
      /応答 502 failed：slack:#bot-alerts delivered; email:ops@example.com pending[^]*応答 200 delivered/,
    );
    expect(stdout).to.include('請求書取込BOT がエラーになりました').and.include('--stay をつけて');
  });

  it('demo shows with --stay what people are told of what one posts, in the language that it is told', async () => {
    let said = '';
    const { code } = await runCommand(['demo', '--stay', '--lang', 'en'], {
      variables: { ...JAPANESE, DEMO_PORT: '0', DEMO_ADMIN_PORT: '0' },
      onResult: (text) => (said += `${text}\n`),
      untilStopped: async () => {
        await until('it serves', () => said.includes('Serving'));
        expect(said).not.to.match(/\p{Script=Hiragana}|\p{Script=Han}/u);
        const [url = ''] = /http\S+\/callbacks$/m.exec(said) ?? [];
        const headers = { 'content-type': 'application/json' };
        // Before the POST: what is told of it may be printed before its answer is read.
        said = '';
        const answer = await fetch(url, { method: 'POST', headers, body: readFileSync(ERROR) });
        expect(await answer.json()).to.include({ result: 'delivered' });
        await until('the mail is shown', () => said.includes('email:ops@example.com'));
      },
    });
    expect(code).to.equal(0);
    expect(said).to.match(/slack:#bot-alerts\n.*@here[^]*email:ops@example.com\n.*Invoice import failed/);
  });

  it('says of why which variable the ledger needs, and what is wrong with a config', async () => {
    writeFileSync(config, `store: { url: '\${DATABASE_URL}' }\n${CONFIG}`);
    const unset = await run('why', 'job-1');
    expect(unset.code).to.equal(1);
    expect(unset.stderr).to.match(/there is no ledger yet at .*store\.url is not set here/);
    writeFileSync(config, CONFIG.replace('routes:', 'rutes:'));
    const wrong = await run('why', 'job-1');
    expect(`${wrong.code} ${wrong.stderr}`).to.match(/^1 .*botbell\.yaml:\d+:\d+: .*rutes/);
  });
});
