/** The files in deploy/ agree with each other and with the program, and its config is taken by `check`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema.ts';
import { parseDuration, parseSize } from '../../src/time/display.ts';
import { runCommand } from '../support/command.ts';
import { isInstalled } from '../support/installed.ts';
import { replaceEach } from '../support/replace-each.ts';
import { IS_FULL } from '../support/test-size.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const CONFIG = join(DEPLOY, 'config/botbell.yaml');

const textOf = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
/** The first value that follows these words. */
const valueIn = (file: string, words: RegExp) =>
  new RegExp(`${words.source}(\\S+)`).exec(textOf(file))?.[1] ?? '';

const config = textOf('config/botbell.yaml');
const ports = [...config.matchAll(/listen: 0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));
const variables = [...config.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);

/** The config leaves both at their defaults. */
const { answerWithinMs, maxBodyBytes } = receiverOf(receiverSchema.getDefault());
const LEAST_PATIENCE_MS = answerWithinMs + 1000;

describe('The config in deploy/', () => {
  it('is taken by `check`, without a warning, and holds no secret', async () => {
    const { code, stdout } = await runCommand(['check', '--without-secrets', '--strict', '--config', CONFIG]);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: `${CONFIG}: ok` });
    expect(config).not.to.match(/answer_within|max_body/);
    for (const [, value] of config.matchAll(/(?:token|password|url): *([^\s}]+)/g))
      expect(value).to.match(/^'\$\{\w+/);
  });

  it('takes from the environment what the guide has the reader write', () => {
    const guide = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
    for (const name of variables) expect(guide).to.include(`${name}=`);
  });
});

describe('The proxies in deploy/', () => {
  for (const file of ['Caddyfile', 'nginx.conf'])
    it(`wait longer than Botbell takes, and let pass more than it takes: ${file}`, () => {
      const wait = valueIn(file, /(?:proxy_read_timeout|response_header_timeout) /).replace(';', '');
      expect(parseDuration(wait)).to.be.at.least(LEAST_PATIENCE_MS);
      const size = Number.parseInt(valueIn(file, /(?:client_max_body_size|max_size) /), 10);
      expect(parseSize(`${size}mb`)).to.be.greaterThan(maxBodyBytes);
    });
});

describe('The image', () => {
  it('is made of what there is, and starts node itself, as an account without rights', () => {
    const text = textOf('Dockerfile');
    const copies = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    expect(copies).to.include('package-lock.json');
    expect(copies.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
    const [, entrypoint = ''] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
    expect(JSON.parse(entrypoint)).to.deep.equal(['node', '/app/dist/main.js']);
    expect(text).to.match(/^USER 1000:1000$/m);
    const [, exposed = ''] = /^EXPOSE (.+)$/m.exec(text) ?? [];
    expect(exposed.split(' ').map(Number)).to.deep.equal(ports);
  });

  it('stands on a base that nobody can exchange, and says where it comes from', () => {
    const text = textOf('Dockerfile');
    expect(text).to.match(/^ARG NODE_IMAGE=node:\d+-\S+@sha256:[0-9a-f]{64}$/m);
    expect(
      text.match(/^FROM (?:--platform=\S+ )?(\S+)/gm)?.filter((from) => !from.endsWith('${NODE_IMAGE}')),
    ).to.deep.equal([]);
    for (const label of ['source', 'version', 'revision', 'licenses'])
      expect(text).to.match(new RegExp(`org\\.opencontainers\\.image\\.${label}="\\S+"`));
  });

  it('is built, given its secrets and left time to end by the compose file', () => {
    const { services } = parse(textOf('compose.yaml')) as {
      services: Record<'botbell' | 'proxy', Readonly<Record<string, unknown>>>;
    };
    expect(services.botbell).to.deep.include({
      build: { context: '..', dockerfile: 'deploy/Dockerfile' },
      env_file: '.env',
    });
    expect(services.proxy['environment']).to.deep.include({
      RECEIVER: `botbell:${ports[0]}`,
      ADMIN: `botbell:${ports[1]}`,
    });
    for (const { stop_grace_period } of [services.botbell, services.proxy])
      expect(parseDuration(String(stop_grace_period))).to.be.at.least(LEAST_PATIENCE_MS);
  });
});

describe('The Kubernetes manifest', () => {
  interface Manifest {
    readonly kind: string;
    readonly spec: {
      readonly ports: readonly { readonly targetPort: string }[];
      readonly template: { spec: Pod };
    };
  }
  interface Pod {
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [Container];
  }
  interface Container {
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
    readonly [probe: `${string}Probe`]: { readonly httpGet: object };
  }

  const manifests = parseAllDocuments(textOf('kubernetes.yaml')).map((each) => each.toJS() as Manifest);
  const specOf = (kind: string) => manifests.find((each) => each.kind === kind)?.spec ?? expect.fail(kind);
  const pod = specOf('Deployment').template.spec;
  const [container] = pod.containers;

  it('names the ports on which the config listens, finds them by its service, and asks the admin listener how it is', () => {
    expect(container.ports.map(({ containerPort }) => containerPort)).to.deep.equal(ports);
    const names = container.ports.map(({ name }) => name);
    expect(specOf('Service').ports.map(({ targetPort }) => targetPort)).to.deep.equal(names);
    for (const [probe, path] of [
      ['startupProbe', '/healthz'],
      ['livenessProbe', '/healthz'],
      ['readinessProbe', '/readyz'],
    ] as const)
      expect(container[probe]?.httpGet).to.deep.equal({ path, port: 'admin' });
  });

  it('lets a pod finish what it is sending', () => {
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    expect(pod.terminationGracePeriodSeconds * 1000).to.be.at.least(pause * 1000 + LEAST_PATIENCE_MS);
  });
});

describe('The systemd unit', () => {
  const UNIT = textOf('botbell.service');

  it('starts node itself, and lets it finish what it is sending', () => {
    const main = '/opt/botbell/node_modules/botbell/dist/main.js';
    expect(UNIT).to.include(`\nExecStart=/usr/bin/node ${main} serve\n`);
    expect(parseDuration(valueIn('botbell.service', /TimeoutStopSec=/))).to.be.at.least(LEAST_PATIENCE_MS);
  });

  if (IS_FULL && isInstalled('systemd-analyze', 'the unit'))
    it('is well-formed, and exposes at most 1.2 of 10, by systemd', () => {
      const folder = tempFolder();
      const file = join(folder, 'botbell.service');
      // What it starts has to be there.
      writeFileSync(file, replaceEach(UNIT, { '/usr/bin/node': process.execPath }));
      for (const args of [
        ['verify', '--man=no', file],
        ['security', '--offline=true', '--no-pager', '--threshold=12', file],
      ]) {
        const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
        expect(status, `${stdout}${stderr}`).to.equal(0);
      }
    });
});

describe('The files in deploy/', () => {
  it('leave Botbell the same memory, however it is run', () => {
    const limits = [/ memory: (?=\d+M\n)/, /limits: \{ memory: /, /MemoryMax=/].map((words, index) =>
      Number.parseInt(
        valueIn(['compose.yaml', 'kubernetes.yaml', 'botbell.service'][index] ?? '', words),
        10,
      ),
    );
    expect(limits).to.deep.equal([512, 512, 512]);
  });

  for (const file of readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  ))
    it(`are YAML: ${file}`, () => {
      expect(parseAllDocuments(textOf(file)).flatMap(({ errors }) => errors)).to.deep.equal([]);
    });
});
