/**
 * Posts many callbacks to the built program, which tells everybody once, and whose memory must not grow:
 * `node --import tsx test/soak.ts 50000 [delivered|accepted] [store URL]`.
 */
import { request } from 'undici';
import type { ServeProcess } from './support/process.ts';
import { JobService } from './support/proof-service.ts';
import { keyedCallback, keyOf } from './support/proof-tally.ts';
import { until } from './support/proof-wait.ts';
import { createProgramWorld } from './support/program-world.ts';

const STEPS = 10;
const MEBIBYTE = 1024 * 1024;

/** After the first step, when caches are full. */
const MOST_GROWTH = 8 * MEBIBYTE;

/** Makes the program tell its heap when it is asked by a signal. */
const TELL_HEAP =
  'process.on("SIGUSR2",()=>{gc();console.error(JSON.stringify({heapUsed:process.memoryUsage().heapUsed}))})';

const [count = '50000', mode = 'delivered', store] = process.argv.slice(2);
const total = Number(count);
if (!Number.isInteger(total) || total < STEPS) throw new Error(`give a number of callbacks from ${STEPS} on`);

const world = await createProgramWorld({
  receiver: `answer_when: ${mode}`,
  ...(store !== undefined && { store }),
});
const nodeArguments = ['--expose-gc', `--import=data:text/javascript,${encodeURIComponent(TELL_HEAP)}`];
const botbell = await world.start({ nodeArguments });

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

const told = { slack: 0, mail: 0 };
const heaps: number[] = [];
for (let step = 0; step < STEPS; step += 1) {
  const from = Math.floor((step * total) / STEPS);
  const to = Math.floor(((step + 1) * total) / STEPS);
  const callbacks = Array.from({ length: to - from }, (_, index) => keyedCallback(keyOf(from + index)));
  const service = new JobService({ urlOf: () => botbell.callbacksUrl, retryMs: 1000, concurrency: 32 });
  await service.postAll(callbacks, 3_600_000);
  await until('everybody is told', isAllTold, 600_000);
  told.slack += world.slack.messages.splice(0).length;
  told.mail += world.mail.mails.splice(0).length;
  heaps.push(await heapOf(botbell));
  console.log(`${to} callbacks, heap ${((heaps.at(-1) ?? 0) / MEBIBYTE).toFixed(1)} MiB`);
}
await world.close();

const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
const isComplete = told.slack === total && told.mail === total;
console.log(isComplete ? 'everybody was told once' : `told: ${JSON.stringify(told)}`);
if (growth > MOST_GROWTH) console.log(`the heap has grown by ${(growth / MEBIBYTE).toFixed(1)} MiB`);
process.exitCode = isComplete && growth <= MOST_GROWTH ? 0 : 1;
