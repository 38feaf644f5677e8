/** What happened in the worlds of many seeds: a simulation in which nothing happens finds nothing. */
import type { Observed } from './observed.ts';

export type Tally = Map<string, number>;

export function addTo(tally: Tally, { posts, attempts, ends, acted, listed, pauses }: Observed): void {
  const all = [
    ...posts.map(({ status, result }) => `POST ${status ?? 'cut off'} ${result ?? ''}`),
    ...attempts.map(({ failure, endedAt, takenAt }) => {
      const end = endedAt === undefined ? 'cut off by a crash' : (failure?.code ?? 'ok');
      return `attempt ${end}${takenAt === undefined ? '' : ', taken'}`;
    }),
    ...attempts.filter(({ takenAt }) => takenAt !== undefined).map(({ notice }) => `told ${notice.template}`),
    ...ends.map(() => 'process ended'),
    ...pauses.map(() => 'pause'),
    ...acted.map(({ act, status }) => `asked ${act.kind} ${status ?? 'of nobody'}`),
    ...listed.flatMap(({ deliveries }) =>
      deliveries.map(({ state, rule }) => `delivery ${state} ${rule ?? ''}`),
    ),
  ];
  for (const what of all) tally.set(what, (tally.get(what) ?? 0) + 1);
}

export function shown(tally: Tally): string {
  return [...tally]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `${String(count).padStart(7)} ${what}`)
    .join('\n');
}
