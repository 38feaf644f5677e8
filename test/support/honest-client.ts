/**
 * A process of its own that plays the ordinary clients: a job service that posts callbacks of many jobs, and a monitor
 * that asks for /healthz. Started by honest-prober.ts; apart, so that what it measures is not its attacker's own load.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { keyedCallback, keyOf } from './proof-tally.ts';
import { type Probe, timedRequest } from './timed-request.ts';

/** What the process is told first. */
export interface HonestPlan {
  readonly port: number;
  /** Of the receiver. */
  readonly path: string;
  /** Loopback address that it connects from, e.g. `127.0.0.2`. */
  readonly from: string;
  readonly postEveryMs: number;
  readonly healthEveryMs: number;
  /** Stands for the service's 30 s. */
  readonly retryMs: number;
  /** BOT ids are this and a number from 0 to 9. */
  readonly botPrefix: string;
  /** Number of the first key. */
  readonly firstKey: number;
}

export interface HonestPost extends Probe {
  /** The job id. */
  readonly key: string;
}

export interface HonestRecord {
  /** Retries included, in the order of their answers. */
  readonly posts: readonly HonestPost[];
  readonly health: readonly Probe[];
  /** Keys that nobody has answered 2xx to. */
  readonly unanswered: readonly string[];
}

/** What the process tells. */
export type HonestNews = 'ready' | HonestRecord;

const BOTS = 10;

const over = new AbortController();

async function watchHealth(plan: HonestPlan, health: Probe[]): Promise<void> {
  while (!over.signal.aborted) {
    health.push(await timedRequest({ ...plan, path: '/healthz' }));
    await sleep(plan.healthEveryMs);
  }
}

/** Posts until it is answered 2xx, and once more after it was told to stop. */
async function postUntilTaken(
  plan: HonestPlan,
  number: number,
  posts: HonestPost[],
  open: Set<string>,
): Promise<void> {
  const key = keyOf(number);
  const body = JSON.stringify(keyedCallback(key, { bot_id: `${plan.botPrefix}${number % BOTS}` }));
  open.add(key);
  for (let isLast = false; !isLast;) {
    isLast = over.signal.aborted;
    const probe = await timedRequest({ ...plan, body });
    posts.push({ ...probe, key });
    if (probe.status >= 200 && probe.status < 300) {
      open.delete(key);
      return;
    }
    if (!isLast) await sleep(plan.retryMs);
  }
}

function tell(news: HonestNews): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(news, () => resolve());
  });
}

async function run(plan: HonestPlan): Promise<void> {
  const [posts, health, open]: [HonestPost[], Probe[], Set<string>] = [[], [], new Set()];
  // The first ones of all are slow for reasons of their own.
  await timedRequest({ ...plan, path: '/healthz' });
  await postUntilTaken(plan, plan.firstKey, [], open);
  await tell('ready');
  const watching = watchHealth(plan, health);
  const posting: Promise<void>[] = [];
  for (let number = plan.firstKey + 1; !over.signal.aborted; number += 1) {
    posting.push(postUntilTaken(plan, number, posts, open));
    await sleep(plan.postEveryMs);
  }
  await Promise.all([watching, ...posting]);
  await tell({ posts, health, unanswered: [...open] });
  process.disconnect();
}

process.on('message', (message: HonestPlan | 'stop') => {
  if (message === 'stop') over.abort();
  else void run(message);
});
process.on('disconnect', () => process.exit());
