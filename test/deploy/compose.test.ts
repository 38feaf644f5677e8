/** deploy/container/compose.yaml: valid by the Compose Specification, and with what keeps its promises. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { parseDuration } from '../../src/time/display.ts';
import { faultsBy } from '../support/json-schema.ts';
import { secretFilesIn } from '../support/secret-files.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/container');
const CONFIG = readFileSync(join(FOLDER, 'config/botbell.yaml'), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly networks: readonly string[];
  readonly healthcheck?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<'botbell' | 'postgres' | 'proxy', Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

function readCompose(): Compose {
  return parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')) as Compose;
}

describe('The compose file', () => {
  const compose = readCompose();
  const { botbell, postgres, proxy } = compose.services;
  const services = Object.entries(compose.services);

  it('is valid by the Compose Specification', () => {
    // `name` came to the specification after this version of its schema.
    const { name, ...others } = compose;
    expect(name).to.match(/^[a-z0-9][a-z0-9_-]*$/);
    expect(faultsBy('compose-spec.json', others)).to.deep.equal([]);
  });

  it('would not be with a key that is misspelt', () => {
    const { botbell } = compose.services;
    const misspelt = { ...compose, services: { botbell: { ...botbell, cap_dropp: ['ALL'] } } };
    expect(faultsBy('compose-spec.json', misspelt).join('\n')).to.include('cap_dropp');
  });

  it('names nothing that it does not define', () => {
    for (const [name, { networks, secrets = [], volumes = [], depends_on = {} }] of services) {
      expect(Object.keys(compose.networks), name).to.include.members([...networks]);
      expect(Object.keys(compose.secrets), name).to.include.members([...secrets]);
      expect(Object.keys(compose.services), name).to.include.members(Object.keys(depends_on));
      const named = volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((from) => !from.startsWith('.'));
      expect(Object.keys(compose.volumes), name).to.include.members(named);
    }
  });

  it('runs two replicas with as few rights as they need', () => {
    expect(botbell.deploy).to.include({ replicas: 2 });
    expect(botbell).to.deep.include({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(services.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name)).to.deep.equal([
      'proxy',
    ]);
  });

  it('lets a replica finish what it is sending', () => {
    const answerWithinMs = parseDuration('8s') ?? 0;
    expect(CONFIG, 'then the default is in force').not.to.include('answer_within');
    expect(parseDuration(botbell.stop_grace_period ?? '')).to.be.at.least(answerWithinMs + 1000);
    expect(parseDuration(proxy.stop_grace_period ?? '')).to.be.at.least(answerWithinMs + 1000);
  });

  it('begins in order: the store, the replicas, the proxy', () => {
    expect(botbell.depends_on).to.deep.equal({ postgres: { condition: 'service_healthy' } });
    expect(postgres.healthcheck).to.have.property('test');
    expect(proxy.depends_on).to.deep.equal({ botbell: { condition: 'service_healthy' } });
  });

  it('hands over secrets by files, each that a config or a variable names, to who needs it', () => {
    expect(secretFilesIn(CONFIG)).to.have.members(
      (botbell.secrets ?? []).map((name) => `/run/secrets/${name}`),
    );
    const file = postgres.environment?.['POSTGRES_PASSWORD_FILE'];
    expect(postgres.secrets?.map((name) => `/run/secrets/${name}`)).to.deep.equal([file]);
    expect(proxy.secrets).to.equal(undefined);
    for (const [name, { file }] of Object.entries(compose.secrets))
      expect(file).to.equal(`./secrets/${name}`);
  });

  it('lets nobody but the proxy reach Botbell, whose X-Forwarded-For is trusted, and nobody but Botbell the store', () => {
    expect(CONFIG).to.include('trust_proxy: true');
    const on = (network: string) =>
      services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name);
    expect(on('front')).to.deep.equal(['botbell', 'proxy']);
    expect(on('store')).to.deep.equal(['botbell', 'postgres']);
    expect([compose.networks['front'], compose.networks['store']]).to.deep.equal([
      { internal: true },
      { internal: true },
    ]);
    expect(botbell.networks.filter((name) => on(name).length > 1)).to.have.members(['front', 'store']);
  });

  it('publishes the page to its own machine alone', () => {
    const ports = proxy.ports?.filter((port) => !/^(80:80|443:443)$/.test(port));
    expect(ports).to.deep.equal(['127.0.0.1:8081:8081']);
  });

  it('mounts the folder of the config, so that a file that replaces another is followed', () => {
    expect(botbell.volumes).to.deep.equal(['./config:/etc/botbell:ro']);
  });
});
