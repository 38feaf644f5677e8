/** What another config would change for the callbacks of the last days: who would be told that was not, who no longer. */
import type { ReloadPreview, RoutingChange } from '../admin/services.ts';
import { ALL_STATUSES, type StatusCode } from '../callback/callback.ts';
import type { Settings } from '../deliver/settings.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import { dayIn } from '../ledger/keys.ts';
import type { Archive } from '../ledger/people.ts';
import type { Clock } from '../time/clock.ts';

type Route = Settings['route'];

const DAYS = 7;
const DAY_MS = 86_400_000;

/** Whoever asks waits no longer for the BOTs to be read. */
const LONGEST_READING_MS = 3000;

const MOST_CHANGES = 1000;

/** Of a BOT, what came of each status since a day; its id as the archive names it. */
type SeenBot = Pick<ArchivedBot, 'botId' | 'counts'>;

/** The first of the days that are looked at; now is in milliseconds since the epoch. */
export function firstDay(now: number, timezone: string): string {
  return dayIn(() => timezone)(now - (DAYS - 1) * DAY_MS);
}

/** Of one BOT, each status for which the two differ. */
export function changesOf({ botId, counts }: SeenBot, before: Route, after: Route): readonly RoutingChange[] {
  const seen = [counts.succeeded, counts.failed, counts.started] as const;
  return ALL_STATUSES.flatMap((status, index) => {
    const callbacks = seen[index] ?? 0;
    if (callbacks === 0) return [];
    const callback = { bot_id: botId, status: index as StatusCode };
    const [old, next] = [keysOf(before, callback), keysOf(after, callback)];
    const added = next.filter((key) => !old.includes(key));
    const removed = old.filter((key) => !next.includes(key));
    return added.length + removed.length === 0 ? [] : [{ botId, status, callbacks, added, removed }];
  });
}

function keysOf(route: Route, callback: Parameters<Route>[0]): readonly string[] {
  return route(callback).destinations.map(({ destination }) => destination.key);
}

/** @param since a day @throws {LedgerUnavailable} */
export async function routingChanges(
  { archive, clock }: { readonly archive: Pick<Archive, 'bots'>; readonly clock: Pick<Clock, 'monotonic'> },
  since: string,
  before: Route,
  after: Route,
): Promise<Pick<ReloadPreview, 'changes' | 'isComplete'>> {
  const deadline = clock.monotonic() + LONGEST_READING_MS;
  const changes: RoutingChange[] = [];
  let bots: readonly ArchivedBot[] = [];
  do {
    bots = await archive.bots(since, bots.at(-1)?.botId);
    changes.push(...bots.flatMap((bot) => changesOf(bot, before, after)));
  } while (bots.length > 0 && clock.monotonic() < deadline);
  return {
    changes: changes.toSorted((a, b) => b.callbacks - a.callbacks).slice(0, MOST_CHANGES),
    isComplete: bots.length === 0 && changes.length <= MOST_CHANGES,
  };
}
