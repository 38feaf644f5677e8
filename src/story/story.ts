/** The story of a callback: what happened to it and why, in sentences for whoever asks "why did I (not) get this?". */
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Language } from '../time/display.ts';
import type { Fact, FactKind } from './facts.ts';
import { factsOf, isUnanswered } from './history-facts.ts';
import { isOpen, type Standing, standingsOf } from './standing.ts';
import { summarise } from './summary.ts';
import { sayingsOf } from './sayings.ts';
import { tell } from './words.ts';
import { ENGLISH } from './words-en.ts';
import { JAPANESE } from './words-ja.ts';

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

export type StoryEventName =
  | 'received'
  | 'route matched'
  | 'route did not match'
  | 'superseded'
  | 'held'
  | 'attempt'
  | 'delivered'
  | 'dead'
  | 'taken over'
  | 'answered'
  | 'alerted'
  | 'redelivered'
  | 'dismissed'
  | 'routed anew'
  | 'left out'
  | 'next';

/** One thing that happened, or that will. */
export interface StoryEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: StoryEventName;
  /** One sentence or two, in the language asked for, on one line. */
  readonly text: string;
  /** The technical class, code and words, small beside it; undefined where there are none. */
  readonly small: string | undefined;
  /** `<channel>:<address>`, of what is about one destination. */
  readonly destination: string | undefined;
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

const EVENT_OF: Readonly<Record<FactKind, StoryEventName>> = {
  received: 'received',
  receivedAgain: 'received',
  raised: 'received',
  routeTells: 'route matched',
  routeTellsNobody: 'route matched',
  routeToldAlready: 'route matched',
  routeOfOtherStatus: 'route did not match',
  noOtherRoute: 'route did not match',
  noRoute: 'route did not match',
  reroutedByConfig: 'routed anew',
  revived: 'routed anew',
  superseded: 'superseded',
  unrouted: 'held',
  held: 'held',
  attemptFailed: 'attempt',
  delivered: 'delivered',
  dead: 'dead',
  takenOver: 'taken over',
  answered: 'answered',
  unanswered: 'next',
  alerted: 'alerted',
  redelivered: 'redelivered',
  dismissed: 'dismissed',
  routedByHand: 'routed anew',
  leftOut: 'left out',
  next: 'next',
};

/** @param alerts the stories of its alerts (`story.alerts`) */
export function tellStory(
  story: CallbackStory,
  alerts: readonly CallbackStory[],
  context: StoryContext,
): Story {
  const { language, redact = (text: string) => text } = context;
  const words = language === 'ja' ? JAPANESE : ENGLISH;
  const sayings = sayingsOf(context);
  const standings = standingsOf(story, context);
  const happened = shortened(factsOf(story, alerts), MOST_FIRST, MOST_LAST);
  const coming = nextFacts(standings, story, context.now);
  const events = [...happened, ...coming].map((fact): StoryEvent => {
    const { text, small } = tell(fact, words, sayings);
    return {
      at: fact.at,
      what: EVENT_OF[fact.kind],
      text: redact(text),
      small: small === undefined ? undefined : redact(small),
      destination: fact.destination,
    };
  });
  return { summary: redact(summarise(story, standings, words, sayings)), events };
}

function shortened(facts: readonly Fact[], first: number, last: number): readonly Fact[] {
  const count = facts.length - first - last;
  const from = facts[first];
  if (count <= 1 || from === undefined) return facts;
  const leftOut: Fact = { kind: 'leftOut', at: from.at, count };
  return [...facts.slice(0, first), leftOut, ...facts.slice(facts.length - last)];
}

function nextFacts(standings: readonly Standing[], story: CallbackStory, now: number): Fact[] {
  const open = standings.filter(isOpen).map((standing): Fact => {
    const { at = now, destination } = standing;
    return { kind: 'next', at, destination, standing };
  });
  const unanswered: Fact[] = isUnanswered(story) ? [{ kind: 'unanswered', at: now }] : [];
  const inOrder = open.toSorted((a, b) => a.at - b.at);
  return [...unanswered, ...shortened(inOrder, MOST_COMING, 0)];
}
