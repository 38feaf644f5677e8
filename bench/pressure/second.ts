/** The second result of a job whose first one Botbell has taken over, at a destination that goes on refusing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Figure, figure, latencies, tallied } from './figures.ts';
import { isTaken, type JobService, labelsOf, longestAnswerMs, type Posting } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';
import { tellingFigures, tellingsOf, watch } from './tellings.ts';

const mailAddress = () => 'email:ops@example.com';

/** Twice half a minute, and the answers. */
const TAKEN_WITHIN_MS = 120_000;

export async function second(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick } = laboratory.setup;
  const jobs = isQuick ? 5 : 20;
  const remotes = await laboratory.remotes({ channels: [] });
  const bridge = await laboratory.bridge({
    remote: remotes,
    // Slack knows no such channel.
    routes: { job: [{ slack: '#missing' }, { email: 'ops@example.com' }] },
    delivery: `permanent_attempts: ${isQuick ? 1 : 2}`,
  });
  const service = laboratory.service(bridge);
  for (let index = 0; index < jobs; index += 1) void result(service, index, 1);
  await service.settled(TAKEN_WITHIN_MS);
  const firsts = [...service.postings];
  const seconds = postSeconds(service, jobs);
  const report = await watch(
    remotes,
    isQuick ? 25_000 : 100_000,
    () => seconds().length === jobs && seconds().every(({ answers }) => answers.some(isTaken)),
  );
  const all = seconds();
  const first = all.flatMap(({ answers }) => answers.slice(0, 1));
  return [
    figure('first results: answers', tallied(labelsOf(firsts))),
    atLeast('second results: at first answered 2xx', first.filter(isTaken).length, jobs, `of ${jobs}`),
    ...latencies(
      'second results: first answer',
      first.map(({ tookMs }) => tookMs),
      { longest: 1000 },
    ),
    figure('second results: answers', tallied(labelsOf(all))),
    atMost('second results: longest answer of all', longestAnswerMs(all), 1000, 'ms'),
    ...tellingFigures('second results, by mail', tellingsOf(all, mailAddress, report), { longest: 2000 }),
  ];
}

/** Spread over ten seconds, so that they meet the first ones' retries at all ages. @returns what has been posted */
function postSeconds(service: JobService, jobs: number): () => Posting[] {
  const before = service.postings.length;
  const post = async (index: number) => {
    await sleep((index * 10_000) / jobs);
    await result(service, index, 0);
  };
  for (let index = 0; index < jobs; index += 1) void post(index);
  return () => service.postings.slice(before);
}

function result(service: JobService, index: number, status: 0 | 1): Promise<Posting> {
  return service.post('job', { job_id: `twice-${index}`, status });
}
