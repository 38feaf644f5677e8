/** Destinations that another config would add for, or drop from, the callbacks of the last days. */
import type { ReloadPreview, RoutingChange } from '../admin/services.ts';
import { statusNameOf } from '../callback/callback.ts';
import type { Router } from '../route/router.ts';
import type { CameOfBot } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/registry.ts';

type Route = Router['route'];

export const LOOKED_BACK_MS = 7 * 86_400_000;

const MOST_CHANGES = 1000;

/** The destinations in which two routers differ for the callbacks of one BOT and status; empty when they agree. */
export function changesOf(
  { botId, status, callbacks }: CameOfBot,
  before: Route,
  after: Route,
): readonly RoutingChange[] {
  const callback = { bot_id: botId, status };
  const [old, next] = [keysOf(before, callback), keysOf(after, callback)];
  const added = next.filter((key) => !old.includes(key));
  const removed = old.filter((key) => !next.includes(key));
  if (added.length + removed.length === 0) return [];
  return [{ botId, status: statusNameOf(callback), callbacks, added, removed }];
}

function keysOf(route: Route, callback: Parameters<Route>[0]): readonly string[] {
  return route(callback).destinations.map(({ destination }) => destination);
}

/** @param since milliseconds since 1970 @throws {LedgerUnavailable} */
export async function routingChanges(
  archive: Pick<Archive, 'cameSince'>,
  since: number,
  before: Route,
  after: Route,
): Promise<Pick<ReloadPreview, 'changes' | 'isComplete'>> {
  const { came, isComplete } = await archive.cameSince(since);
  const changes = came.flatMap((each) => changesOf(each, before, after));
  return {
    changes: changes.toSorted((a, b) => b.callbacks - a.callbacks).slice(0, MOST_CHANGES),
    isComplete: isComplete && changes.length <= MOST_CHANGES,
  };
}
