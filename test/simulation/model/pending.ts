/** Sentences of the contract that no seed is judged by yet, each with the check that it needs. */
interface PendingSentence {
  /** What `judge` will call it when it is broken. */
  readonly sentence: string;
  readonly section: string;
  /** What is to be asked of a history, and where. */
  readonly check: string;
}

export const PENDING: readonly PendingSentence[] = [
  {
    sentence: 'incidents',
    section: '11',
    check:
      'a model of its own: begin, end, take-up, escalation, `over`; an alert when one begins, hourly while it grows, none of one that is over',
  },
  {
    sentence: 'calendars, reports, budget',
    section: '12',
    check: 'a model of its own: a run counts once, on the day it started',
  },
];
