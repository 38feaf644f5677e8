/** The story of a callback in sentences: what happened and why. It answers "why did I (not) get this?". */
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/registry.ts';
import { Sayings, type StoryContext } from './sayings.ts';
import { summarise } from './standing.ts';
import { timelineOf } from './timeline.ts';

/** A callback with its story, for the page, the API and the command line. */
export type LoadedStory = Exclude<Awaited<ReturnType<typeof loadStory>>, undefined>;

/** @returns undefined: the ledger has no such callback. @throws {LedgerUnavailable} */
export async function loadStory(archive: Pick<Archive, 'story'>, id: number, context: StoryContext) {
  const callback = await archive.story(id);
  return callback && { callback, story: tellStory(callback, context) };
}

/** `summary`: who was told, who was not and why, and what happens next, in one or two sentences. */
export function tellStory(story: CallbackStory, context: StoryContext) {
  const { redact = (text: string) => text, now } = context;
  const sayings = new Sayings(context);
  return {
    summary: redact(summarise(story, now, sayings)),
    events: timelineOf(story, sayings).map((event) => ({
      ...event,
      text: redact(event.text),
      small: event.small && redact(event.small),
    })),
  };
}
