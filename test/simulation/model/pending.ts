/**
 * Sentences of the contract that no seed is judged by yet, each with the check that it needs. The product counts as told what was
 * delivered; it does not build all of the others yet.
 */
interface PendingSentence {
  /** What `judge` will call it when it is broken. */
  readonly sentence: string;
  readonly section: string;
  /** What is to be asked of a history, and where. */
  readonly check: string;
}

export const PENDING: readonly PendingSentence[] = [
  {
    sentence: 'not again while it may have arrived',
    section: '6: each failure says whether the message may have arrived',
    check: 'remotes.ts draws 408, 500, 502, 504 and redirects; told.ts judges each class by its arrival',
  },
  {
    sentence: 'a remote that has the request is waited for a minute',
    section: '6: a remote over HTTP that has got the whole request',
    check:
      'remotes.ts calls onHandedOver for chats; answers.ts: 200 taken_over at delivery.timeout; told.ts: a late success counts',
  },
  {
    sentence: 'a destination that is down is probed',
    section: '6: a destination is down when …',
    check:
      'end.ts: one message at a time there, at 15 s to 15 min; answers.ts: whatever comes for it is taken over at once',
  },
  {
    sentence: 'an idle destination is attempted at once for a retry',
    section: '6: taken over means …',
    check:
      'end.ts: a retry of what is taken over is sent at once where nothing is under way and the destination is not down',
  },
  {
    sentence: 'after a pause one message a second',
    section: '6: a 429 pauses its destination; after the pause …',
    check:
      'pauses.ts: attempts of all replicas at the destination are a second apart until its queue was empty for a minute',
  },
  {
    sentence: 'told is delivered',
    section: '8: what became a dead letter … does not count as told',
    check: 'rules.ts: unsurePlaces goes; facts.ts leaves out what was not delivered',
  },
  {
    sentence: 'a notice that is no longer true is superseded',
    section: '8: a notice of Botbell’s own that is no longer true when its hold ends',
    check: 'timers.ts: no `overdue` is sent a moment after its job’s result',
  },
  {
    sentence: 'jobs are known with their BOT',
    section: '6: within a job, per destination, in order',
    check: 'draw-sends.ts gives jobs of two BOTs one id; order.ts and history.ts key jobs with their BOT',
  },
  {
    sentence: 'incidents',
    section: '11',
    check: 'a model of its own: begin, end, take-up, escalation, `over`',
  },
  {
    sentence: 'calendars, reports, budget',
    section: '12',
    check: 'a model of its own: a run counts once, on the day it started',
  },
];
