/** Selects and sorts the BOTs on a page of the overview, failing ones first. */
import type { ArchivedBot, Run } from '../../../ledger/archive/archive.ts';

/**
 * @param name part of a name or id, in any case; empty for all
 * @param after the last BOT of the page before; if it no longer matches, the list begins anew
 * @returns `next`: the value of `after` for the next page; undefined if there is none
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

/** Sorts by the time of the last result, newest first; a BOT without one by its last callback. */
function laterFirst(a: ArchivedBot, b: ArchivedBot): number {
  const [atA, atB] = [a, b].map(({ lastResultAt, lastReceivedAt }) => lastResultAt ?? lastReceivedAt);
  return (atB ?? 0) - (atA ?? 0) || (a.botId < b.botId ? -1 : 1);
}

/** Ignores case and the difference between full-width and half-width characters. */
function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

/** The median duration of ended runs, in seconds; undefined if none is known. */
export function usualSeconds(runs: readonly Run[]): number | undefined {
  const known = runs.flatMap(({ status, elapsedSeconds }) =>
    status === 2 || elapsedSeconds === undefined ? [] : [elapsedSeconds],
  );
  return known.toSorted((a, b) => a - b)[Math.ceil(known.length / 2) - 1];
}
