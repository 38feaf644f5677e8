/** What a long backlog does to whoever comes after it, and how fast it is drained. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Figure, figure, tallied } from './figures.ts';
import { type JobService, labelsOf, refusals } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';
import type { RemotesReport } from './remotes.ts';
import type { Setup } from './setup.ts';
import { tellingFigures, tellingsOf, watch } from './tellings.ts';

const BACKLOG = { botId: 'busy', state: 'pending', ageMs: 600_000 } as const;

/** Of an outside measurement of 0.1.0 with one process on SQLite. */
const DRAINED_PER_SECOND = 603;

const LOOK_EVERY_MS = 500;

const TEN_CHANNELS = Array.from({ length: 10 }, (_, index) => `#channel-${index}`);

/** A little slower than the limit of a channel. */
const NEWCOMER_EVERY_MS = 1100;

/** To one channel that takes a message a second. */
export function backlog(laboratory: Laboratory): Promise<Figure[]> {
  return measureNewcomers(laboratory, ['#busy'], laboratory.setup.rateLimit);
}

/** To channels that take everything: the server is never done. */
export function behind(laboratory: Laboratory): Promise<Figure[]> {
  return measureNewcomers(laboratory, TEN_CHANNELS, undefined);
}

async function measureNewcomers(
  laboratory: Laboratory,
  addresses: readonly string[],
  rateLimit: Setup['rateLimit'] | undefined,
): Promise<Figure[]> {
  const { isQuick } = laboratory.setup;
  const count = isQuick ? 10_000 : 100_000;
  const fresh = isQuick ? 10 : 30;
  const remotes = await laboratory.remotes({ channels: [...addresses, '#other'], rateLimit });
  const routes = {
    busy: addresses.map((slack) => ({ slack })),
    slack: [{ slack: '#other' }],
    mail: [{ email: 'ops@example.com' }],
  };
  const bridge = await laboratory.bridge({ remote: remotes, routes }, [{ ...BACKLOG, count, addresses }]);
  const service = laboratory.service(bridge);
  const mails = service.postEvenly(fresh, fresh * NEWCOMER_EVERY_MS, () => 'mail');
  await service.postEvenly(fresh, fresh * NEWCOMER_EVERY_MS, () => 'slack');
  await mails;
  const report = await watch(remotes, isQuick ? 40_000 : 180_000, (each) => {
    const { slack, mail } = newcomersTold(service, each);
    return slack.told === fresh && mail.told === fresh;
  });
  return [...newcomerFigures(service, report), figure('CPU of the server', bridge.cpuMs(), 'ms')];
}

function newcomersTold(service: JobService, report: RemotesReport) {
  return {
    slack: tellingsOf(service.of('slack'), () => 'slack:#other', report),
    mail: tellingsOf(service.of('mail'), () => 'email:ops@example.com', report),
  };
}

function newcomerFigures(service: JobService, report: RemotesReport): Figure[] {
  const { slack, mail } = newcomersTold(service, report);
  return [
    ...tellingFigures('an idle Slack channel', slack, { longest: 2000 }),
    ...tellingFigures('an idle mail address', mail, { longest: 2000 }),
    atMost('answers that were not 2xx', refusals(service.postings), 0),
    figure('answers', tallied(labelsOf(service.postings))),
    figure('of the backlog, told meanwhile', report.toldOfSeeded),
    figure('calls to Slack', report.slackCalls),
    figure('refused with 429', (100 * report.slackLimited) / report.slackCalls, '%'),
  ];
}

export async function drain(laboratory: Laboratory): Promise<Figure[]> {
  const count = laboratory.setup.isQuick ? 10_000 : 100_000;
  const remote = await laboratory.fastRemotes();
  const routes = { busy: TEN_CHANNELS.map((slack) => ({ slack })) };
  const startedAt = performance.now();
  const bridge = await laboratory.bridge({ remote, routes }, [
    { ...BACKLOG, count, addresses: TEN_CHANNELS },
  ]);
  const readyAt = performance.now();
  const range = { from: 1, to: count + 1 };
  const limitMs = laboratory.setup.isQuick ? 60_000 : 300_000;
  let told = 0;
  for (; told < count && performance.now() - readyAt < limitMs; await sleep(LOOK_EVERY_MS)) {
    told = await remote.countArrived(range);
  }
  const seconds = (performance.now() - readyAt) / 1000;
  return [
    atLeast('told', told, count, `of ${count}`),
    atLeast('deliveries a second', told / seconds, DRAINED_PER_SECOND),
    figure('CPU of the server for each', bridge.cpuMs() / told, 'ms'),
    figure('the ledger written, and the server started, within', readyAt - startedAt, 'ms'),
  ];
}
