// Writes docs/dependencies.md: what each production dependency costs, and why it is there. With --refresh it also asks the
// registry when each was last released, and for known vulnerabilities; without, what it said the last time is kept.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { EXTERNAL } from './external.mjs';
import { bytesOf, closureOf, installScriptsOf, readInstalled, readManifest } from './installed-packages.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/dependencies.md');

/**
 * Why each is there; a dependency without a reason has no place in package.json.
 * @type {Readonly<Record<string, string>>}
 */
const REASONS = {
  '@koa/router': 'the paths of the page and of the API',
  '@photostructure/sqlite':
    'the ledger: the API of `node:sqlite`, which Node 20 does not have, with its binaries inside the package ([ADR 1](adr/0001-sqlite-without-install-scripts.md))',
  '@slack/web-api': 'Slack’s own client: its methods, their types and its errors',
  commander: 'the command line: options, help, wrong usage',
  idiomorph:
    'the page that follows changes: puts new HTML into it without losing focus or scroll (in browsers)',
  koa: 'both listeners',
  'koa-bodyparser': 'reads and inflates the bodies of callbacks within a limit',
  leven: '“did you mean …?” for misspelt names',
  liquidjs:
    'templates: a language without a way to code or files ([ADR 3](adr/0003-liquid-leaves-in-yaml.md))',
  nodemailer: 'mails and SMTP',
  pg: 'the ledger in PostgreSQL; loaded only then',
  pino: 'the log, as JSON',
  'pino-pretty': 'the log for people; loaded only on a terminal',
  'postal-mime': 'the demo’s mail server shows what it received; loaded only there',
  preact: 'the page: views are functions that give elements, and what they show is escaped',
  'preact-render-to-string':
    'these elements as HTML, on the server ([ADR 23](adr/0023-pages-from-the-server.md))',
  'prom-client': '`/metrics`',
  re2js:
    'regular expressions of `bot_id` in linear time ([ADR 17](adr/0017-patterns-in-linear-time.md)); loaded only where a config has one',
  'smtp-server': 'the demo’s mail server; loaded only there',
  'sql-template-tag': 'one text of SQL for both databases, its values apart from it',
  undici:
    'HTTP with deadlines and pools, under Slack’s client ([ADR 4](adr/0004-undici-under-the-slack-client.md))',
  yaml: 'the config and the templates, with the line and column of each value',
  yup: 'the schemas of the config, from which the JSON Schema is made, too',
};

/** @typedef {{ readonly released: ReadonlyMap<string, string>, readonly audit: string, readonly asOf: string }} Registry */

const run = promisify(execFile);

const DAY_MS = 86_400_000;

/** Without a release for so long, it is worth a look whether somebody still keeps it up. */
const LONG_AGO_DAYS = 365;

const today = () => new Date().toISOString().slice(0, 10);

/** @param {string} text */
const parsed = (text) => /** @type {unknown} */ (JSON.parse(text));

/** @typedef {{ version: string, time: Record<string, string>, 'engines.node'?: string }} Release */

/**
 * The newest release, its day, and where it is not the one in use, which Node it needs. A mirror of the registry may count
 * from the day when it took a release.
 * @param {string} name
 */
async function newestOf(name) {
  const args = ['view', name, 'version', 'time', 'engines.node', '--json'];
  const { stdout } = await run('npm', args, { cwd: ROOT, timeout: 60_000 });
  const { version, time, 'engines.node': node } = /** @type {Release} */ (parsed(stdout));
  const day = time[version]?.slice(0, 10) ?? '';
  const days = Math.floor((Date.now() - Date.parse(day)) / DAY_MS);
  const isInUse = readManifest(join(ROOT, 'node_modules', name)).version === version;
  const needs = isInUse || node === undefined ? '' : `, needs Node ${node}`;
  return `${version}, ${day} (${days} days)${needs}`;
}

/** What `npm audit` says of what is installed in production, in a sentence. */
async function audited() {
  const args = ['audit', '--omit=dev', '--audit-level=none', '--json'];
  const { stdout } = await run('npm', args, { cwd: ROOT, timeout: 60_000 }).catch(
    (error) => /** @type {{ stdout: string }} */ (error),
  );
  const answer = /** @type {{ message?: string, metadata?: { vulnerabilities: { total: number } } }} */ (
    parsed(stdout)
  );
  const total = answer.metadata?.vulnerabilities.total;
  if (total === undefined) {
    const reason = answer.message?.split(' - ')[0] ?? 'no reason given';
    return `Not known: the registry that was asked on ${today()} does not answer \`npm audit --omit=dev\` (${reason}). Ask one that does.`;
  }
  return `\`npm audit --omit=dev\` on ${today()}: ${total === 0 ? 'none' : total}.`;
}

/**
 * @param {readonly string[]} names
 * @returns {Promise<Registry>}
 */
async function askRegistry(names) {
  const released = new Map();
  for (const name of names) released.set(name, await newestOf(name));
  return { released, audit: await audited(), asOf: today() };
}

/** @returns {Registry} what the page says that the registry said */
function remembered() {
  const page = readFileSync(PAGE, 'utf8');
  const rows = page.matchAll(/^\| `(?<name>[^`]+)` [^|]+\|[^|]+\| (?<released>[^|]+?) +\|/gm);
  return {
    released: new Map([...rows].map(({ groups }) => [groups?.['name'] ?? '', groups?.['released'] ?? ''])),
    audit: /^## Known vulnerabilities\n\n(.+)$/m.exec(page)?.[1] ?? '',
    asOf: /newest release on (\d{4}-\d\d-\d\d)/.exec(page)?.[1] ?? '',
  };
}

/** @param {number} bytes */
const sizeOf = (bytes) =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {readonly string[]} folders */
const bytesIn = (folders) => folders.map((folder) => bytesOf(join(ROOT, folder))).reduce((a, b) => a + b, 0);

/**
 * @param {string} name
 * @param {import('./installed-packages.mjs').Installed} installed
 * @param {Registry} registry
 */
function rowOf(name, installed, { released }) {
  const own = join(ROOT, 'node_modules', name);
  const { version, license = '' } = readManifest(own);
  const folders = closureOf(installed, [name]);
  const others = folders.length === 1 ? '' : `, ${folders.length - 1} more`;
  const scripts = folders.flatMap((folder) =>
    installScriptsOf(join(ROOT, folder), installed.get(folder)).map(
      (script) => `\`${script}\` of ${folder.replace(/^.*node_modules\//, '')}`,
    ),
  );
  const cells = [
    `\`${name}\` ${version}`,
    license,
    released.get(name) ?? '?',
    scripts.join(', ') || 'none',
    `${sizeOf(bytesIn(folders))}${others}`,
    EXTERNAL.includes(name) ? 'no' : 'yes',
    REASONS[name] ?? '?',
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param {readonly string[]} folders */
function licencesIn(folders) {
  const counts = /** @type {Map<string, number>} */ (new Map());
  for (const folder of folders) {
    const { license = 'none' } = readManifest(join(ROOT, folder));
    counts.set(license, (counts.get(license) ?? 0) + 1);
  }
  const falling = [...counts].toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return falling.map(([licence, count]) => `${licence} ${count}`).join(', ');
}

/** @param {Registry} registry */
function quietIn({ released }) {
  const quiet = [...released].filter(([, text]) => Number(/(\d+) days/.exec(text)?.[1]) > LONG_AGO_DAYS);
  return quiet.map(([name]) => `\`${name}\``).join(', ') || 'none';
}

/**
 * @param {readonly string[]} names
 * @param {Registry} registry
 */
function pageOf(names, registry) {
  const installed = readInstalled(ROOT);
  const all = closureOf(installed, names);
  const loaded = closureOf(installed, EXTERNAL);
  return `# Dependencies

What an installation of Botbell brings along, and why. \`node scripts/dependencies.mjs\` writes this page from what is installed;
with \`--refresh\` it also asks the registry when each was last released, and for known vulnerabilities.
\`test/dependencies.test.ts\` holds the page to package.json and to what is installed.

${names.length} packages are named in package.json; with what they need themselves, ${all.length} are installed, ${sizeOf(bytesIn(all))} on
${process.platform}-${process.arch}. Their licences: ${licencesIn(all)}.

No release for more than a year: ${quietIn(registry)}. They do what they are here for; whoever misses something in them
should look whether somebody still keeps them up.

"In the build": the code is in \`dist\`, and the copy in \`node_modules\` is never read. These stay in \`dependencies\`, where audits and
licence tools look for them ([ADR 10](adr/0010-one-bundle.md)). Only the others are loaded from there: with their own,
${loaded.length} packages, ${sizeOf(bytesIn(loaded))}.

No install script has to run: the package is tested with \`npm install --ignore-scripts\`.

| package | licence | newest release on ${registry.asOf} | install scripts | size, with what it needs | in the build | why it is here |
| --- | --- | --- | --- | --- | --- | --- |
${names.map((name) => rowOf(name, installed, registry)).join('\n')}

## Known vulnerabilities

${registry.audit}
`;
}

/** @returns {Promise<void>} */
async function writePage() {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = /** @type {{ dependencies: Record<string, string> }} */ (parsed(manifest));
  const names = Object.keys(dependencies);
  const registry = process.argv.includes('--refresh') ? await askRegistry(names) : remembered();
  const page = pageOf(names, registry);
  const options = await resolveConfig(PAGE);
  writeFileSync(PAGE, await format(page, { ...options, parser: 'markdown' }));
}

await writePage();
