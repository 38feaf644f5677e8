/** What the routes decided, round by round, as the ledger keeps it: by this version in parts, by earlier ones with less. */
import { ALL_STATUSES, type StatusName } from '../../callback/callback.ts';
import { FAILURE_CLASSES } from '../../channels/failure.ts';
import { isJsonObject, type JsonObject } from '../../text/json-object.ts';
import type { EndedBefore } from '../actions/action.ts';
import type { DeliveryError } from '../ledger.ts';

/** One route's explanation, whatever of it is there. */
export interface KeptExplanation {
  readonly route: string;
  readonly isMatched: boolean;
  readonly because: string;
  readonly reaches: readonly string[];
  /** Of the router's; undefined: a version before has written it. */
  readonly verdict: string | undefined;
  readonly pattern: string | undefined;
  readonly on: readonly StatusName[];
}

/** Who had it routed anew: the config, since it no longer names a destination or names one again, or a person. */
export type RoutedBy = 'config' | 'hand';

/** What was decided at one time. */
export interface RoutingRound {
  /** Milliseconds since the epoch; undefined: when the callback came. */
  readonly at: number | undefined;
  /** Undefined: when the callback came, or a version before has written it. */
  readonly by: RoutedBy | undefined;
  /** Empty: no route names the BOT, and there is no default one. */
  readonly explanations: readonly KeptExplanation[];
  /** Deliveries that the config named again, each as it had ended. */
  readonly revived: readonly EndedBefore[];
}

/** A round to be kept. */
export interface NewRound extends Pick<RoutingRound, 'revived'> {
  readonly by: RoutedBy;
  /** The router's explanations. */
  readonly routing: unknown;
}

/** After the first; of more, or of a longer text, the oldest are forgotten, but neither the first nor the newest. */
export const MOST_LATER_ROUNDS = 20;
export const LONGEST_LATER_ROUNDS = 100_000;

/** Of one round: a callback has one for each destination that the config ever named for it. */
export const MOST_REVIVED = 100;

/** Stands for all routes where none names the BOT, and there is no default one. */
const NO_ROUTE = { verdict: 'no route' };

/** The first is of when the callback came. */
export function roundsIn(routing: unknown): readonly [RoutingRound, ...RoutingRound[]] {
  const { first, later } = grouped(routing);
  return [roundOf(first), ...later.map(roundOf)];
}

/** As far as it makes a difference to the callback: a route may be another one of the config's list. */
export function isSameRouting(
  one: Pick<RoutingRound, 'explanations'>,
  other: Pick<RoutingRound, 'explanations'>,
): boolean {
  const isKnown = [...one.explanations, ...other.explanations].every(({ verdict }) => verdict !== undefined);
  const effectOf = ({ isMatched, reaches, verdict, pattern, on }: KeptExplanation) =>
    isKnown ? [isMatched, reaches, verdict, pattern, on] : [isMatched, reaches];
  const textOf = ({ explanations }: typeof one) => JSON.stringify(explanations.map(effectOf));
  return textOf(one) === textOf(other);
}

/**
 * @param kept as the ledger has it
 * @param at milliseconds since the epoch
 * @returns what is to be kept from now on: the same where the round changes nothing
 */
export function withRound(kept: unknown, round: NewRound, at: number): readonly unknown[] {
  const { first, later } = grouped(kept);
  const explained = listIn(round.routing).filter(isJsonObject);
  const before = later.at(-1) ?? first;
  const isSame = isSameRouting(roundOf(before), roundOf(explained));
  // Of what has no routing at all, it may not have been kept.
  if (isSame && round.revived.length === 0 && before.length > 0) return listIn(kept);
  const stamp = { at: timeAfter(later, at), by: round.by };
  const added: JsonObject[] = (explained.length === 0 ? [NO_ROUTE] : explained).map((each) => ({
    ...each,
    ...stamp,
  }));
  if (round.revived.length > 0) added.push({ revived: round.revived.slice(0, MOST_REVIVED), ...stamp });
  return [first, ...newest([...later, added])].flat();
}

/** A time of its own: rounds are told apart by it. */
function timeAfter(later: readonly Entries[], at: number): number {
  const taken = new Set(later.map(timeOf));
  let free = at;
  while (taken.has(free)) free += 1;
  return free;
}

function newest(later: readonly Entries[]): readonly Entries[] {
  let characters = 0;
  const tooMuch = later.toReversed().findIndex((entries, index) => {
    characters += JSON.stringify(entries).length;
    return index > 0 && (index >= MOST_LATER_ROUNDS || characters > LONGEST_LATER_ROUNDS);
  });
  return tooMuch < 0 ? later : later.slice(later.length - tooMuch);
}

/** Of one round. */
type Entries = readonly JsonObject[];

/** Each entry of a later round says when that was. */
function grouped(kept: unknown): { readonly first: Entries; readonly later: readonly Entries[] } {
  const first: JsonObject[] = [];
  const later = new Map<number, JsonObject[]>();
  for (const entry of listIn(kept).filter(isJsonObject)) {
    const at = typeof entry['at'] === 'number' ? entry['at'] : undefined;
    const round = at === undefined ? first : later.get(at);
    if (round !== undefined) round.push(entry);
    else if (at !== undefined) later.set(at, [entry]);
  }
  return { first, later: [...later.values()] };
}

function timeOf(entries: Entries): number | undefined {
  const at = entries[0]?.['at'];
  return typeof at === 'number' ? at : undefined;
}

function roundOf(entries: Entries): RoutingRound {
  const by = entries[0]?.['by'];
  return {
    at: timeOf(entries),
    by: by === 'config' || by === 'hand' ? by : undefined,
    explanations: entries.flatMap((each) => explanationIn(each) ?? []),
    revived: entries.flatMap((each) => listIn(each['revived'])).flatMap((each) => endIn(each) ?? []),
  };
}

function explanationIn(kept: JsonObject): KeptExplanation | undefined {
  const { route } = kept;
  if (typeof route !== 'string') return undefined;
  return {
    route,
    isMatched: kept['matched'] === true,
    because: textIn(kept, 'because') ?? '',
    reaches: listIn(kept['reaches']).filter((each) => typeof each === 'string'),
    verdict: textIn(kept, 'verdict'),
    pattern: textIn(kept, 'pattern'),
    on: ALL_STATUSES.filter((status) => listIn(kept['on']).includes(status)),
  };
}

function endIn(kept: unknown): EndedBefore | undefined {
  if (!isJsonObject(kept)) return undefined;
  const { deliveryId, state, updatedAt, hold, lastError } = kept;
  if (typeof deliveryId !== 'number' || typeof updatedAt !== 'number') return undefined;
  if (state !== 'dead' && state !== 'held') return undefined;
  const code = isJsonObject(hold) ? textIn(hold, 'code') : undefined;
  return {
    deliveryId,
    state,
    updatedAt,
    hold: code === undefined ? undefined : { code },
    lastError: isJsonObject(lastError) ? errorIn(lastError) : undefined,
  };
}

function errorIn(kept: JsonObject): DeliveryError | undefined {
  const failure = FAILURE_CLASSES.find((each) => each === kept['class']);
  if (failure === undefined) return undefined;
  return { class: failure, code: textIn(kept, 'code') ?? '', message: textIn(kept, 'message') ?? '' };
}

function textIn(kept: JsonObject, key: string): string | undefined {
  return typeof kept[key] === 'string' ? kept[key] : undefined;
}

function listIn(kept: unknown): readonly unknown[] {
  return Array.isArray(kept) ? kept : [];
}
