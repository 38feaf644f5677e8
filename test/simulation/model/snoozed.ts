/** Section 8: snoozes that people asked for, from their answer to the earliest end. */
import type { Acted, Admitted } from '../observed.ts';
import type { Act } from '../scenario.ts';
import type { History } from './history.ts';

type Snoozing = Pick<Extract<Act, { readonly kind: 'snooze' }>, 'bot' | 'destination'>;

export class Snoozed {
  readonly from: number;
  readonly until: number;
  /** Whether it began, and has ended by then, is known. */
  readonly #isSure: boolean;
  readonly #bot: string | undefined;
  readonly #destination: string | undefined;

  constructor(about: Pick<Snoozed, 'from' | 'until'>, { bot, destination }: Snoozing, isSure: boolean) {
    this.from = about.from;
    this.until = about.until;
    this.#isSure = isSure;
    this.#bot = bot;
    this.#destination = destination;
  }

  concerns(bot: string, destination: string): boolean {
    return (this.#bot ?? bot) === bot && (this.#destination ?? destination) === destination;
  }

  /** Perhaps: what comes in the moment of its end may be held. */
  mayHold({ send, at }: Admitted, destination: string): boolean {
    return this.concerns(send.bot, destination) && !(this.#isSure && at > this.until + 100);
  }

  /** Surely: it came while the snooze was in force. */
  holds({ send, at }: Admitted, destination: string): boolean {
    return this.concerns(send.bot, destination) && at > this.from && at < this.until;
  }
}

export function snoozesOf(history: History): readonly Snoozed[] {
  return history.observed.acted.flatMap((acted) => snoozedBy(history, acted) ?? []);
}

function snoozedBy(history: History, { act, at, status, id }: Acted): Snoozed | undefined {
  if (act.kind !== 'snooze') return undefined;
  // Whether one that nobody answered is in force is not known.
  if (status !== 201) return new Snoozed({ from: at, until: at }, act, false);
  const { acted } = history.observed;
  const wakes = acted.filter((other) => other.act.kind === 'wake' && other.id === id);
  const woken = wakes[0]?.at ?? Infinity;
  const success = history.admitted.find(
    (admitted) =>
      admitted.send.bot === act.bot &&
      admitted.at > at &&
      admitted.send.status === 0 &&
      isWellWith(history, admitted),
  );
  const ends = act.for === undefined ? (success?.at ?? Infinity) : at + act.for;
  // It is answered a moment after it is in force.
  const isSure = wakes.every((wake) => wake.status === 202);
  return new Snoozed({ from: at + 1000, until: Math.min(woken, ends) }, act, isSure);
}

/** Whether no error has come of a run that started later: the BOT works again. */
function isWellWith(history: History, { id, send }: Admitted): boolean {
  return !history.admitted.some(
    (other) =>
      other.id < id &&
      other.send.bot === send.bot &&
      other.send.status === 1 &&
      other.send.startedAt > send.startedAt,
  );
}
