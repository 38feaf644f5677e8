/** The files in deploy/ are well-formed, agree with each other, and name paths, ports and secrets that there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema.ts';
import { parseDuration } from '../../src/time/display.ts';
import { nodeArgumentsOfStart } from '../support/process.ts';
import { secretFilesIn } from '../support/secret-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');

const textOf = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const listeningIn = (config: string) =>
  [...config.matchAll(/listen: 0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));

/** The config leaves this at its default. */
const { answerWithinMs } = receiverOf(receiverSchema.getDefault());

describe('The files in deploy/', () => {
  const files = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' });

  for (const file of files.filter((name) => name.endsWith('.yaml')))
    it(`are YAML: ${file}`, () => {
      const faults = parseAllDocuments(textOf(file)).flatMap(({ errors }) => errors);
      expect(faults).to.deep.equal([]);
    });

  for (const file of ['container/config', 'kubernetes', 'systemd'].map((name) => `${name}/botbell.yaml`))
    it(`leave answer_within at its default, for which they are written: ${file}`, () => {
      expect(textOf(file)).not.to.include('answer_within');
    });
});

describe('The Dockerfile', () => {
  const text = textOf('container/Dockerfile');

  it('copies what there is, or what an earlier stage has made', () => {
    const copies = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    expect(copies).to.include('package-lock.json');
    expect(copies.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });

  it('starts node itself, with what `npm start` gives V8, as an account without rights', () => {
    const [, entrypoint = ''] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
    expect(JSON.parse(entrypoint)).to.deep.equal(['node', ...nodeArgumentsOfStart(), '/app/dist/main.js']);
    expect(text).to.match(/^USER 1000:1000$/m);
  });

  it('exposes the ports on which the config listens', () => {
    const [, ports = ''] = /^EXPOSE (.+)$/m.exec(text) ?? [];
    expect(ports.split(' ').map(Number)).to.deep.equal(listeningIn(textOf('container/config/botbell.yaml')));
  });
});

interface Compose {
  readonly services: Readonly<
    Record<
      'botbell' | 'postgres' | 'proxy',
      {
        readonly build?: { readonly context: string; readonly dockerfile: string };
        readonly stop_grace_period?: string;
        readonly secrets?: readonly string[];
        readonly networks: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
      }
    >
  >;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
}

describe('The compose file', () => {
  const compose = parse(textOf('container/compose.yaml')) as Compose;
  const { botbell, postgres, proxy } = compose.services;

  it('builds from the Dockerfile, and names no network or secret that it does not define', () => {
    const { context = '', dockerfile = '' } = botbell.build ?? {};
    expect(existsSync(join(DEPLOY, 'container', context, dockerfile))).to.equal(true);
    for (const { networks, secrets = [] } of [botbell, postgres, proxy]) {
      expect(Object.keys(compose.networks)).to.include.members([...networks]);
      expect(Object.keys(compose.secrets)).to.include.members([...secrets]);
    }
  });

  it('hands over each secret that the config or a variable takes from a file', () => {
    const pathsOf = (names: readonly string[] = []) => names.map((name) => `/run/secrets/${name}`);
    expect(secretFilesIn(textOf('container/config/botbell.yaml'))).to.have.members(pathsOf(botbell.secrets));
    expect(pathsOf(postgres.secrets)).to.deep.equal([postgres.environment?.['POSTGRES_PASSWORD_FILE']]);
  });

  it('lets a replica finish what it is sending', () => {
    for (const { stop_grace_period } of [botbell, proxy])
      expect(parseDuration(stop_grace_period ?? '')).to.be.at.least(answerWithinMs + 1000);
  });
});

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly ports: readonly { readonly targetPort: string }[];
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
      };
    };
  };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}

describe('The Kubernetes manifests', () => {
  const { resources } = parse(textOf('kubernetes/kustomization.yaml')) as { resources: readonly string[] };
  const manifests = resources
    .flatMap((file) => parseAllDocuments(textOf(`kubernetes/${file}`)))
    .map((document) => document.toJS() as Manifest);
  const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
  const container = pod?.containers[0];
  const config = textOf('kubernetes/botbell.yaml');

  it('are each put together by the kustomization', () => {
    const others = ['botbell.yaml', 'kustomization.yaml'];
    expect(readdirSync(join(DEPLOY, 'kubernetes'))).to.have.members([...resources, ...others]);
  });

  it('name the ports on which the config listens, and services find them', () => {
    expect(container?.ports.map(({ containerPort }) => containerPort)).to.deep.equal(listeningIn(config));
    const names = container?.ports.map(({ name }) => name);
    const services = manifests.filter(({ kind }) => kind === 'Service');
    expect(services.map(({ spec }) => spec.ports[0]?.targetPort)).to.deep.equal(names);
  });

  it('ask the admin listener whether a pod lives, and whether it is ready', () => {
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
    expect(probes.map((probe) => container?.[probe]?.httpGet)).to.deep.equal([
      { path: '/healthz', port: 'admin' },
      { path: '/healthz', port: 'admin' },
      { path: '/readyz', port: 'admin' },
    ]);
  });

  it('let a pod finish what it is sending, and mount the folder of its secrets', () => {
    const pause = Number(container?.lifecycle.preStop.exec.command[1]);
    const grace = pod?.terminationGracePeriodSeconds ?? 0;
    expect(grace * 1000).to.be.at.least(pause * 1000 + answerWithinMs + 1000);
    const mounted = container?.volumeMounts.map(({ mountPath }) => mountPath);
    for (const file of secretFilesIn(config)) expect(mounted).to.include(dirname(file));
  });
});

describe('deploy/README.md', () => {
  it('has the reader make each secret that a config takes from a file', () => {
    const readme = textOf('README.md');
    for (const folder of ['container/config', 'kubernetes', 'systemd'])
      for (const file of secretFilesIn(textOf(`${folder}/botbell.yaml`)))
        expect(readme).to.include(file.slice(file.lastIndexOf('/') + 1));
  });
});
