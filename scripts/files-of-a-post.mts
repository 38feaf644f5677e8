/**
 * `node --import tsx scripts/files-of-a-post.mts`: how many files and functions of src/ one POST runs through that is told
 * on Slack, by V8's precise coverage. The stand-in for Slack is not counted.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../src/app/app.ts';
import { channelTypes } from '../src/channels/registry.ts';
import { readConfigInTurns } from '../src/app/read-config.ts';
import { checkProject, projectOf } from '../src/cli/load-project.ts';
import { startSlackStandIn } from '../src/stand-ins/slack-stand-in.ts';
import { createLogger } from '../src/observe/logger.ts';
import { systemClock } from '../src/time/clock.ts';

const SRC = join(import.meta.dirname, '../src');

/** Until what comes after the answer, a log line and the ledger's, is through. */
const AFTER_MS = 500;

const CALLBACK = {
  code: 200,
  bot_id: 'invoice',
  bot_name: '請求書取込BOT',
  status: 0,
  start_time: '2026-11-20T09:00:00+09:00',
  elapsed_time: 42,
  output: { Orders: ['A-1', 'A-2'], Total: '2' },
};

async function runOnce(url: string, job_id: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...CALLBACK, job_id }),
  });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${body}`);
  await sleep(AFTER_MS);
}

/** @returns by file, how many of its functions ran */
async function coveredBy(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // The first answer has all that ever ran, and begins the counts anew.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const files = result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => {
      const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      return [relative(SRC, fileURLToPath(url)), ran.length] as const;
    });
  return new Map(
    files.filter(([path, count]) => count > 0 && !path.startsWith('..') && !path.startsWith('stand-ins')),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'botbell-post-'));
const slack = await startSlackStandIn({ tokens: ['xoxb-1'], channels: [{ id: 'C0OPS0001', name: '#ops' }] });
const configFile = join(folder, 'botbell.yaml');
writeFileSync(
  configFile,
  `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { slack: { type: slack, token: xoxb-1, api_url: '${slack.apiUrl}' } }
default_route: { notify: [{ slack: '#ops' }] }
`,
);
const { project, problems } = checkProject({ variables: {}, configFile });
if (project === undefined) throw new Error(JSON.stringify(problems));
const logger = await createLogger('silent', false, (line) => line);
const app = await startApp({
  ...project,
  readConfig: () => readConfigInTurns(projectOf({ variables: {}, configFile })),
  channelTypes,
  clock: systemClock,
  logger,
  version: '0.0.0',
  print: () => undefined,
});
const url = `http://127.0.0.1:${app.receiver.port}/callbacks`;
await runOnce(url, 'first');
const files = await coveredBy(() => runOnce(url, 'second'));
for (const [path, count] of [...files].toSorted(([one], [other]) => one.localeCompare(other)))
  console.log(String(count).padStart(4), path);
const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
console.log(`${files.size} files, ${functions} functions`);
await app.stop();
await slack.close();
rmSync(folder, { recursive: true });
