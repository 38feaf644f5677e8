/** The workflows run actions that nobody can exchange, with no more rights than they need. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readDocument, ROOT } from '../support/documents.ts';

const FOLDER = '.github/workflows';

type Rights = Readonly<Record<string, string>>;

interface Job {
  readonly uses?: string;
  readonly needs?: readonly string[];
  readonly steps?: readonly { readonly run?: string }[];
  readonly permissions?: Rights;
}

interface Workflow {
  readonly on: object;
  readonly permissions: Rights;
  readonly jobs: Readonly<Record<string, Job>>;
}

const texts = new Map(
  readdirSync(join(ROOT, FOLDER)).map((name) => [name, readDocument(`${FOLDER}/${name}`)]),
);
const workflows = new Map([...texts].map(([name, text]) => [name, parse(text) as Workflow]));
const jobs = [...workflows.values()].flatMap((workflow) => Object.entries(workflow.jobs));
const runs = jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []));

describe('The workflows', () => {
  it('name each action by the digest of a commit, with its version beside it', () => {
    const pins = [...texts.values()].flatMap((text) => text.match(/(?<=uses: )(?!\.\/).*$/gm) ?? []);
    expect(pins).not.to.deep.equal([]);
    expect(pins.filter((pin) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(pin))).to.deep.equal([]);
  });

  it('may read the repository, and only a release more: what its job writes', () => {
    for (const [name, { permissions }] of workflows)
      expect(permissions, name).to.deep.equal({ contents: 'read' });
    const rights = jobs.flatMap(([name, { permissions }]) => (permissions ? [[name, permissions]] : []));
    expect(rights).to.deep.equal([
      ['package', { contents: 'read', 'id-token': 'write' }],
      ['image', { contents: 'read', 'id-token': 'write', packages: 'write' }],
      ['release', { contents: 'write' }],
    ]);
    const all = [...texts.values()].join('');
    expect(all.match(/secrets\.\w+/g)).to.deep.equal(['secrets.GITHUB_TOKEN']);
  });

  it('put no text of a change or a tag into a command', () => {
    expect(runs.filter((run) => run.includes('${{'))).to.deep.equal([]);
    const triggers = [...workflows.values()].flatMap(({ on }) => Object.keys(on));
    expect(triggers).not.to.include('pull_request_target');
  });

  it('release nothing before all tests of a change have passed', () => {
    const release = workflows.get('release.yml')?.jobs ?? {};
    expect(release['test']?.uses).to.equal(`./${FOLDER}/ci.yml`);
    for (const name of ['package', 'image']) expect(release[name]?.needs, name).to.include('test');
    expect(release['release']?.needs).to.include.members(['package', 'image']);
  });
});
