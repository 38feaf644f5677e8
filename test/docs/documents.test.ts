/** Whoever reads one document finds the others, in their language; what documents list is all there is, and nothing else. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { LOG_LINES as IN_JAPANESE } from '../../src/cli/words.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { RULES } from '../../src/signal/rules.ts';
import { ALERT_SUBJECTS } from '../support/alerts.ts';
import { runCommand } from '../support/command.ts';
import {
  blocksOf,
  deadLinksIn,
  documentPaths,
  fences,
  headingsOf,
  inlineCodeOf,
  linksOf,
  readDocument,
  ROOT,
} from '../support/documents.ts';

const { scripts } = JSON.parse(readDocument('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const RULES_OF_PROMETHEUS = readDocument('deploy/prometheus-rules.yaml');
const CLOUD_BOT = readDocument('docs/senders/cloud-bot.md');

const sectionOf = (path: string, heading: string) =>
  (readDocument(path).split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')[0] ?? '';

/** Of the endpoint, as OpenAPI describes them; 408 is among the answers to any request. */
function answers(): string[] {
  const { paths } = parse(readDocument('docs/openapi.yaml')) as {
    paths: Readonly<Record<string, { readonly post?: { readonly responses: object } }>>;
  };
  const statuses = Object.keys(paths['/callbacks']?.post?.responses ?? {});
  return [...new Set([...statuses.filter((status) => status !== 'default'), '408'])];
}

const firstCells = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, cell = '']) => cell);

const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && path !== 'cli/words.ts')
  .map((path) => readDocument(`src/${path}`))
  .join('\n');
const LOG_LINES = firstCells(sectionOf('docs/operating.md', 'Logs'), /^\| `([^`{]+)/gm).slice(1);
const HELD = sectionOf('docs/operating.md', 'Snoozes and held messages').match(/^\| `.*/gm) ?? [];

const isWritten = (line: string) => SOURCES.includes(`'${line}'`);
const isInJapanese = (line: string) => line in IN_JAPANESE;
const allOf = (lines: string[], isThere: (line: string) => boolean) =>
  [lines, lines.filter(isThere)] as const;

const PROOFS = 'test/e2e/proofs';

const LISTS: Readonly<Record<string, readonly [listed: readonly string[], there: readonly string[]]>> = {
  'each alert of Botbell and of Prometheus, with what to do': [
    headingsOf(readDocument('docs/alerts.md')).flatMap(({ level, text }) => (level === 3 ? [text] : [])),
    [
      ...ALERT_SUBJECTS.map(({ template }) => template),
      ...firstCells(RULES_OF_PROMETHEUS, /- alert: (\w+)/g),
    ],
  ],
  'what each answer to a callback costs at Cloud BOT': [
    firstCells(CLOUD_BOT, /^\| (\d{3}(?:, \d{3})*) +\|/gm).flatMap((cell) => cell.split(', ')),
    answers(),
  ],
  'each dependency, with its reason': [
    firstCells(sectionOf('docs/architecture.md', 'Dependencies'), /^\| `([^`]+)` +\| .{8,}/gm),
    [...new Set(firstCells(SOURCES, /(?:from |import\()'((?:@[\w-]+\/)?[\w-]+)(?:\/[\w-]+)?'/g))].toSorted(),
  ],
  'only lines of the log that the program writes': allOf(LOG_LINES, isWritten),
  'lines of the log, each of which a terminal has in Japanese, too': allOf(LOG_LINES, isInJapanese),
  'Japanese lines of the log only of those that the program writes': allOf(
    Object.keys(IN_JAPANESE),
    isWritten,
  ),
  'each proof of what is guaranteed': [
    [...new Set(readDocument('docs/guarantees.md').match(/(?<=`)test\/e2e\/proofs\/[\w.-]+(?=`)/g))],
    readdirSync(join(ROOT, PROOFS)).map((name) => `${PROOFS}/${name}`),
  ],
  'each rule that holds, with when its messages are told': [
    RULES.filter((rule) => inlineCodeOf(HELD.join('\n')).includes(rule)),
    RULES.filter((rule) => rule !== 'on'),
  ],
};

describe('The documents', () => {
  for (const path of documentPaths()) {
    it(`have no link in ${path} that leads nowhere`, () => expect(deadLinksIn(path)).to.deep.equal([]));
  }

  it('name only files of the repository that there are', () => {
    const missing = documentPaths().flatMap((path) =>
      inlineCodeOf(readDocument(path))
        .filter((code) => /^(?:src|test|scripts|templates|config|deploy)\/[\w./{},-]+$/.test(code))
        .flatMap((code) => ['en', 'ja'].map((language) => code.replace('{en,ja}', language)))
        .filter((file) => !existsSync(join(ROOT, file)))
        .map((file) => `${path}: ${file}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('are each found by following links from the README, but for the decisions, which are a folder', () => {
    const found = new Set(['README.md']);
    for (const path of found)
      for (const link of linksOf(readDocument(path)).filter((each) => /^[\w./-]+\.md(?:#|$)/.test(each)))
        found.add(join(dirname(path), link.split('#')[0] ?? ''));
    const documents = documentPaths().filter((path) => !path.startsWith('docs/adr/'));
    expect(documents.filter((path) => !found.has(path))).to.deep.equal([]);
  });

  it('are there that the configs and the files of deploy/ name', () => {
    const files = ['config', 'deploy'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    );
    const texts = files.filter((path) => /\.(?:yaml|example|service)$/.test(path)).map(readDocument);
    const named = texts.flatMap((text) => text.match(/docs\/[\w./-]+\.md/g) ?? []);
    expect(named.filter((page) => !existsSync(join(ROOT, page)))).to.deep.equal([]);
  });

  it('name a test in each line of what is guaranteed', () => {
    const [promises = ''] = readDocument('docs/guarantees.md').split('\n## What is not promised');
    const rows = promises.split('\n').filter((line) => line.startsWith('- '));
    expect(rows.length).to.be.above(10);
    expect(rows.filter((row) => !/`test\/[\w/.-]+\.ts`/.test(row))).to.deep.equal([]);
  });

  for (const [what, [listed, there]] of Object.entries(LISTS))
    it(`list ${what}`, () => expect(listed.toSorted()).to.deep.equal(there.toSorted()));

  it('list each metric', async () => {
    const nothingKnown = () => Promise.resolve({});
    const there = firstCells(await createMetrics('0').text(nothingKnown), /^# HELP (botbell_\w+)/gm);
    const listed = firstCells(sectionOf('docs/operating.md', 'Metrics'), /^\| `([^`{]+)/gm);
    expect(listed.toSorted()).to.deep.equal(there.toSorted());
  });

  it('list each command with all of its options', async () => {
    const rows = firstCells(readDocument('docs/commands.md'), /^\| (`[\w-]+.*`.*) \|$/gm);
    const listed = rows.map((row) => [/^`([\w-]+)/.exec(row)?.[1] ?? '', row] as const);
    const { stdout } = await runCommand(['--help']);
    const there = firstCells(stdout, /^ {2}([a-z][\w-]*) .*/gm).filter((command) => command !== 'help');
    expect(listed.map(([command]) => command).toSorted()).to.deep.equal(there.toSorted());
    for (const [command, row] of listed) {
      const [own = ''] = (await runCommand([command, '--help'])).stdout.split('Global Options:');
      const options = firstCells(own, /^ +(?:-\w, )?(--[\w-]+)/gm).filter((option) => option !== '--help');
      expect(
        options.filter((option) => !row.includes(option)),
        command,
      ).to.deep.equal([]);
    }
  });

  it('name only npm scripts that there are', () => {
    const named = ['README.md', 'CONTRIBUTING.md'].flatMap((document) =>
      firstCells(readDocument(document), /npm run (?:-s )?([\w:]+)/g),
    );
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
  });

  it('name only commands that there are', async () => {
    const blocks = documentPaths().flatMap((path) => blocksOf(readDocument(path), 'sh'));
    const named = new Set(blocks.flatMap((block) => firstCells(block, /^botbell (\w+)/gm)));
    expect(named).to.include('init').and.to.include('serve');
    for (const command of named) expect((await runCommand([command, '--help'])).code, command).to.equal(0);
  });
});

/** Where the Japanese page leads for a link of the English one, but for the anchor: headings are in the page's language. */
function inJapanese(link: string, english: string, japanese: string): string {
  const [path = ''] = link.split('#');
  if (path === basename(japanese)) return basename(english);
  const translated = path.replace(/\.md$/, '.ja.md');
  return existsSync(join(ROOT, dirname(english), translated)) ? translated : path;
}

/** What these print is in the page's own language: sessions.test.ts and e2e/why.test.ts look at it. */
const SAID = /^\$ (?:npm run demo|botbell why)/;

/** Of a page, but for its words; comments in a block are for the reader, in the page's language. */
const skeletonOf = (page: string) => ({
  levels: headingsOf(page).map(({ level }) => level),
  blocks: fences(page).map(({ language, content }) => {
    const shared = SAID.test(content) ? content.match(/^\$ .*/gm) : content.replaceAll(/ # .*$/gm, '');
    return [language, shared];
  }),
  code: inlineCodeOf(page).toSorted(),
});

describe('A page in Japanese', () => {
  for (const japanese of documentPaths().filter((path) => path.endsWith('.ja.md')))
    it(`leads to the English one, which leads back, and has the same sections, blocks, links and code, and says where a page is in English: ${japanese}`, () => {
      const english = japanese.replace('.ja.md', '.md');
      const [text, original] = [readDocument(japanese), readDocument(english)];
      expect(text.split('\n')[2]).to.equal(`[English](${basename(english)})`);
      expect(original.split('\n')[2]).to.equal(`[日本語](${basename(japanese)})`);
      expect(skeletonOf(text)).to.deep.equal(skeletonOf(original));
      const paths = linksOf(text).map((link) => link.split('#')[0] ?? '');
      expect(paths).to.deep.equal(linksOf(original).map((link) => inJapanese(link, english, japanese)));
      const toPages = [...text.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)(（英語）)?/g)].slice(1);
      for (const [link, path = '', said] of toPages)
        expect(said === undefined, link).to.equal(path.endsWith('.ja.md'));
    });
});
