/** The workflows run what there is, with no more rights than they need; zizmor judges each step (analysis.yml). */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readDocument, ROOT } from '../support/documents.ts';

const FOLDER = '.github/workflows';

type Rights = Readonly<Record<string, string>>;

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
  readonly permissions?: Rights;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
}

interface Workflow {
  readonly permissions: Rights;
  readonly jobs: Readonly<Record<string, Job>>;
}

const texts = new Map(
  readdirSync(join(ROOT, FOLDER)).map((name) => [name, readDocument(`${FOLDER}/${name}`)]),
);
const workflows = new Map([...texts].map(([name, text]) => [name, parse(text) as Workflow]));
const jobs = [...workflows.values()].flatMap((workflow) => Object.entries(workflow.jobs));
const runs = jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []));

const { scripts, engines } = JSON.parse(readDocument('package.json')) as {
  scripts: Rights;
  engines: { node: string };
};

describe('The workflows', () => {
  it('run scripts of package.json and files of the repository that there are', () => {
    const all = runs.join('\n');
    const named = [...all.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named).to.include('test:nightly');
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
    const files = [...all.matchAll(/^(?:\.ci\/\S+)|(?<=node )scripts\/\S+/gm)].map(([file]) => file);
    expect(files).to.include.members(['.ci/run', 'scripts/release-notes.mjs']);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).to.deep.equal([]);
  });

  it('may read the repository, and only what writes something more: that', () => {
    for (const [name, { permissions }] of workflows)
      expect(permissions, name).to.deep.equal({ contents: 'read' });
    const rights = jobs.flatMap(([name, { permissions }]) => (permissions ? [[name, permissions]] : []));
    expect(rights).to.deep.equal([
      ['codeql', { contents: 'read', 'security-events': 'write' }],
      ['publish', { 'id-token': 'write' }],
      ['image', { contents: 'read', packages: 'write' }],
      ['sign', { 'id-token': 'write', packages: 'write' }],
      ['release', { contents: 'write' }],
      ['scorecard', { contents: 'read', 'id-token': 'write', 'security-events': 'write' }],
    ]);
    const all = [...texts.values()].join('');
    expect(all.match(/secrets\.\w+/g)).to.deep.equal(['secrets.GITHUB_TOKEN', 'secrets.GITHUB_TOKEN']);
  });

  it('run nothing where somebody may sign in their name but what publishes and signs what another job made', () => {
    const signing = jobs.filter(([, { permissions }]) => permissions?.['id-token'] === 'write');
    expect(signing.flatMap(([, { steps = [] }]) => steps.flatMap((step) => step.run ?? []))).to.deep.equal([
      'npm publish --ignore-scripts --tag "$TAG" ./*.tgz',
      'cosign sign --yes --recursive "$IMAGE"',
    ]);
    const used = signing.flatMap(([name, { steps = [] }]) =>
      steps.flatMap(({ uses = '' }) => (uses.startsWith('actions/checkout@') ? name : [])),
    );
    expect(used, 'jobs with sources').to.deep.equal(['scorecard']);
  });

  it('try the oldest line of Node that the package takes, that of the image, and what is between and after them', () => {
    const tried = workflows.get('ci.yml')?.jobs['test']?.strategy?.matrix.node ?? [];
    const [, oldest = ''] = /(\d+)/.exec(engines.node) ?? [];
    const [, inImage = ''] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(readDocument('deploy/Dockerfile')) ?? [];
    expect(tried[0]).to.equal(oldest);
    expect(tried).to.include(inImage);
    expect(readDocument('docs/install.md')).to.include(
      `newer of ${tried.slice(0, -1).join(', ')} and ${tried.at(-1) ?? ''}`,
    );
  });

  it('release nothing before all tests of a change have passed', () => {
    const release = workflows.get('release.yml')?.jobs ?? {};
    expect(release['test']?.uses).to.equal(`./${FOLDER}/ci.yml`);
    for (const name of ['package', 'image']) expect(release[name]?.needs, name).to.include('test');
    expect(release['publish']?.needs).to.deep.equal(['package', 'image']);
    expect([release['sign']?.needs, release['release']?.needs]).to.deep.equal(['image', ['publish', 'sign']]);
  });
});

describe('The address of the repository', () => {
  it('is the same in the package, the image and the documents', () => {
    const { homepage, bugs, repository } = JSON.parse(readDocument('package.json')) as {
      readonly homepage: string;
      readonly bugs: string;
      readonly repository: { readonly url: string };
    };
    expect(bugs).to.equal(`${homepage}/issues`);
    expect(repository.url).to.equal(`git+${homepage}.git`);
    expect(readDocument('deploy/Dockerfile')).to.include(`org.opencontainers.image.source="${homepage}"`);
    const named = ['SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/ISSUE_TEMPLATE/config.yml'].flatMap(
      (path) => readDocument(path).match(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g) ?? [],
    );
    expect([...new Set(named)]).to.deep.equal([homepage]);
  });
});
