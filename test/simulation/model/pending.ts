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
    sentence: 'a step that is held, and steps of what is given back',
    section: '11',
    check:
      'escalation.ts: a step that `mute` or a snooze holds is told at its end, and steps begin anew with a release',
  },
  {
    sentence: 'calendars, the days of a report, budget',
    section: '12',
    check:
      'reports.ts asks for all days together; which day a run counts on, and the percentages of a budget',
  },
];
