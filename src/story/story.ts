/** The story of a callback: what happened to it and why, in sentences for whoever asks "why did I (not) get this?". */
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Archive } from '../ledger/people.ts';
import type { Language } from '../time/display.ts';
import type { StoryEvent } from './event.ts';
import { Sayings } from './sayings.ts';
import { comingEvents, standingsOf, summarise } from './standing.ts';
import { isUnanswered, timelineOf } from './timeline.ts';

export interface StoryContext {
  readonly language: Language;
  /** IANA name of the display's time zone. */
  readonly timezone: string;
  /** Milliseconds since 1970: what is still to happen is told as of now. */
  readonly now: number;
  /** Of the config in force, in milliseconds; undefined: when a delivery is given up is not told. */
  readonly giveUpAfterMs?: number;
  /** Takes secrets out of a text; default: nothing is taken out. */
  readonly redact?: (text: string) => string;
}

export interface Story {
  /** The whole of it in one or two sentences: who was told, who was not and why, what happens next. */
  readonly summary: string;
  /** In the order of time, at most some hundred; what is still to happen last. */
  readonly events: readonly StoryEvent[];
}

/** What a callback that came a thousand times has to tell is told of its beginning and its end. */
const MOST_FIRST = 60;
const MOST_LAST = 140;
/** Of what is still to happen, at as many destinations. */
const MOST_COMING = 50;

/** A callback with its story, as the page, the API and the command line tell it. */
export interface LoadedStory {
  readonly callback: CallbackStory;
  readonly story: Story;
}

/** @returns undefined: the ledger has no such callback. @throws {LedgerUnavailable} */
export async function loadStory(
  archive: Pick<Archive, 'story'>,
  id: number,
  context: StoryContext,
): Promise<LoadedStory | undefined> {
  const callback = await archive.story(id);
  return callback && { callback, story: tellStory(callback, context) };
}

export function tellStory(story: CallbackStory, context: StoryContext): Story {
  const { redact = (text: string) => text, now } = context;
  const sayings = new Sayings(context);
  const standings = standingsOf(story, context);
  const happened = shortened(timelineOf(story, sayings), MOST_FIRST, MOST_LAST, sayings);
  const coming = shortened(comingEvents(standings, now, sayings), MOST_COMING, 0, sayings);
  const unanswered: StoryEvent = { at: now, what: 'next', text: sayings.say('unanswered') };
  const events = [...happened, ...(isUnanswered(story) ? [unanswered] : []), ...coming];
  return {
    summary: redact(summarise(story, standings, sayings)),
    events: events.map((event) => ({
      ...event,
      text: redact(event.text),
      small: event.small && redact(event.small),
    })),
  };
}

function shortened(
  events: readonly StoryEvent[],
  first: number,
  last: number,
  sayings: Sayings,
): readonly StoryEvent[] {
  const count = events.length - first - last;
  const from = events[first];
  if (count <= 1 || from === undefined) return events;
  const text = sayings.say('left out', { count: sayings.number(count) });
  const leftOut: StoryEvent = { at: from.at, what: 'left out', text };
  return [...events.slice(0, first), leftOut, ...events.slice(events.length - last)];
}
