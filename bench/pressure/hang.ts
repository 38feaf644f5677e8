/** A Slack that takes connections and never answers must not hold up mails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure, figure, tallied } from './figures.ts';
import { labelsOf, longestAnswerMs, type Posting, refusals } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';
import type { RemotesReport } from './remotes.ts';
import { tellingFigures, tellingsOf, watch } from './tellings.ts';

const mailAddress = () => 'email:ops@example.com';

export async function hang(laboratory: Laboratory): Promise<Figure[]> {
  const full = { hanging: 400, mails: 100, mailMs: 5000, watchMs: 120_000 };
  const quick = { hanging: 400, mails: 30, mailMs: 2000, watchMs: 50_000 };
  const { hanging, mails, mailMs, watchMs } = laboratory.setup.isQuick ? quick : full;
  const remotes = await laboratory.remotes({ channels: ['#ops'], doesHang: true });
  const routes = { slack: [{ slack: '#ops' }], mail: [{ email: 'ops@example.com' }] };
  const bridge = await laboratory.bridge({ remote: remotes, routes });
  const service = laboratory.service(bridge);
  await service.postEvenly(hanging, 2000, () => 'slack');
  await sleep(500);
  await service.postEvenly(mails, mailMs, () => 'mail');
  const report = await watch(
    remotes,
    watchMs,
    (each) =>
      tellingsOf(service.of('mail'), mailAddress, each).told === mails && areAnswered(service.postings),
  );
  return [
    ...mailFigures(service.of('mail'), report),
    ...hangingFigures(service.of('slack')),
    figure('CPU of the server', bridge.cpuMs(), 'ms'),
  ];
}

function areAnswered(postings: readonly Posting[]): boolean {
  return postings.every(({ answers }) => answers.length > 0);
}

function mailFigures(mails: readonly Posting[], report: RemotesReport): Figure[] {
  return [
    ...tellingFigures('the mails', tellingsOf(mails, mailAddress, report), { p99: 1000 }),
    atMost('the mails: answers that were not 2xx', refusals(mails), 0),
    figure('the mails: answers', tallied(labelsOf(mails))),
  ];
}

function hangingFigures(hanging: readonly Posting[]): Figure[] {
  const first = hanging.map((posting) => ({ ...posting, answers: posting.answers.slice(0, 1) }));
  return [
    figure('the hanging Slack: first answers', tallied(labelsOf(first))),
    figure('the hanging Slack: longest answer', longestAnswerMs(hanging), 'ms'),
  ];
}
