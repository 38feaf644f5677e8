/** A callback with its story, as the page, the API and the command line tell it. */
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/people.ts';
import { type Story, type StoryContext, tellStory } from './story.ts';

/** A cause is alerted once an hour. */
const MOST_ALERTS = 20;

export interface LoadedStory {
  readonly callback: CallbackStory;
  readonly story: Story;
}

/**
 * The newest alerts about it are part of its story.
 * @returns undefined: the ledger has no such callback
 * @throws {LedgerUnavailable}
 */
export async function loadStory(
  archive: Pick<Archive, 'story'>,
  id: number,
  context: StoryContext,
): Promise<LoadedStory | undefined> {
  const callback = await archive.story(id);
  if (callback === undefined) return undefined;
  const alerts: CallbackStory[] = [];
  for (const alert of callback.alerts.slice(-MOST_ALERTS)) {
    const found = await archive.story(alert);
    if (found !== undefined) alerts.push(found);
  }
  return { callback, story: tellStory(callback, alerts, context) };
}
