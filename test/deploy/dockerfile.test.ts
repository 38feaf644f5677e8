/** deploy/container/Dockerfile: linted, and what it says done step by step, since no engine runs here. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { arrivalOf, delivered, idsOf, settlementOf, target } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { stagesOf } from '../support/dockerfile.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { nodeArgumentsOfStart } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { replaceEach } from '../support/replace-each.ts';
import { commandOf, type ScratchContainer, startContainer } from '../support/scratch-container.ts';
import { buildImage, canMount, type ScratchImage } from '../support/scratch-image.ts';
import { timedRequest } from '../support/timed-request.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCKERFILE = join(ROOT, 'deploy/container/Dockerfile');
const TEXT = readFileSync(DOCKERFILE, 'utf8');
const CONFIG = readFileSync(join(ROOT, 'deploy/container/config/botbell.yaml'), 'utf8');

const SECRETS = { callback_token: 'CONTAINER-CALLBACK-SECRET', admin_password: 'CONTAINER-ADMIN-SECRET' };

describe('The Dockerfile', () => {
  const stages = stagesOf(TEXT);
  const last = stages.at(-1);

  it('has nothing that a linter knows better', () => {
    const problems = validate(TEXT, {}).map(({ range, message }) => ({
      line: range.start.line + 1,
      message,
    }));
    expect(problems).to.deep.equal([]);
  });

  if (isInstalled('hadolint', 'the Dockerfile by it')) {
    it('has nothing that hadolint knows better', () => {
      expect(spawnSync('hadolint', [DOCKERFILE], { encoding: 'utf8' }).stdout).to.equal('');
    });
  }

  it('builds and runs on one Node, which the package supports', () => {
    const [image] = DockerfileParser.parse(TEXT).getInitialARGs();
    const { name, value } = {
      name: image?.getProperty()?.getName(),
      value: image?.getProperty()?.getValue(),
    };
    expect(stages.map(({ base }) => base)).to.deep.equal(stages.map(() => `\${${name}}`));
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [, version = ''] = /^node:(\d+)-/.exec(value ?? '') ?? [];
    expect(Number(version)).to.be.at.least(Number.parseInt(engines.node.replace('>=', ''), 10));
  });

  it('gives V8 what `npm start` gives it', () => {
    const entry = last?.steps.find(({ kind }) => kind === 'entrypoint');
    expect(entry).to.have.deep.property('command', ['node', ...nodeArgumentsOfStart(), '/app/dist/main.js']);
  });

  it('installs without install scripts, and for production what production needs', () => {
    const installs = stages
      .flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'run' ? step.command : [])))
      .filter((command) => command.includes('npm ci'));
    expect(installs).to.have.length(2);
    for (const command of installs) expect(command).to.include('--ignore-scripts');
    expect(installs[1]).to.include('--omit=dev');
  });
});

if (canMount()) {
  describe('The image that the Dockerfile describes', () => {
    let folder: string;
    let image: ScratchImage;
    let container: ScratchContainer;
    let ports: Readonly<Record<'receiver' | 'admin', number>>;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'botbell-image-'));
      chmodSync(folder, 0o755);
      ports = { receiver: await freePort(), admin: await freePort() };
      image = buildImage({ dockerfile: DOCKERFILE, context: ROOT, folder: join(folder, 'stages') });
      const mounts = mountsIn(folder, image.volumes, ports);
      await fillLedger(join(folder, 'mounts/var/lib/botbell/data'));
      container = await startContainer(image, {
        mounts,
        variables: { BOTBELL_HEALTH_URL: `http://127.0.0.1:${ports.receiver}/healthz` },
      });
      await until('it listens', () => container.log().includes('"listening"'));
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    const post = (name: string) =>
      timedRequest({
        port: ports.receiver,
        path: `/callbacks/${SECRETS.callback_token}`,
        body: readFileSync(join(ROOT, 'config/samples', name)),
      });

    it('has node as its first process, which gets the signals, and is nobody who may do anything', () => {
      expect(commandOf(container.pid)).to.deep.equal([...image.entrypoint, ...image.cmd]);
      const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
      expect(status).to.match(/^NSpid:\t\d+\t1$/m);
      expect(status)
        .to.match(/^Uid:(\t1000){4}$/m)
        .and.to.match(/^Gid:(\t1000){4}$/m);
      expect(status)
        .to.match(/^Cap(Prm|Eff|Bnd):\t0+$/m)
        .and.to.match(/^NoNewPrivs:\t1$/m);
    });

    it('works with everything read-only but its volume, and secrets from files', async () => {
      const { status, body } = await post('error.json');
      expect(status, body).to.equal(200);
      expect(container.exec('sh', '-c', 'touch /app/x /tmp/x /etc/x').status).not.to.equal(0);
      expect(readdirSync(join(folder, 'mounts/var/lib/botbell/data'))).to.include('botbell.db');
      for (const secret of Object.values(SECRETS)) expect(container.log()).not.to.include(secret);
    });

    it('changes much of the ledger at once, though there is no folder for temporary files', () => {
      const done = container.exec('botbell', 'redeliver', '--dead', '--dismiss', '--yes');
      expect(done.output).to.include(`${DEAD_LETTERS}`).and.not.to.include('error');
      expect(done.status).to.equal(0);
    });

    it('answers `docker exec`: botbell is a command in it, and takes the same config', () => {
      const why = container.exec('botbell', 'why', '7d3e0a90-3a5e-4c1f-8a0e-6f2a6b1c9e02');
      expect(why).to.include({ status: 0 });
      expect(why.output).to.include('slack:#bot-alerts was told');
      expect(container.exec('botbell', 'check').output).to.match(/botbell\.yaml: ok\n$/);
    });

    it('is healthy while it serves', () => {
      expect(container.exec(...image.healthcheck)).to.deep.equal({ status: 0, output: '' });
    });

    it('holds what production needs, and nothing that only builds', () => {
      const has = (path: string) => existsSync(join(image.root, 'app', path));
      expect(
        ['dist/main.js', 'templates/en/slack/error.yaml', 'config/samples/error.json'].filter(
          (path) => !has(path),
        ),
      ).to.deep.equal([]);
      const useless = [
        'src',
        'test',
        'node_modules/esbuild',
        'node_modules/mocha',
        'node_modules/@photostructure/sqlite/src',
      ];
      expect(useless.filter(has)).to.deep.equal([]);
    });

    it('stops on SIGTERM with exit code 0, and is then unhealthy', async () => {
      container.kill('SIGTERM');
      expect(await container.exited()).to.equal(0);
      expect(container.log()).to.include('"stopped"');
      expect(container.exec(...image.healthcheck)).to.include({ status: 1 });
    });
  });
}

/** With long errors, a step of them is more than SQLite keeps in memory by itself to undo it. */
const DEAD_LETTERS = 300;

async function fillLedger(data: string): Promise<void> {
  const clock = systemClock;
  const options = { clock, owner: 'before', leaseMs: 1000, takeOverAfterMs: 1000 };
  const ledger = await openLedger(`sqlite:${join(data, 'botbell.db')}`, options);
  const arrivals = Array.from({ length: DEAD_LETTERS }, (_, index) =>
    ledger.admit(arrivalOf(callbackWith({ job_id: `before-${index}` }), [target('slack:#old')], clock.now())),
  );
  const ids = (await Promise.all(arrivals)).flatMap((admission) => idsOf(admission));
  const lastError = { class: 'permanent', code: 'x', message: 'x'.repeat(900) } as const;
  const dead = ids.map((id) => ({ ...delivered(id), state: 'dead' as const, receipt: undefined, lastError }));
  await ledger.settle(settlementOf(dead));
  await ledger.close();
  for (const name of readdirSync(data)) chownSync(join(data, name), 1000, 1000);
}

/** A config and secrets to read, and its volumes to write to, which belong to its account as Docker would have it. */
function mountsIn(
  folder: string,
  volumes: readonly string[],
  ports: Readonly<Record<'receiver' | 'admin', number>>,
): Record<string, string> {
  const at = (path: string) => {
    mkdirSync(join(folder, 'mounts', path), { recursive: true });
    return join(folder, 'mounts', path);
  };
  writeFileSync(join(at('/etc/botbell'), 'botbell.yaml'), shippedConfig(ports));
  for (const [name, secret] of Object.entries(SECRETS)) writeFileSync(join(at('/run/secrets'), name), secret);
  for (const path of volumes) chownSync(at(path), 1000, 1000);
  return Object.fromEntries(['/etc/botbell', '/run/secrets', ...volumes].map((path) => [at(path), path]));
}

/** With a ledger in the volume, and nobody told. */
function shippedConfig({ receiver, admin }: Readonly<Record<'receiver' | 'admin', number>>): string {
  return replaceEach(CONFIG, {
    '0.0.0.0:8080': `127.0.0.1:${receiver}`,
    '0.0.0.0:8081': `127.0.0.1:${admin}`,
    'postgres://botbell:${file:/run/secrets/postgres_password}@postgres/botbell': 'sqlite:data/botbell.db',
    "{ type: slack, token: '${file:/run/secrets/slack_token}' }": '{ type: outbox, as: slack }',
  });
}
