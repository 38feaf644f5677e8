/** Many dead letters must not slow the answers while old callbacks are forgotten. */
import { type Figure, figure, latencies, tallied } from './figures.ts';
import { labelsOf } from './job-service.ts';
import type { Laboratory } from './laboratory.ts';

const DAY_MS = 86_400_000;

/** Older than `keep`, so that the retention goes for them, or past them, as long as the scenario lasts. */
const AGE_MS = 40 * DAY_MS;

const SETTLED_WITHIN_MS = 60_000;

export async function dead(laboratory: Laboratory): Promise<Figure[]> {
  const { isQuick } = laboratory.setup;
  const deadLetters = isQuick ? 50_000 : 200_000;
  const delivered = isQuick ? 10_000 : 40_000;
  const seconds = isQuick ? 10 : 40;
  const remote = await laboratory.remotes({ channels: ['#ops'] });
  const seed = { addresses: ['#ops'], ageMs: AGE_MS };
  const bridge = await laboratory.bridge({ remote, routes: { fresh: [{ slack: '#ops' }] } }, [
    { ...seed, botId: 'dead', count: deadLetters, state: 'dead' },
    { ...seed, botId: 'delivered', count: delivered, state: 'delivered' },
  ]);
  const service = laboratory.service(bridge);
  await service.postEvenly(20 * seconds, seconds * 1000, () => 'fresh');
  await service.settled(SETTLED_WITHIN_MS);
  const answers = service.postings.flatMap((posting) => posting.answers);
  return [
    ...latencies(
      'until answered',
      answers.map(({ tookMs }) => tookMs),
      { p99: 100 },
    ),
    figure('answers', tallied(labelsOf(service.postings))),
    figure('CPU of the server', bridge.cpuMs(), 'ms'),
  ];
}
