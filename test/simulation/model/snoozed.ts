/** Section 8: snoozes that people asked for, from their answer to the earliest end. */
import type { Acted, Admitted } from '../observed.ts';
import type { History } from './history.ts';

export class Snoozed {
  readonly from: number;
  readonly until: number;
  readonly #bot: string | undefined;
  readonly #destination: string | undefined;

  constructor(
    about: Pick<Snoozed, 'from' | 'until'>,
    bot: string | undefined,
    destination: string | undefined,
  ) {
    this.from = about.from;
    this.until = about.until;
    this.#bot = bot;
    this.#destination = destination;
  }

  concerns(bot: string, destination: string): boolean {
    return (this.#bot ?? bot) === bot && (this.#destination ?? destination) === destination;
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
  if (status !== 201) return new Snoozed({ from: at, until: at }, act.bot, act.destination);
  const { acted } = history.observed;
  const woken = acted.find((other) => other.act.kind === 'wake' && other.id === id)?.at ?? Infinity;
  const success = history.admitted.find(
    ({ send, at: came }) => send.bot === act.bot && send.status === 0 && came > at,
  );
  const ends = act.for === undefined ? (success?.at ?? Infinity) : at + act.for;
  // It is answered a moment after it is in force.
  return new Snoozed({ from: at + 1000, until: Math.min(woken, ends) }, act.bot, act.destination);
}
