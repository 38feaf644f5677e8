/** The README keeps a newcomer's first minute: what it shows first, what it names, and in Japanese the same. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommand } from '../support/command.ts';
import { fences, headingsOf, linksOf, readDocument, ROOT, sessionsIn } from '../support/documents.ts';

const README = readDocument('README.md');
const JAPANESE = readDocument('README.ja.md');

const MOST_WORDS = 60;

function inlineCode(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code).toSorted();
}

function inJapanese(link: string): string {
  return link === 'README.ja.md' ? 'README.md' : link;
}

describe('The README', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-readme-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it(`has within ${MOST_WORDS} words the first command and what it shows, then a Slack message, a mail and the page`, () => {
    const [words = ''] = README.split('\n|');
    expect(words).to.include('npm run demo');
    expect(words.split(/\s+/).length).to.be.lessThan(MOST_WORDS);
    const [beginning = ''] = README.split('\n## ');
    const pictures = linksOf(beginning).filter((link) => link.endsWith('.png'));
    expect(pictures).to.deep.equal(['slack', 'mail', 'bots'].map((name) => `docs/images/${name}.png`));
  });

  it('shows what `init` writes and prints, and what it wrote passes the check that it names', () => {
    const clone = join(folder, 'botbell');
    for (const part of ['dist', 'config', 'templates', 'package.json'])
      cpSync(join(ROOT, part), join(clone, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    const run = (args: readonly string[], cwd: string) =>
      spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
    const [{ args, output } = { args: [], output: '' }] = sessionsIn(README);
    expect(args[0]).to.equal('init');
    const init = run(['dist/main.js', ...args], clone);
    expect([init.status, init.stdout.trimEnd()]).to.deep.equal([0, output]);
    const check = run(['../botbell/dist/main.js', 'check'], join(folder, 'my-botbell'));
    expect([check.status, check.stderr]).to.deep.equal([0, '']);
    expect(output).to.include('node ../botbell/dist/main.js check');
  });

  it('names only npm scripts that there are', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    const named = [...README.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script = '']) => script);
    expect(named).to.include('demo');
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
  });

  it('is the same in Japanese: sections, commands, pictures, links, and what is code', () => {
    const levels = (text: string) => headingsOf(text).map(({ level }) => level);
    expect(levels(JAPANESE)).to.deep.equal(levels(README));
    expect(fences(JAPANESE)).to.deep.equal(fences(README));
    expect(linksOf(JAPANESE)).to.deep.equal(linksOf(README).map(inJapanese));
    expect(inlineCode(JAPANESE)).to.deep.equal(inlineCode(README));
  });

  it('has in Japanese as many items in each list, rows in each table and paragraphs in each section', () => {
    const shapeOf = (text: string) =>
      text
        .replaceAll(/^```.*?^```$/gms, '```')
        .split(/\n{2,}/)
        .map((part) => {
          if (/^[|-]/.test(part)) return [...part.matchAll(/^[|-]/gm)].length;
          return part.startsWith('#') ? 'heading' : 'paragraph';
        });
    expect(shapeOf(JAPANESE)).to.deep.equal(shapeOf(README));
  });
});

describe('The page about the command line', () => {
  it('names every command that there is, in its table', async () => {
    const { stdout } = await runCommand(['--help']);
    const commands = [
      ...stdout.matchAll(/^ {2}([\w-]+)(?: \[options\])?(?: [<[][\w.]+[>\]])?(?: {2,}|$)/gm),
    ].map(([, name = '']) => name);
    const text = readDocument('docs/cli.md');
    for (const command of commands.filter((name) => name !== 'help'))
      expect(text).to.match(new RegExp(`^\\| \`${command}[ \`]`, 'm'));
    expect(commands).to.include.members(['serve', 'send', 'demo', 'why']);
  });
});
