/** What has not reached a destination, and why: callbacks of a BOT and status that share a reason are told together. */
import type { ArchivedCallback, CallbackFilter } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/registry.ts';
import { DAY_MS } from '../signal/calendar.ts';
import { routingEvents, routingOf } from '../story/routing.ts';
import { Sayings, type StoryContext } from '../story/sayings.ts';
import { summarise } from '../story/standing.ts';

export interface NotTold {
  readonly count: number;
  /** The newest of them. */
  readonly last: ArchivedCallback;
  /** In the language asked for. */
  readonly why: string;
}

interface Search {
  readonly destination: string;
  /** Milliseconds since 1970. */
  readonly from: number;
}

const AT_ONCE = 500;

/** Newest first. A day at a time, since where nearly all was told, as many callbacks are looked through. */
export async function notTold(
  archive: Pick<Archive, 'callbacks' | 'story'>,
  { destination, from }: Search,
  context: StoryContext,
): Promise<readonly NotTold[]> {
  const groups = new Map<string, { count: number; readonly last: ArchivedCallback }>();
  // The store's clock may be ahead of this one.
  for (let to = context.now + DAY_MS; to >= from; to -= DAY_MS)
    for await (const last of untold(archive, {
      notTold: destination,
      from: Math.max(from, to - DAY_MS + 1),
      to,
    })) {
      const key = keyOf(last, destination);
      const group = groups.get(key) ?? { count: 0, last };
      group.count += 1;
      groups.set(key, group);
    }
  const told: NotTold[] = [];
  for (const group of groups.values())
    told.push({ ...group, why: await whyNot(group.last, archive, destination, context) });
  return told;
}

async function* untold(archive: Pick<Archive, 'callbacks'>, filter: CallbackFilter) {
  let before: number | undefined;
  do {
    const page = await archive.callbacks(filter, { before, limit: AT_ONCE });
    yield* page.items;
    before = page.next;
  } while (before !== undefined);
}

function keyOf({ botId, status, deliveries }: ArchivedCallback, destination: string): string {
  const there = deliveries.find((each) => each.destination === destination);
  return JSON.stringify([botId, status, there?.state, there?.reason, there?.lastError?.code]);
}

async function whyNot(
  { id }: ArchivedCallback,
  archive: Pick<Archive, 'story'>,
  destination: string,
  context: StoryContext,
): Promise<string> {
  const story = await archive.story(id);
  if (story === undefined) return '';
  const sayings = new Sayings(context);
  const deliveries = story.deliveries.filter((each) => each.destination === destination);
  if (deliveries.length > 0) return summarise({ ...story, deliveries }, context.now, sayings);
  const events = routingEvents(routingOf(story), story.receivedAt, story, sayings);
  return events.map(({ text }) => text).join(sayings.say('space'));
}
