/** The command line as a user sees it: what each command prints, where, and how it exits. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { startSlackStandIn } from '../support/faulty-slack.ts';
import { runCommand } from '../support/command.ts';
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

const ERROR = 'config/samples/error.json';

const never = () => new Promise<void>(() => undefined);

const demoFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('botbell-demo-'));

describe('The command line', () => {
  let folder: string;
  let config: string;

  beforeEach(() => {
    folder = tempFolder();
    config = join(folder, 'botbell.yaml');
    writeFileSync(config, CONFIG);
  });

  describe('in general', () => {
    it('exits 2 on wrong usage and says what is wrong on stderr', async () => {
      for (const args of [
        ['chek'],
        ['serve', 'chek'],
        ['check', '--nope'],
        ['route'],
        ['route', ERROR, '--at', '12:00'],
        ['preview', ERROR, '--format', 'pdf'],
        ['backup'],
        ['demo', '--config', config],
        ['--config', config, 'demo'],
        ['schema', '--config', config],
        ['demo', 'extra'],
        ['serve', '--log-level', 'loud'],
        ['why', '--config', config],
        ['why', 'job-1', '--bot', 'b', '--config', config],
        ['why', 'job-1', '--last', '0', '--config', config],
        ['redeliver', '--config', config],
        ['redeliver', 'one', '--config', config],
        ['redeliver', '0', '--config', config],
        ['redeliver', '1', '--dead', '--config', config],
        ['redeliver', '--dead', '--route', 'j', '--config', config],
        ['redeliver', '1', '--since', '2d', '--config', config],
        ['redeliver', '1', '--destination', 'slack:#ops', '--config', config],
        ['redeliver', '--dead', '--since', 'long', '--config', config],
        ['redeliver', '--dead', '--again', '--config', config],
        ['redeliver', '1', '--again', '--dismiss', '--config', config],
        ['redeliver', '--route', 'j', '--dismiss', '--config', config],
        ['snooze', '--config', config],
        ['snooze', 'b', '--config', config],
        ['snooze', '', '--until', 'tomorrow', '--config', config],
        ['snooze', '--until', 'tomorrow', '--config', config],
        ['snooze', 'b', '--until', 'soon', '--config', config],
        ['snooze', 'b', '--until', '2026-02-30T09:00', '--config', config],
        ['snooze', '--to', 'slack:#ops', '--until', 'next-success', '--config', config],
        ['snooze', 'b', '--list', '--config', config],
        ['snooze', '--list', '--end', '1', '--config', config],
        ['snooze', '--end', 'one', '--config', config],
        ['snooze', '--end', '1', '--until', 'tomorrow', '--config', config],
      ]) {
        const { code, stdout, stderr } = await runCommand(args);
        expect(code, args.join(' ')).to.equal(2);
        expect(stdout).to.equal('');
        expect(stderr).to.match(/error/i);
      }
    });

    it('asks whoever misspells a command which one was meant', async () => {
      const { code, stderr } = await runCommand(['chekc', '--config', config]);
      expect([code, stderr]).to.deep.equal([2, `error: there is no command 'chekc'; did you mean "check"?`]);
    });

    it('prints help and version for every command and exits 0', async () => {
      for (const command of [
        'serve',
        'check',
        'route',
        'preview',
        'why',
        'redeliver',
        'snooze',
        'send',
        'test',
        'backup',
        'demo',
        'init',
        'schema',
      ]) {
        const help = await runCommand([command, '--help']);
        expect([help.code, help.stdout]).to.deep.equal([0, help.stdout]);
        expect(help.stdout).to.include(`botbell ${command}`).and.to.include('--version');
        expect((await runCommand([command, '--version'])).stdout).to.match(/^\d+\.\d+\.\d+$/);
      }
    });

    it('takes the config from --config, then from BOTBELL_CONFIG', async () => {
      expect((await runCommand(['check', '--config', config])).code).to.equal(0);
      expect((await runCommand(['--config', config, 'check'])).code).to.equal(0);
      expect((await runCommand(['check'], { variables: { BOTBELL_CONFIG: config } })).stdout).to.include(
        config,
      );
    });

    it('says which file is missing', async () => {
      const { code, stdout } = await runCommand(['check', '--config', join(folder, 'none.yaml')]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/none\.yaml:1:1: .*cannot be read/);
    });
  });

  describe('check', () => {
    it('is clean for the configs that come with the program', async () => {
      expect((await runCommand(['check'])).code).to.equal(0);
    });

    it('prints each problem with file, line and column, and exits 1', async () => {
      writeFileSync(config, CONFIG.replace("notify: [{ slack: '#rest' }]", "notfy: [{ slack: '#rest' }]"));
      const { code, stdout } = await runCommand(['check', '--config', config]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/botbell\.yaml:\d+:\d+: .*notfy.*notify/);
    });

    it('prints what it found so that it forges no finding and moves no terminal', async () => {
      writeFileSync(config, `${CONFIG}\n"\\e[2Jbotbell.yaml:1:1: ok\\nbotbell.yaml: ok\\x9b\\L": 1\n`);
      const { code, stdout } = await runCommand(['check', '--config', config]);
      expect(code).to.equal(1);
      expect(stdout.split('\n')).to.have.length(1);
      expect(stdout).to.include('\\u001b[2Jbotbell.yaml:1:1: ok\\nbotbell.yaml: ok\\u009b\\u2028');
    });

    it('lets warnings pass unless --strict', async () => {
      writeFileSync(config, `${CONFIG}\nreceiver: { token: short }\n`);
      expect((await runCommand(['check', '--config', config])).code).to.equal(0);
      const strict = await runCommand(['check', '--config', config, '--strict']);
      expect([strict.code, strict.stdout.includes('warning')]).to.deep.equal([1, true]);
    });

    it('checks where no variable is set with --without-secrets, and says which were taken for granted', async () => {
      writeFileSync(
        config,
        `receiver: { listen: 0.0.0.0:8080, token: '\${CALLBACK_TOKEN:-}', max_in_flight: '\${MOST}' }
admin: { listen: 0.0.0.0:8081, password: '\${ADMIN_PASSWORD:-}' }
store: { url: '\${STORE_URL}' }
channels:
  slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' }
  email: { type: email, smtp: '\${file:/run/secrets/smtp}', from: '\${FROM:-bot@example.com}' }
routes:
  - bot_id: ['\${BOT}', b]
    notify: [{ slack: '\${ROOM}' }, { email: ops@example.com }]
`,
      );
      const names =
        'CALLBACK_TOKEN, MOST, ADMIN_PASSWORD, STORE_URL, SLACK_BOT_TOKEN, file:/run/secrets/smtp, BOT, ROOM';
      const lenient = await runCommand(['check', '--without-secrets', '--strict', '--config', config]);
      expect(lenient).to.deep.equal({
        code: 0,
        stdout: `${config}: ok`,
        stderr: `not set here, and so not checked: ${names}`,
      });
      expect((await runCommand(['check', '--config', config])).code).to.equal(1);
    });

    it('finds with --without-secrets all that does not depend on them', async () => {
      const templates = join(folder, 'templates', 'en', 'slack');
      mkdirSync(templates, { recursive: true });
      writeFileSync(join(templates, 'error.yaml'), "text: '{{ bot_nmae }}'\n");
      const text = (statuses: string) =>
        `templates: ${join(folder, 'templates')}
channels: { slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' } }
default_route: { on: ${statuses}, notify: [{ slack: ops@example.com }, { slack: '\${OPEN' }] }
`;
      writeFileSync(config, text('[eror]'));
      const wrong = await runCommand(['check', '--without-secrets', '--config', config]);
      expect(wrong.code).to.equal(1);
      expect(wrong.stdout.split('\n').map((line) => line.slice(config.length))).to.deep.equal([
        ':3:23: default_route.on[0] must be "succeeded", "error", "executing" or "recovered"; did you mean "error"?',
        ':3:41: default_route.notify[0].slack: "ops@example.com" is no Slack address: write a channel as "#name" (80 characters at most, no spaces or punctuation) or by its ID (C…) without the "#", a person by a user ID (U…)',
        ':3:69: a ${ is not closed by }: write $${ for a literal ${',
      ]);
      writeFileSync(config, text('[error]').replace(/ops@example.com.*OPEN/, "'#ops"));
      const templated = await runCommand(['check', '--without-secrets', '--config', config]);
      expect(templated.stdout).to.match(/error\.yaml:1:\d+: .*bot_nmae.*bot_name/);
    });

    it('does not ask anybody online without secrets', async () => {
      const { code, stderr } = await runCommand([
        'check',
        '--without-secrets',
        '--online',
        '--config',
        config,
      ]);
      expect(code).to.equal(2);
      expect(stderr).to.include('--without-secrets').and.to.include('--online');
    });

    it('tells all that is wrong in the order of the lines, file by file', async () => {
      const templates = join(folder, 'templates', 'en', 'slack');
      mkdirSync(templates, { recursive: true });
      writeFileSync(
        join(templates, 'error.yaml'),
        "text: '{{ job_idd }}'\nblocks:\n  - type: section\n    text: { type: mrkdwn, text: '{{ a | nope }} {{ botid }}' }\n  - type: nonsense\n",
      );
      writeFileSync(
        config,
        `${CONFIG}\ntemplates: ${join(folder, 'templates')}\nreceiver: { token: short, answer_within: 40s }\n`,
      );
      const { stdout } = await runCommand(['check', '--config', config]);
      const places = [...stdout.matchAll(/^(\S+?):(\d+):(\d+): /gm)].map(([, file = '', line, column]) => [
        file.endsWith('error.yaml'),
        Number(line),
        Number(column),
      ]);
      expect(places.length).to.be.greaterThan(3);
      const key = ([isTemplate, line, column]: (number | boolean)[]) =>
        Number(isTemplate) * 1e6 + Number(line) * 1e3 + Number(column);
      expect(places.map(key)).to.deep.equal(places.map(key).toSorted((a, b) => a - b));
    });

    it('asks Slack with --online, and shows no token when it refuses the credentials', async () => {
      const slack = await startSlackStandIn({ tokens: ['xoxb-right'], channels: [] });
      const online = (token: string) =>
        writeFileSync(
          config,
          `channels: { slack: { type: slack, token: ${token}, api_url: '${slack.apiUrl}' } }\ndefault_route: { notify: [{ slack: '#x' }] }\n`,
        );
      online('xoxb-right');
      expect((await runCommand(['check', '--online', '--config', config])).code).to.equal(0);
      online('xoxb-wrong');
      const wrong = await runCommand(['check', '--online', '--config', config]);
      await slack.close();
      expect(wrong.code).to.equal(1);
      expect(wrong.stdout + wrong.stderr).to.not.include('xoxb-wrong');
    });

    it('looks at the store with --online, creates nothing, and shows no password', async () => {
      const withStore = (url: string) =>
        writeFileSync(
          config,
          `store: { url: '${url}' }\nchannels: { box: { type: outbox, as: slack } }\ndefault_route: { notify: [{ box: '#x' }] }\n`,
        );
      withStore(`sqlite:${join(folder, 'data/botbell.db')}`);
      const fresh = await runCommand(['check', '--online', '--config', config]);
      expect([fresh.code, existsSync(join(folder, 'data'))]).to.deep.equal([0, false]);
      expect(fresh.stdout).to.contain('store: can be used; `serve` makes a new ledger there');
      withStore('postgres://u:s3cret@127.0.0.1:1/botbell');
      const wrong = await runCommand(['check', '--online', '--config', config]);
      expect(wrong.code).to.equal(1);
      expect(wrong.stdout).to.match(/store: cannot be used: .*ECONNREFUSED/);
      expect(wrong.stdout + wrong.stderr).to.not.include('s3cret');
    });
  });

  describe('route', () => {
    it('says which routes match, whom they reach, and why the others do not', async () => {
      const { code, stdout } = await runCommand(['route', ERROR, '--config', config]);
      expect(code).to.equal(0);
      expect(stdout.split('\n').map((line) => line.trim())).to.deep.equal([
        'bot_id "invoice-import", error',
        '· routes[0]: The route for get_items does not match this BOT’s id.',
        '✓ routes[1]: The route for invoice-* applies: it tells slack:#ops and email:ops@example.com.',
        '· default_route: A route names this BOT, so the default route is not needed.',
        'reaches 2:',
        'slack:#ops (routes[1])',
        'email:ops@example.com (routes[1])',
      ]);
    });

    it('reads standard input, and exits 1 on what is no callback', async () => {
      const { code, stderr } = await runCommand(['route', '-', '--config', config], {
        stdin: '{"status": 3}',
      });
      expect(code).to.equal(1);
      expect(stderr).to.include('/status').and.to.include('/job_id');
    });
  });

  describe('preview', () => {
    it('shows each destination its message, and nothing but that on stdout as JSON', async () => {
      const { code, stdout } = await runCommand(['preview', ERROR, '--format', 'json', '--config', config]);
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

    it('shows one destination with --to, even one that no route reaches', async () => {
      const routed = await runCommand(['preview', ERROR, '--to', 'slack:ops', '--config', config]);
      expect(routed.stdout).to.include('slack:#ops').and.to.not.include('email:');
      const other = await runCommand(['preview', ERROR, '--to', 'slack:#else', '--config', config]);
      expect([other.code, other.stderr.includes('no route')]).to.deep.equal([0, true]);
      const unknown = await runCommand(['preview', ERROR, '--to', 'teams:#x', '--config', config]);
      expect([unknown.code, unknown.stderr.includes('slack, email')]).to.deep.equal([2, true]);
    });

    it('writes a page that loads nothing and runs nothing', async () => {
      const { stdout } = await runCommand([
        'preview',
        'test/fixtures/callbacks/hostile.json',
        '--format',
        'html',
        '--config',
        config,
      ]);
      expect(stdout).to.match(/^<!doctype html>/);
      expect(stdout).to.not.match(/<(script|img|link)|<iframe[^>]* src=/i);
    });
  });

  describe('schema', () => {
    it('prints the JSON Schema of the config', async () => {
      const { code, stdout } = await runCommand(['schema']);
      const schema = JSON.parse(stdout) as { properties: Record<string, unknown> };
      expect(code).to.equal(0);
      expect(Object.keys(schema.properties)).to.include.members(['receiver', 'channels', 'routes']);
    });
  });

  describe('serve', () => {
    it('refuses to start on a config that is wrong, and says where', async () => {
      writeFileSync(config, CONFIG.replace('outbox, as: slack', 'outbux, as: slack'));
      const { code, stderr } = await runCommand(['serve', '--config', config]);
      expect(code).to.equal(1);
      expect(stderr).to.match(/botbell\.yaml:\d+:\d+: .*one of slack, email, .*outbox/);
    });
  });

  describe('demo', () => {
    it('shows what people are told, a partial failure, and the retry that heals it', async () => {
      const { code, stdout } = await runCommand(['demo'], { untilStopped: never });
      expect(stdout, 'nothing that acts is shown').not.to.match(/\\u00/);
      expect(code).to.equal(0);
      expect(stdout).to.match(
        /answered 502 failed: slack:#bot-alerts delivered; email:ops@example.com pending/,
      );
      expect(stdout).to.include('answered 200 delivered');
      expect(stdout).to.include('To see these messages on a page').and.to.include('--stay');
    });

    it('shows with --stay what people are told of what one posts, its own samples included', async () => {
      let said = '';
      const { code } = await runCommand(['demo', '--stay'], {
        variables: { DEMO_PORT: '0', DEMO_ADMIN_PORT: '0' },
        onResult: (text) => (said += `${text}\n`),
        untilStopped: async () => {
          while (!said.includes('Serving')) await nextTurn();
          const [url = ''] = /http\S+\/callbacks$/m.exec(said) ?? [];
          const headers = { 'content-type': 'application/json' };
          // Before the POST: what is told of it may be printed before its answer is read.
          said = '';
          const answer = await fetch(url, { method: 'POST', headers, body: readFileSync(ERROR) });
          expect(await answer.json()).to.include({ result: 'delivered' });
          while (!said.includes('email:ops@example.com')) await nextTurn();
        },
      });
      expect(code).to.equal(0);
      expect(said).to.match(/slack:#bot-alerts\n.*@here[^]*email:ops@example.com\n.*請求書取込BOT failed/);
    });

    it('takes no other config, whose channels may reach real people', async () => {
      const { code, stdout, stderr } = await runCommand(['demo', '--config', config]);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.match(/unknown option '--config': demo reads no config of yours/);
    });

    it('leaves nothing behind, whether it comes to its end or is stopped', async () => {
      // Where nobody else's demo runs meanwhile.
      const { TMPDIR: before } = process.env;
      process.env['TMPDIR'] = folder;
      await runCommand(['demo'], { untilStopped: never });
      expect(demoFolders()).to.deep.equal([]);
      let said = '';
      const { code } = await runCommand(['demo'], {
        onResult: (text) => (said += text),
        untilStopped: async () => {
          while (!said.includes('1. ')) await nextTurn();
        },
      });
      expect([code, said.includes('5. ')], 'it was stopped before its end').to.deep.equal([0, false]);
      expect(demoFolders()).to.deep.equal([]);
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
  });

  describe('why', () => {
    const settings = (url: string) => `
store: { url: '${url}' }
channels:
  slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' }
routes: [{ bot_id: '*', notify: [{ slack: '#ops' }] }]
`;

    it('needs no secret of the service, and says that there is no ledger yet', async () => {
      writeFileSync(config, settings(`sqlite:${folder}/none.db`));
      const { code, stdout, stderr } = await runCommand(['why', 'job-1', '--config', config]);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^there is no ledger yet at store\.url: .*none\.db\)$/);
    });

    it('says which variable the ledger needs, and what is wrong with a config', async () => {
      writeFileSync(config, settings('${DATABASE_URL}'));
      const unset = await runCommand(['why', 'job-1', '--config', config]);
      expect(unset.code).to.equal(1);
      expect(unset.stderr).to.match(/there is no ledger yet at .*store\.url is not set here/);
      writeFileSync(config, settings('sqlite:x').replace('routes:', 'rutes:'));
      const wrong = await runCommand(['why', 'job-1', '--config', config]);
      expect(wrong.code).to.equal(1);
      expect(wrong.stderr).to.match(/botbell\.yaml:\d+:\d+: .*rutes/);
    });
  });
});
