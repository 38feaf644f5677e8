/** Section 8: snoozes that people asked for, each from its answer to its earliest end. */
import type { Acted, Admitted } from '../observed.ts';
import type { Snoozing } from '../scenario.ts';
import type { History } from './history.ts';

export type Snoozed = ReturnType<typeof snoozed>;

/** @param isSure whether it is known that the snooze began, and that it has ended by `until` */
function snoozed(from: number, until: number, { bot, destination }: Snoozing, isSure: boolean) {
  const concerns = (of: string, at: string) => (bot ?? of) === of && (destination ?? at) === at;
  return {
    from,
    until,
    isSure,
    concerns,
    /** Whether the snooze may hold the callback, even one that comes at the moment of its end. */
    mayHold: ({ send, at }: Admitted, place: string) =>
      concerns(send.bot, place) && !(isSure && at > until + 100),
    /** Whether the callback surely came while the snooze was in force. */
    holds: ({ send, at }: Admitted, place: string) => concerns(send.bot, place) && at > from && at < until,
  };
}

export function snoozesOf(history: History): readonly Snoozed[] {
  return history.observed.acted.flatMap((acted) => {
    const { act } = acted;
    if (act.kind === 'snooze') return snoozedBy(history, acted, act);
    if (act.kind !== 'takeUp' || !act.isQuiet) return [];
    return botsOf(history, acted).map((bot) => snoozedBy(history, acted, { bot }));
  });
}

/** The BOTs of the incidents that the request took up, or may have taken up. */
function botsOf({ observed }: History, { status, body, incidents = [] }: Acted): readonly string[] {
  const ids = status === 202 ? (JSON.parse(body) as { readonly ids: readonly number[] }).ids : incidents;
  const taken = observed.incidents.filter(({ id, kind }) => kind === 'bot' && ids.includes(id));
  return [...new Set(taken.map(({ subject }) => subject))];
}

function snoozedBy(history: History, { act, at, status, id }: Acted, about: Snoozing): Snoozed {
  // If the request was not answered, nobody knows whether the snooze is in force.
  if (status !== 201 && status !== 202) return snoozed(at, at, about, false);
  const { acted } = history.observed;
  const known = new Set(acted.flatMap((other) => (other.act.kind === 'snooze' ? (other.id ?? []) : [])));
  // The id of a snooze that began with a take-up is unknown: any later end of an unknown id may be about it.
  const isOfIt = (other: Acted) =>
    act.kind === 'snooze' ? other.id === id : other.at > at && !known.has(other.id ?? 0);
  const wakes = acted.filter(
    (other) =>
      (other.act.kind === 'wake' && isOfIt(other)) ||
      (act.kind === 'takeUp' && other.at > at && mayGiveBack(history, other, about.bot)),
  );
  const woken = wakes[0]?.at ?? Infinity;
  const results = history.resultsOf(about.bot ?? '').filter((each) => each.at > at);
  const success = results.find((each) => each.send.status === 0 && isWellWith(history, each));
  const ends = about.for === undefined ? (success?.at ?? Infinity) : at + about.for;
  // The answer comes a moment after the snooze is in force.
  const isSure = act.kind === 'snooze' ? wakes.every((wake) => wake.status === 202) : wakes.length === 0;
  return snoozed(at + 1000, Math.min(woken, ends), about, isSure);
}

/** Whether the request may end the take-up that the snooze came with, and so the snooze; another one may have replaced it. */
function mayGiveBack({ observed }: History, { act, incidents = [] }: Acted, bot?: string): boolean {
  if (act.kind !== 'release' && act.kind !== 'close') return false;
  return observed.incidents.some((each) => each.subject === bot && incidents.includes(each.id));
}

/** Whether the BOT works again: of the runs that have ended by then, the one that started last was a success. */
function isWellWith(history: History, { id, send }: Admitted): boolean {
  const ended = history.resultsOf(send.bot).filter((other) => other.id <= id);
  return ended.toSorted((a, b) => a.send.startedAt - b.send.startedAt).at(-1)?.send.status === 0;
}
