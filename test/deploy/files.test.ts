/** The files in deploy/ agree with each other and with the program, and its config is taken by `check`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema/schema.ts';
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
/** In a YAML file: of the first document of a kind, or of the only one, what stands at a path such as `spec.ports.0`. */
const valueAt = (file: string, path: string, kind?: string): unknown => {
  const documents = parseAllDocuments(textOf(file)).map((each) => each.toJS() as { readonly kind?: string });
  const found: unknown = documents.find((each) => each.kind === kind);
  return path.split('.').reduce((value, key) => Reflect.get(Object(value), key) as unknown, found);
};

const config = textOf('config/botbell.yaml');
const ports = [...config.matchAll(/listen: 0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));
const variables = [...config.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);

/** The config leaves both at their defaults. */
const { answerWithinMs, maxBodyBytes } = receiverOf(receiverSchema.cast(undefined));
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
    it(`let pass more than Botbell takes: ${file}`, () => {
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
    for (const label of ['source', 'version', 'revision', 'licenses'])
      expect(text).to.match(new RegExp(`org\\.opencontainers\\.image\\.${label}="\\S+"`));
    expect(text).to.match(/^ARG NODE_IMAGE=node:\d+-\S+@sha256:[0-9a-f]{64}$/m);
    expect(
      text.match(/^FROM (?:--platform=\S+ )?(\S+)/gm)?.filter((from) => !from.endsWith('${NODE_IMAGE}')),
    ).to.deep.equal([]);
  });

  it('is built and given its secrets by the compose file', () => {
    const of = (path: string) => valueAt('compose.yaml', `services.${path}`);
    expect(of('botbell.build')).to.deep.equal({ context: '..', dockerfile: 'deploy/Dockerfile' });
    expect(of('botbell.env_file')).to.equal('.env');
    expect([of('proxy.environment.RECEIVER'), of('proxy.environment.ADMIN')]).to.deep.equal(
      ports.map((port) => `botbell:${port}`),
    );
    expect(of('botbell.environment.BOTBELL_HEALTH_URL')).to.equal(`http://127.0.0.1:${ports[1]}/readyz`);
  });
});

const ofPod = (path: string) => valueAt('kubernetes.yaml', `spec.template.spec.${path}`, 'Deployment');

describe('The Kubernetes manifest', () => {
  it('names the ports on which the config listens, finds them by its service, and asks the admin listener how it is', () => {
    expect(ofPod('containers.0.ports')).to.deep.equal([
      { name: 'callbacks', containerPort: ports[0] },
      { name: 'admin', containerPort: ports[1] },
    ]);
    const targets = [0, 1].map((port) =>
      valueAt('kubernetes.yaml', `spec.ports.${port}.targetPort`, 'Service'),
    );
    expect(targets).to.deep.equal(['callbacks', 'admin']);
    for (const [probe, path] of Object.entries({
      startup: '/healthz',
      liveness: '/healthz',
      readiness: '/readyz',
    }))
      expect(ofPod(`containers.0.${probe}Probe.httpGet`)).to.deep.equal({ path, port: 'admin' });
  });
});

describe('The systemd unit', () => {
  const UNIT = textOf('botbell.service');

  it('starts node itself', () => {
    const main = '/opt/botbell/node_modules/botbell/dist/main.js';
    expect(UNIT).to.include(`\nExecStart=/usr/bin/node ${main} serve\n`);
  });

  if (IS_FULL && isInstalled('systemd-analyze', 'the unit'))
    it('is well-formed, and exposes at most 1.2 of 10, by systemd', () => {
      const file = join(tempFolder(), 'botbell.service');
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
  const WAITS: Readonly<Record<string, unknown>> = {
    Caddyfile: valueIn('Caddyfile', /response_header_timeout /),
    'nginx.conf': valueIn('nginx.conf', /proxy_read_timeout /).replace(';', ''),
    'botbell.service': valueIn('botbell.service', /TimeoutStopSec=/),
    'compose.yaml, of Botbell': valueAt('compose.yaml', 'services.botbell.stop_grace_period'),
    'compose.yaml, of the proxy': valueAt('compose.yaml', 'services.proxy.stop_grace_period'),
    'kubernetes.yaml': `${Number(ofPod('terminationGracePeriodSeconds')) - Number(ofPod('containers.0.lifecycle.preStop.exec.command.1'))}s`,
  };
  for (const [what, wait] of Object.entries(WAITS))
    it(`wait for longer than a delivery takes: ${what}`, () =>
      expect(parseDuration(String(wait))).to.be.at.least(LEAST_PATIENCE_MS));

  it('leave Botbell the memory that what strangers send cannot fill, however it is run', () => {
    const limits = [
      valueIn('compose.yaml', / memory: (?=\d+M\n)/),
      valueIn('kubernetes.yaml', /limits: \{ memory: /),
      valueIn('botbell.service', /MemoryMax=/),
    ];
    expect(limits.map((limit) => Number.parseInt(limit, 10))).to.deep.equal([512, 512, 512]);
  });
});
