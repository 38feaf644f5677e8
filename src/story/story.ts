/** The story of a callback: what happened to it and why, in sentences for whoever asks "why did I (not) get this?". */
import type { Language } from '../time/display.ts';

export interface StoryContext {
  readonly language: Language;
  /** IANA name of the display's time zone. */
  readonly timezone: string;
  /** Milliseconds since the epoch: what is still to happen is told as of now. */
  readonly now: number;
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
  | 'next';

/** One thing that happened, or that will. */
export interface StoryEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: StoryEventName;
  /** One sentence, in the language asked for. */
  readonly text: string;
  /** The technical class, code and words, small beside it; undefined where there are none. */
  readonly small: string | undefined;
  /** `<channel>:<address>`, of what is about one destination. */
  readonly destination: string | undefined;
}

export interface Story {
  /** The whole of it in one or two sentences: who was told, who was not and why, what happens next. */
  readonly summary: string;
  /** In the order of time; what is still to happen last. */
  readonly events: readonly StoryEvent[];
}
