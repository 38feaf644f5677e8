/** What a long backlog does to whoever comes after it, and how fast it is drained. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Figure, figure, tallied } from './figures.ts';
import { labelsOf, refusals } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';
import { tellingFigures, tellingsOf, watch } from './tellings.ts';

const BACKLOG = { botId: 'busy', state: 'pending', ageMs: 600_000 } as const;

/** Of an outside measurement of 0.1.0 with one process on SQLite. */
const DRAINED_PER_SECOND = 603;

const LOOK_EVERY_MS = 500;

export async function backlog(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick, rateLimit } = laboratory.setup;
  const count = isQuick ? 10_000 : 100_000;
  const fresh = isQuick ? 10 : 30;
  const remotes = await laboratory.remotes({ channels: ['#busy', '#other'], rateLimit });
  const routes = {
    busy: [{ slack: '#busy' }],
    slack: [{ slack: '#other' }],
    mail: [{ email: 'ops@example.com' }],
  };
  const bridge = await laboratory.bridge({ remote: remotes, routes }, [
    { ...BACKLOG, count, addresses: ['#busy'] },
  ]);
  const service = laboratory.service(bridge);
  await sleep(2000);
  const mails = service.postEvenly(fresh, fresh * 1100, () => 'mail');
  await service.postEvenly(fresh, fresh * 1100, () => 'slack');
  await mails;
  const tellings = (each: Parameters<typeof tellingsOf>[2]) => ({
    slack: tellingsOf(service.of('slack'), () => 'slack:#other', each),
    mail: tellingsOf(service.of('mail'), () => 'email:ops@example.com', each),
  });
  const report = await watch(remotes, isQuick ? 40_000 : 180_000, (each) => {
    const { slack, mail } = tellings(each);
    return slack.told === fresh && mail.told === fresh;
  });
  const { slack, mail } = tellings(report);
  return [
    ...tellingFigures('an idle Slack channel', slack, { longest: 2000 }),
    ...tellingFigures('an idle mail address', mail, { longest: 2000 }),
    atMost('answers that were not 2xx', refusals(service.postings), 0),
    figure('answers', tallied(labelsOf(service.postings))),
    figure('calls to Slack', report.slackCalls),
    figure('refused with 429', (100 * report.slackLimited) / report.slackCalls, '%'),
    figure('CPU of the server', bridge.cpuMs(), 'ms'),
  ];
}

export async function drain(laboratory: Laboratory): Promise<Figure[]> {
  const count = laboratory.setup.isQuick ? 10_000 : 100_000;
  const addresses = Array.from({ length: 10 }, (_, index) => `#channel-${index}`);
  const remote = await laboratory.fastRemotes();
  const routes = { busy: addresses.map((slack) => ({ slack })) };
  const startedAt = performance.now();
  const bridge = await laboratory.bridge({ remote, routes }, [{ ...BACKLOG, count, addresses }]);
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
