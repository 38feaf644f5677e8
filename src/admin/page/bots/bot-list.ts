/** Which BOTs a page of the overview shows, those that are late or fail first, and what their runs come to. */
import type { ArchivedBot, LateBot, Run } from '../../../ledger/archive/archive.ts';

export interface BotsOnPage {
  readonly bots: readonly ArchivedBot[];
  /** The BOT after which the next page begins; undefined: there is none. */
  readonly next: string | undefined;
}

/**
 * @param name part of a name or id, in any case, `*` standing for anything; empty: all
 * @param after a BOT of the page before; one that is gone: from the beginning
 */
export function botsOnPage(
  all: readonly ArchivedBot[],
  name: string,
  after: string | undefined,
  size: number,
  late: ReadonlyMap<string, LateBot> = new Map(),
): BotsOnPage {
  const trouble = ({ botId, isFailing }: ArchivedBot) => (late.has(botId) ? 2 : Number(isFailing));
  const parts = comparable(name).split('*');
  const matches = (text: string) => holdsInOrder(comparable(text), parts);
  const matching = all
    .filter(({ botId, botName }) => matches(botName) || matches(botId))
    .toSorted((a, b) => trouble(b) - trouble(a) || laterFirst(a, b));
  const start = after === undefined ? 0 : matching.findIndex(({ botId }) => botId === after) + 1;
  const bots = matching.slice(start, start + size);
  return { bots, next: start + size < matching.length ? bots.at(-1)?.botId : undefined };
}

/** The one that something came of last first. */
function laterFirst(a: ArchivedBot, b: ArchivedBot): number {
  return lastAt(b) - lastAt(a) || (a.botId < b.botId ? -1 : 1);
}

/** By their ids, as they were told last. @param told the last one first */
export function lateById(told: readonly LateBot[]): ReadonlyMap<string, LateBot> {
  return new Map(told.toReversed().map((each) => [each.botId, each]));
}

/** A BOT of which nothing has ever come. */
export function unheardOf({ botId, botName, toldAt }: LateBot): ArchivedBot {
  const never = { lastSucceededAt: undefined, lastFailedAt: undefined, lastResultAt: undefined };
  return { botId, botName, lastCallbackId: 0, lastReceivedAt: toldAt, ...never, isFailing: false };
}

function lastAt({ lastResultAt, lastReceivedAt }: ArchivedBot): number {
  return lastResultAt ?? lastReceivedAt;
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
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
