/** Posts many callbacks to the built program and prints what they cost: `node --import tsx test/soak.ts 50000 [delivered|accepted] [store URL]`. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { startMailCatcher } from '../src/stand-ins/mail-catcher.ts';
import { startSlackStandIn } from '../src/stand-ins/slack-stand-in.ts';
import { serve, type ServeProcess } from './support/process.ts';
import { JobService } from './support/proof-service.ts';
import { keyedCallback, keyOf } from './support/proof-tally.ts';
import { until } from './support/proof-wait.ts';

const STEPS = 10;
const CONCURRENCY = 32;
const MEBIBYTE = 1024 * 1024;

/** proc(5): user and system time are in clock ticks, of which Linux has a hundred a second. */
const MS_PER_TICK = 10;

/** Makes the program tell its heap when it is asked by a signal. */
const TELL_HEAP =
  'process.on("SIGUSR2",()=>{gc();console.error(JSON.stringify({heapUsed:process.memoryUsage().heapUsed}))})';

const [count = '50000', mode = 'delivered', storeUrl] = process.argv.slice(2);
const total = Number(count);
if (!Number.isInteger(total) || total < STEPS) throw new Error(`give a number of callbacks from ${STEPS} on`);

const folder = mkdtempSync(join(tmpdir(), 'botbell-soak-'));
const file = join(folder, 'botbell.db');
const slack = await startSlackStandIn({
  tokens: ['xoxb-soak'],
  channels: [{ id: 'C0OPS0001', name: '#ops' }],
});
const mail = await startMailCatcher();
const config = join(folder, 'botbell.yaml');
writeFileSync(
  config,
  `receiver: { listen: '127.0.0.1:0', answer_when: ${mode} }
admin: { listen: '127.0.0.1:0' }
store: { url: '${storeUrl ?? `sqlite:${file}`}' }
channels:
  slack: { type: slack, token: xoxb-soak, api_url: '${slack.apiUrl}' }
  email: { type: email, smtp: 'smtp://${mail.host}/?ignoreTLS=true', from: alerts@example.com }
default_route: { notify: [{ slack: '#ops' }, { email: [ops@example.com] }] }
`,
);
const botbell = await serve(
  config,
  {},
  {
    nodeArguments: ['--expose-gc', `--import=data:text/javascript,${encodeURIComponent(TELL_HEAP)}`],
  },
);

function cpuMsOf({ pid }: ServeProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function rssOf({ pid }: ServeProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

async function heapOf(program: ServeProcess): Promise<number> {
  const answers = () => [...program.log().matchAll(/"heapUsed":(\d+)/g)];
  const before = answers().length;
  program.kill('SIGUSR2');
  await until('the program tells its heap', () => answers().length > before);
  return Number(answers().at(-1)?.[1]);
}

async function isAllTold(): Promise<boolean> {
  const { body } = await request(`${botbell.adminUrl}/metrics`);
  return (await body.text()).includes('botbell_deliveries_pending 0\n');
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(14)).join('');
}

const inMebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(1);
const told = { slack: 0, mail: 0 };

console.log(row(['callbacks', 'callbacks/s', 'CPU ms/notif.', 'RSS MiB', 'heap MiB', 'ledger MiB']));
for (let step = 0; step < STEPS; step += 1) {
  const from = Math.floor((step * total) / STEPS);
  const to = Math.floor(((step + 1) * total) / STEPS);
  const before = { cpuMs: cpuMsOf(botbell), at: performance.now() };
  const callbacks = Array.from({ length: to - from }, (_, index) => keyedCallback(keyOf(from + index)));
  const service = new JobService({
    urlOf: () => botbell.callbacksUrl,
    retryMs: 1000,
    concurrency: CONCURRENCY,
  });
  await service.postAll(callbacks, 3_600_000);
  await until('everybody is told', isAllTold, 600_000);
  const seconds = (performance.now() - before.at) / 1000;
  const cpuMs = (cpuMsOf(botbell) - before.cpuMs) / (slack.messages.length + mail.mails.length);
  told.slack += slack.messages.splice(0).length;
  told.mail += mail.mails.splice(0).length;
  const ledger = storeUrl === undefined ? inMebibytes(statSync(file).size) : '';
  const heap = inMebibytes(await heapOf(botbell));
  const rate = ((to - from) / seconds).toFixed(0);
  console.log(row([to, rate, cpuMs.toFixed(2), inMebibytes(rssOf(botbell)), heap, ledger]));
}
const isComplete = told.slack === total && told.mail === total;
console.log(isComplete ? 'everybody was told once' : `told: ${JSON.stringify(told)}`);
botbell.kill('SIGTERM');
await botbell.exited();
await Promise.all([slack.close(), mail.close()]);
rmSync(folder, { recursive: true, force: true });
process.exitCode = isComplete ? 0 : 1;
