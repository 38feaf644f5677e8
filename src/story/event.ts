/** One thing that happened to a callback. */
export interface StoryEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: StoryEventName;
  /** One sentence or two, in the language asked for, on one line. */
  readonly text: string;
  /** The technical class, code and words, small beside it. */
  readonly small?: string | undefined;
  /** `<channel>:<address>`, of what is about one destination. */
  readonly destination?: string | undefined;
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
  | 'left out';
