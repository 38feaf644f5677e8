/** deploy/kubernetes: of the shapes that Kubernetes publishes, put together by kustomize, and with what keeps its promises. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parse, parseAllDocuments } from 'yaml';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema.ts';
import { isInstalled } from '../support/installed.ts';
import { secretFilesIn } from '../support/secret-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/kubernetes');
const CONFIG = readFileSync(join(FOLDER, 'botbell.yaml'), 'utf8');
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
  readonly generatorOptions: { readonly disableNameSuffixHash: boolean };
  readonly images: readonly { readonly name: string }[];
}

const KUSTOMIZATION = parse(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8')) as Kustomization;

/** Each document of the files that the kustomization names. */
function readResources(): Resource[] {
  const texts = KUSTOMIZATION.resources.map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  return texts.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJS() as Resource);
}

/** Where the published types have a kind: `apps/v1`, of the core ones `core/v1`. */
function moduleOf({ apiVersion }: Resource): string {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `kubernetes-types/${group.replace('.k8s.io', '')}/${version}`;
}

/** What the compiler says of them as values of their types; '' where nothing. */
function faultsByTypes(resources: readonly Resource[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-manifests-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const lines = resources.map(
      (resource, number) =>
        `export const r${number}: import('${moduleOf(resource)}').${resource.kind} = ${JSON.stringify(resource, null, 1)};`,
    );
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, lines.join('\n'));
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext'];
    return spawnSync(process.execPath, [TSC, ...flags, file], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('The Kubernetes manifests', () => {
  const resources = readResources();
  const ofKind = <Kind extends Resource | object>(kind: string) =>
    resources.filter((resource) => resource.kind === kind) as unknown as Kind[];
  const [deployment] = ofKind<Deployment>('Deployment');
  const pod = deployment?.spec?.template.spec;
  const container = pod?.containers[0];
  const labels = deployment?.spec?.template.metadata?.labels;
  const services = ofKind<Service>('Service');
  const portNames = container?.ports?.map(({ name }) => name);

  it('are of the types that are generated from what Kubernetes publishes', () => {
    expect(faultsByTypes(resources)).to.equal('');
  });

  it('would not be with a key that is misspelt, or missing', () => {
    const spec = { replicas: 2, selector: {}, template: {}, strategie: {} };
    const wrong = [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'botbell' }, spec },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'botbell' }, spec: { replicas: 2 } },
    ];
    const faults = faultsByTypes(wrong);
    expect(faults).to.include('strategie').and.to.include('selector, template');
  });

  it('are all put together, and each file of the folder is needed', () => {
    const [generated] = KUSTOMIZATION.configMapGenerator;
    const named = [...KUSTOMIZATION.resources, ...(generated?.files ?? []), 'kustomization.yaml'];
    expect(readdirSync(FOLDER)).to.have.members(named);
    expect(KUSTOMIZATION.images.map(({ name }) => name)).to.deep.equal([container?.image]);
  });

  it('run two replicas, one of which stays while nodes are drained or a new version comes', () => {
    expect(deployment?.spec).to.include({ replicas: 2 });
    expect(deployment?.spec?.strategy?.rollingUpdate).to.deep.equal({ maxUnavailable: 0, maxSurge: 1 });
    const [budget] = ofKind<PodDisruptionBudget>('PodDisruptionBudget');
    expect(budget?.spec).to.deep.include({ minAvailable: 1, selector: { matchLabels: labels } });
  });

  it('find the pods by their labels', () => {
    expect(deployment?.spec?.selector.matchLabels).to.deep.equal(labels);
    for (const { spec } of services) expect(spec?.selector).to.deep.equal(labels);
    const [policy] = ofKind<NetworkPolicy>('NetworkPolicy');
    expect(policy?.spec?.podSelector.matchLabels).to.deep.equal(labels);
  });

  it('find the ports by their names', () => {
    for (const { spec } of services) expect(portNames).to.include(spec?.ports?.[0]?.targetPort);
    const [policy] = ofKind<NetworkPolicy>('NetworkPolicy');
    for (const { ports } of policy?.spec?.ingress ?? []) expect(portNames).to.include(ports?.[0]?.port);
  });

  it('hand on to Botbell what comes to the ingress', () => {
    const [ingress] = ofKind<Ingress>('Ingress');
    const target = ingress?.spec?.rules?.[0]?.http?.paths[0]?.backend.service;
    const service = services.find(({ metadata }) => metadata?.name === target?.name);
    expect(service?.spec?.ports?.[0]).to.include({ name: target?.port?.name, targetPort: 'callbacks' });
  });

  it('ask the right listener whether it lives, and whether it is ready', () => {
    const probed = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    expect(probed.map((probe) => probe?.httpGet)).to.deep.equal([
      { path: '/healthz', port: 'admin' },
      { path: '/healthz', port: 'admin' },
      { path: '/readyz', port: 'admin' },
    ]);
    const listening = [...CONFIG.matchAll(/listen: 0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));
    expect(container?.ports?.map(({ containerPort }) => containerPort)).to.deep.equal(listening);
  });

  it('let a pod finish what it is sending, after others have stopped to send it more', () => {
    const { answerWithinMs } = receiverOf(receiverSchema.getDefault());
    expect(CONFIG, 'then the default is in force').not.to.include('answer_within');
    const pause = Number(container?.lifecycle?.preStop?.exec?.command?.[1]);
    expect(pause).to.be.at.least(5);
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).to.be.at.least(
      pause * 1000 + answerWithinMs + 1000,
    );
  });

  it('give it as few rights as it needs', () => {
    expect(container?.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod?.securityContext).to.deep.include({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod).to.include({ automountServiceAccountToken: false });
  });

  it('mount config and secrets as folders, which alone follow a change', () => {
    const mounts = container?.volumeMounts ?? [];
    expect(mounts.map(({ name, mountPath, subPath }) => [name, mountPath, subPath])).to.deep.equal([
      ['config', '/etc/botbell', undefined],
      ['secrets', '/run/secrets/botbell', undefined],
    ]);
    const [generated] = KUSTOMIZATION.configMapGenerator;
    expect(pod?.volumes?.[0]?.configMap?.name).to.equal(generated?.name);
    expect(KUSTOMIZATION.generatorOptions.disableNameSuffixHash).to.equal(true);
    for (const file of secretFilesIn(CONFIG)) expect(dirname(file)).to.equal('/run/secrets/botbell');
  });

  if (isInstalled('kubectl', '`kubectl kustomize`', ['version', '--client'])) {
    it('come out of `kubectl kustomize` complete, in one namespace', () => {
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', FOLDER], { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      const made = parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
      const kinds = [...resources.map(({ kind }) => kind), 'ConfigMap'];
      expect(made.map(({ kind }) => kind)).to.have.members(kinds);
      expect(faultsByTypes(made)).to.equal('');
      const spaces = made
        .filter(({ kind }) => kind !== 'Namespace')
        .map(({ metadata }) => ({ namespace: '', ...metadata }).namespace);
      expect(new Set(spaces)).to.deep.equal(new Set(['botbell']));
    });
  }
});
