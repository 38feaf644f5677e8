/** What has not reached a destination, and why: callbacks of a BOT and status that share a reason are told together. */
import type { ArchivedCallback } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/registry.ts';
import { routingEvents, routingOf } from '../story/routing.ts';
import { Sayings, type StoryContext } from '../story/sayings.ts';
import { summarise } from '../story/standing.ts';

export interface NotTold {
  readonly count: number;
  /** The newest callback of the group. */
  readonly last: ArchivedCallback;
  /** In the language asked for. */
  readonly why: string;
}

const AT_ONCE = 500;

/** The groups, newest first. @param from milliseconds since 1970 */
export async function notTold(
  archive: Pick<Archive, 'callbacks' | 'story'>,
  { destination, from }: { readonly destination: string; readonly from: number },
  context: StoryContext,
): Promise<readonly NotTold[]> {
  const groups = new Map<string, { count: number; readonly last: ArchivedCallback }>();
  let before: number | undefined;
  do {
    const page = await archive.callbacks({ notTold: destination, from }, { before, limit: AT_ONCE });
    for (const last of page.items) {
      const key = keyOf(last, destination);
      const group = groups.get(key) ?? { count: 0, last };
      group.count += 1;
      groups.set(key, group);
    }
    before = page.next;
  } while (before !== undefined);
  const told: NotTold[] = [];
  for (const group of groups.values())
    told.push({ ...group, why: await whyNot(group.last, archive, destination, context) });
  return told;
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
