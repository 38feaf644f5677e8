/** deploy/README.md: what it has the reader run makes what the rest expects. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isInstalled } from '../support/installed.ts';
import { secretFilesIn } from '../support/secret-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const README = readFileSync(join(DEPLOY, 'README.md'), 'utf8');

/** The block of commands that has this in it. */
function commandsWith(text: string): string {
  const blocks = [...README.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.includes(text));
  if (found === undefined) throw new Error(`no commands with ${text}`);
  return found;
}

/** Names of the secrets that a config takes from files. */
function secretsOf(config: string): string[] {
  const files = secretFilesIn(readFileSync(join(DEPLOY, config), 'utf8'));
  return files.map((path) => path.slice(path.lastIndexOf('/') + 1));
}

function run(commands: string, folder: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', commands], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

describe('deploy/README.md', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'botbell-readme-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  if (isInstalled('openssl', 'how secrets are made', ['version'])) {
    it('makes the secrets of the compose file, which the container can read and nobody else', () => {
      run(commandsWith('mkdir -m 700 secrets').replace('cd deploy/container\n', ''), folder);
      const secrets = join(folder, 'secrets');
      expect(readdirSync(secrets)).to.have.members(secretsOf('container/config/botbell.yaml'));
      const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
      expect(modeOf(secrets)).to.equal('700');
      for (const name of readdirSync(secrets)) expect(modeOf(join(secrets, name)), name).to.equal('644');
      // It becomes a part of the ledger's URL, and the other one of the callback's.
      for (const name of ['postgres_password', 'callback_token'])
        expect(readFileSync(join(secrets, name), 'utf8')).to.match(/^[\da-f]{48}\n$/);
    });

    if (isInstalled('kubectl', 'how the secrets of Kubernetes are made', ['version', '--client'])) {
      it('makes the secrets of the manifests', () => {
        const [, command = ''] = commandsWith('create secret').split('namespace.yaml\n');
        const made = parse(run(`${command.trim()} --dry-run=client -o yaml`, folder)) as {
          readonly data: Readonly<Record<string, string>>;
        };
        expect(Object.keys(made.data)).to.have.members(secretsOf('kubernetes/botbell.yaml'));
      });
    }
  }

  it('makes the secrets of the unit, and installs what the unit starts', () => {
    const made = [...README.matchAll(/sudo tee \/etc\/botbell\/secrets\/(\w+)/g)].map(([, name]) => name);
    expect(made).to.have.members(secretsOf('systemd/botbell.yaml'));
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(README).to.include(`--prefix /opt/botbell --omit=dev --ignore-scripts ./botbell-${version}.tgz`);
    const unit = readFileSync(join(DEPLOY, 'systemd/botbell.service'), 'utf8');
    expect(unit).to.include('/opt/botbell/node_modules/botbell/dist/main.js');
  });

  it('says how much the unit leaves exposed, as the test of the unit has it', () => {
    const [, exposure = ''] = /, (\d\.\d) of 10 remain exposed/.exec(README) ?? [];
    const held = readFileSync(join(import.meta.dirname, 'systemd.test.ts'), 'utf8');
    expect(held).to.include(`const EXPOSURE = ${exposure};`);
  });
});
