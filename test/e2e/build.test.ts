import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readVersion } from '../../src/package-files.ts';
import { callbackWith } from '../support/callbacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');
const MAIN = join(DIST, 'main.js');

/** Whoever gets the package may use, change and sell it; none of these asks for more than that its text stays with it. */
const ALLOWED_LICENCES = new Set(
  'MIT, MIT-0, ISC, 0BSD, BSD-2-Clause, BSD-3-Clause, Apache-2.0, (MIT OR CC0-1.0)'.split(', '),
);

const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  engines: { node: string };
};

function textOf(folder: string, ending: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

/** What `pattern` captures, each once. */
function allOf(text: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, captured = '']) => captured))].toSorted();
}

describe('The build', () => {
  it('starts by its own name and knows its version', () => {
    expect(spawnSync(MAIN, ['--version'], { encoding: 'utf8' }).stdout).to.equal(`${readVersion()}\n`);
  });

  it('needs no more of Node than any that is in use has, to say which Node it needs', () => {
    const door = readFileSync(MAIN, 'utf8');
    const imports = allOf(door, /^import\b.*?["']([^"']+)["']/gm);
    expect(imports, 'what is read before anything is said').to.deep.equal(['node:module']);
    const oldNode = "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });";
    const args = ['--import', `data:text/javascript,${encodeURIComponent(oldNode)}`, MAIN, 'check'];
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout]).to.deep.equal([1, '']);
    const [least = ''] = /[\d.]+/.exec(PACKAGE.engines.node) ?? [];
    expect(stderr).to.include(`Botbell needs Node ${least} or newer; this is Node 18.20.4 (`);
    expect(stderr.trimEnd()).not.to.include('\n');
  });

  it('takes times apart by the display’s clocks, whatever those of the machine skip', () => {
    const folder = tempFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, 'templates/en/card'), { recursive: true });
    const title = '{{ start_time | date: "%H:%M %z" }}';
    write('templates/en/card/succeeded.yaml', `title: '${title}'\nsummary: s`);
    const outbox = `channels: { o: { type: outbox, as: slack } }\ndefault_route: { notify: [{ o: '#o' }] }`;
    write('botbell.yaml', `display: { timezone: '\${TZ}' }\ntemplates: ./templates\n${outbox}`);
    write('callback.json', JSON.stringify(callbackWith({ start_time: '2026-03-29T02:30:00Z' })));
    const env = { ...process.env, TZ: 'Europe/Berlin' };
    const { stdout } = spawnSync(MAIN, ['preview', 'callback.json'], { cwd: folder, env, encoding: 'utf8' });
    expect(stdout).to.include('04:30 +0200');
  });

  it('names every package in it, in its bill of materials and with its licence, which asks for nothing but its text', () => {
    const inside = allOf(textOf(DIST, '.js'), /node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g);
    const licences = readFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const named = allOf(licences, /^(\S+) \d+\.\d+\.\d+\S* \([A-Za-z].*\)$/gm);
    expect(inside).to.include.members(['koa', '@slack/web-api']);
    expect(named).to.include.members(inside);
    expect(licences).not.to.match(/\(undefined\)/);
    const bill = JSON.parse(readFileSync(join(DIST, 'botbell.cdx.json'), 'utf8')) as {
      components: readonly { name: string; version: string; licenses: readonly { expression: string }[] }[];
    };
    const billed = bill.components.map(
      ({ name, version, licenses }) => `${name} ${version} (${licenses[0]?.expression})`,
    );
    const beside = billed
      .filter((each) => !licences.includes(`${each}\n`))
      .map((each) => each.split(' ', 1)[0]);
    expect(beside).to.deep.equal(['@photostructure/sqlite', 'node-addon-api', 'node-gyp-build', 're2js']);
    expect(bill.components.map(({ name }) => name)).to.include.members(named);
    const isFree = ({ licenses: [first] }: (typeof bill.components)[number]) =>
      ALLOWED_LICENCES.has(first?.expression ?? '');
    expect(
      bill.components.filter((each) => !isFree(each)),
      'another licence',
    ).to.deep.equal([]);
  });

  it('says where the folder in which it is started is gone', () => {
    const script = 'cd "$1" && rmdir "$1" && exec "$0" init';
    const { stderr } = spawnSync('sh', ['-c', script, MAIN, tempFolder()], { encoding: 'utf8' });
    expect(stderr).to.match(/^the folder in which this was started is not there any more: .*\n$/);
  });

  it('leaves nothing of `init` where the disk does not take all of it, so that it can be tried again', () => {
    const folder = tempFolder();
    const script = 'ulimit -f 8; exec "$0" init "$1"';
    expect(spawnSync('sh', ['-c', script, MAIN, folder], { encoding: 'utf8' }).stderr).to.include('EFBIG');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('says where the disk takes but the beginning of a result that it cannot be written, and exits 1', () => {
    const script = 'ulimit -f 8; exec "$0" schema > "$1"';
    const { status, stderr } = spawnSync('sh', ['-c', script, MAIN, join(tempFolder(), 'schema.json')], {
      encoding: 'utf8',
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the result cannot be written: EFBIG.*\n$/);
  });
});
