/** Many errors at once for Slack channels that take one message a second. */
import type { BridgeSettings } from './bridge.ts';
import { atMost, type Figure, figure, tallied } from './figures.ts';
import { botSeconds, isTaken, type JobService, labelsOf, type Posting, refusals } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';
import type { Remotes, RemotesReport } from './remotes.ts';
import type { Setup } from './setup.ts';
import { tellingFigures, tellingsOf, watch } from './tellings.ts';

const OTHER = '#other';

/** A little slower than the limit, so that the other channel by itself never meets it. */
const OTHER_EVERY_MS = 1100;

/** Slack: "several hundred". */
const WORKSPACE_PER_MINUTE = 300;

interface Burst {
  readonly errors: number;
  /** That the errors are for, in turn. */
  readonly channels: number;
  readonly withinMs: number;
  readonly watchMs: number;
  /** The last of them is to be told by then. */
  readonly lastMs: number;
  /** The other channel is looked at for at least so long. */
  readonly otherMs: number;
  /** Ninety of a hundred messages for the other channel are told by then. */
  readonly otherP90Ms: number;
  readonly rateLimit: Setup['rateLimit'];
}

export function burst(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick, rateLimit } = laboratory.setup;
  const full = { errors: 300, withinMs: 6000, watchMs: 330_000, lastMs: 330_000, otherMs: 66_000 };
  const quick = { errors: 40, withinMs: 1000, watchMs: 50_000, lastMs: 45_000, otherMs: 20_000 };
  return measureBurst(laboratory, { ...(isQuick ? quick : full), channels: 1, otherP90Ms: 500, rateLimit });
}

export function ten(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick, rateLimit } = laboratory.setup;
  const watchMs = isQuick ? 40_000 : 150_000;
  return measureBurst(laboratory, {
    errors: 10,
    withinMs: 1,
    watchMs,
    lastMs: 15_000,
    otherMs: 0,
    otherP90Ms: 0,
    channels: 1,
    rateLimit,
  });
}

/** No channel has many, but all together are more than the workspace takes. */
export function workspace(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick, rateLimit } = laboratory.setup;
  const full = { errors: 300, withinMs: 6000, watchMs: 180_000, lastMs: 120_000, otherMs: 66_000 };
  const quick = { errors: 60, withinMs: 1000, watchMs: 50_000, lastMs: 30_000, otherMs: 11_000 };
  return measureBurst(laboratory, {
    ...(isQuick ? quick : full),
    channels: 30,
    // What is limited is the workspace, so the other one waits for its turn, too.
    otherP90Ms: 2000,
    rateLimit: { workspacePerMinute: WORKSPACE_PER_MINUTE, ...rateLimit },
  });
}

async function measureBurst(laboratory: Laboratory, size: Burst): Promise<Figure[]> {
  const { bots } = laboratory.setup;
  const busy = Array.from({ length: size.channels }, (_, index) => `#busy-${index}`);
  const remotes = await laboratory.remotes({ channels: [...busy, OTHER], rateLimit: size.rateLimit });
  const routes: BridgeSettings['routes'] = {
    ...Object.fromEntries(busy.map((slack, index) => [`busy-${index}/*`, [{ slack }]] as const)),
    other: [{ slack: OTHER }],
  };
  const bridge = await laboratory.bridge({ remote: remotes, routes });
  const service = laboratory.service(bridge);
  const others = Math.floor(size.watchMs / OTHER_EVERY_MS);
  if (size.otherMs > 0) void service.postEvenly(others, size.watchMs, () => 'other');
  await service.postEvenly(
    size.errors,
    size.withinMs,
    (index) => `busy-${index % size.channels}/${Math.floor(index / size.channels) % bots}`,
  );
  const report = await watchBurst(remotes, service, size);
  return [
    ...busyFigures(busyOf(service), report, size),
    figure('CPU of the server', bridge.cpuMs(), 'ms'),
    ...otherFigures(service.of('other'), report, size),
  ];
}

function watchBurst(remotes: Remotes, service: JobService, size: Burst): Promise<RemotesReport> {
  const startedAt = performance.now();
  return watch(remotes, size.watchMs - size.withinMs, (report) => {
    if (performance.now() - startedAt < size.otherMs) return false;
    const busy = busyOf(service);
    const areAnswered = busy.every(({ answers }) => answers.some(isTaken));
    return areAnswered && tellingsOf(busy, busyChannelOf, report).told === size.errors;
  });
}

function busyOf({ postings }: JobService): Posting[] {
  return postings.filter(({ botId }) => botId !== 'other');
}

function busyChannelOf({ botId }: Posting): string {
  return `slack:#${botId.split('/')[0]}`;
}

function busyFigures(postings: readonly Posting[], report: RemotesReport, size: Burst): Figure[] {
  const tellings = tellingsOf(postings, busyChannelOf, report);
  const { slackCalls, slackLimited } = report;
  return [
    ...tellingFigures('the errors', tellings),
    atMost('the last one told after', tellings.lastMs / 1000, size.lastMs / 1000, 's'),
    atMost('answers that were not 2xx', refusals(postings), 0),
    figure('which cost the BOTs', botSeconds(postings) / 60, 'min'),
    figure('answers', tallied(labelsOf(postings))),
    figure('calls to Slack', slackCalls),
    atMost('refused with 429', (100 * slackLimited) / slackCalls, 10, '%'),
  ];
}

function otherFigures(postings: readonly Posting[], report: RemotesReport, { otherP90Ms }: Burst): Figure[] {
  if (postings.length === 0) return [];
  // The last ones may be under way.
  const told = tellingsOf(postings.slice(0, -2), () => `slack:${OTHER}`, report);
  return [
    ...tellingFigures('the other channel', told, { p90: otherP90Ms }),
    atMost('the other channel: answers that were not 2xx', refusals(postings), 0),
  ];
}
