/** Which BOTs a page of the overview shows, those that fail first, and what their runs come to. */
import type { ArchivedBot, Run } from '../../../ledger/archive/archive.ts';

/**
 * @param name part of a name or id, in any case; empty: all
 * @param after a BOT of the page before; one that is gone: from the beginning
 * @returns `next`: the BOT after which the next page begins; undefined: there is none
 */
export function botsOnPage(
  all: readonly ArchivedBot[],
  name: string,
  after: string | undefined,
  size: number,
) {
  const part = comparable(name);
  const matching = all
    .filter(({ botId, botName }) => [botId, botName].some((each) => comparable(each).includes(part)))
    .toSorted((a, b) => Number(b.isFailing) - Number(a.isFailing) || laterFirst(a, b));
  const start = matching.findIndex(({ botId }) => botId === after) + 1;
  const bots = matching.slice(start, start + size);
  return { bots, next: start + size < matching.length ? bots.at(-1)?.botId : undefined };
}

/** The one that something came of last first. */
function laterFirst(a: ArchivedBot, b: ArchivedBot): number {
  const [atA, atB] = [a, b].map(({ lastResultAt, lastReceivedAt }) => lastResultAt ?? lastReceivedAt);
  return (atB ?? 0) - (atA ?? 0) || (a.botId < b.botId ? -1 : 1);
}

/** Full and half width, upper and lower case are alike. */
function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

/** Seconds that half of those that ended took at most; undefined: of none it is known. */
export function usualSeconds(runs: readonly Run[]): number | undefined {
  const known = runs.flatMap(({ status, elapsedSeconds }) =>
    status === 2 || elapsedSeconds === undefined ? [] : [elapsedSeconds],
  );
  return known.toSorted((a, b) => a - b)[Math.ceil(known.length / 2) - 1];
}
