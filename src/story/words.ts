/** The sentences of a story in any language: a language that lacks one does not compile. */
import type { StatusName } from '../callback/callback.ts';
import { idsIn, type Receipt } from '../channels/channel.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import type { Fact, FactKind, FactOf } from './facts.ts';
import type { Sayings } from './sayings.ts';
import type { OpenKind, StandingKind } from './standing.ts';

/** What is told of destinations that stand alike. */
export interface Group {
  /** Their names, as `Sayings.list` has them. */
  readonly who: string;
  /** Milliseconds since the epoch; undefined: nobody knows. */
  readonly at: number | undefined;
  readonly error: FailureToExplain | undefined;
  readonly givesUpAt: number | undefined;
  /** The rule that holds them. */
  readonly heldBy: string | undefined;
}

/** Why nobody is to be told. */
export interface NobodyReasons {
  readonly superseded: () => string;
  readonly noRoute: () => string;
  readonly onPurpose: () => string;
  /** @param isDefault no route but the default one names the BOT */
  readonly otherStatus: (isDefault: boolean, on: readonly string[], status: StatusName) => string;
  readonly unknown: () => string;
}

export interface Words {
  readonly events: { readonly [Kind in FactKind]: (fact: FactOf<Kind>, sayings: Sayings) => string };
  /** What happens next to one destination. */
  readonly next: Readonly<Record<OpenKind, (group: Group, sayings: Sayings) => string>>;
  /** One or two sentences each. */
  readonly summary: Readonly<Record<StandingKind, (group: Group, sayings: Sayings) => string>>;
  readonly nobody: NobodyReasons;
  readonly nobodyWasTold: (reason: string) => string;
  /** Of destinations of which the summary says nothing. */
  readonly moreDestinations: (count: string) => string;
  /** Between two sentences. */
  readonly space: string;
}

/** @returns its sentence, and what is technical about it */
export function tell(
  fact: Fact,
  words: Words,
  sayings: Sayings,
): { text: string; small: string | undefined } {
  // Which of the sentences it is, the compiler cannot tell from the fact's own kind.
  const sentence = words.events[fact.kind] as (fact: Fact, sayings: Sayings) => string;
  return { text: sentence(fact, sayings), small: smallOf(fact, sayings) };
}

/** The same in every language. */
function smallOf(fact: Fact, sayings: Sayings): string | undefined {
  const { name } = sayings;
  if ('error' in fact) return fact.error && technicalOf(fact.error, sayings);
  if ('receipt' in fact) return fact.receipt && receiptOf(fact.receipt, sayings);
  if (fact.kind === 'answered') return `HTTP ${fact.httpStatus}, ${fact.result}`;
  if ('route' in fact) return name(fact.route);
  return undefined;
}

function technicalOf(error: FailureToExplain, { language, name, quote }: Sayings): string {
  const technical = [error.class, name(error.code)].filter((part) => part !== '').join(', ');
  // Its own words are English, and may hold the remote's.
  const isTold = language === 'en' || error.message === '';
  return isTold ? technical : `${technical}: ${quote(error.message)}`;
}

function receiptOf(receipt: Receipt, { name }: Sayings): string | undefined {
  const parts = idsIn(receipt).map(([key, value]) => `${name(key)} ${name(value)}`);
  return parts.length === 0 ? undefined : parts.join(', ');
}
