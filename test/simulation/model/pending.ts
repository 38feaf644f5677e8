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
    sentence: 'incidents are taken up and escalated',
    section: '11',
    check:
      'incidents.ts: a take-up is told once, and stops the steps; each step in time and once; `quiet`; none of this after the end',
  },
  {
    sentence: 'an alert tells what goes on',
    section: '6 and 11',
    check:
      'incidents.ts: an alert comes when an incident begins, one that is over before is not told, and who was told hears of the end',
  },
  {
    sentence: 'calendars, reports, budget',
    section: '12',
    check: 'a model of its own: a run counts once, on the day it started',
  },
];
