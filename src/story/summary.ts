/** The whole story in one or two sentences: who was told, who was not and why, and what happens next. */
import { statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { isSupersededAtOnce } from './history-facts.ts';
import { explanationsIn } from './routing-facts.ts';
import type { Sayings } from './sayings.ts';
import type { Standing, StandingKind } from './standing.ts';
import type { Words } from './words.ts';

/** What asks for somebody first; whoever was told, before all. */
const ORDER: readonly StandingKind[] = [
  'told',
  'being sent',
  'dead',
  'dead unrouted',
  'due',
  'due now',
  'paused',
  'the service’s',
  'after an earlier one',
  'held until',
  'held',
  'unrouted',
  'superseded',
  'dismissed',
];

/** A sentence each. */
const MOST_GROUPS = 3;

export function summarise(
  story: CallbackStory,
  standings: readonly Standing[],
  words: Words,
  sayings: Sayings,
): string {
  if (standings.length === 0) return words.nobodyWasTold(reasonForNobody(story, words.nobody));
  const groups = groupsOf(standings, sayings);
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const [first] = group;
    const who = sayings.list(group.map(({ destination }) => destination));
    const at = isAtOnce(group, sayings) ? first.at : undefined;
    return words.summary[first.kind]({ ...first, who, at }, sayings);
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  if (more > 0) told.push(words.moreDestinations(sayings.number(more)));
  return told.join(words.space);
}

type Alike = [Standing, ...Standing[]];

/** Those of which the same sentence holds. */
function groupsOf(standings: readonly Standing[], { time }: Sayings): Alike[] {
  const groups = new Map<string, Alike>();
  for (const standing of standings) {
    const { kind, at, error, heldBy } = standing;
    // Who was told is told in one sentence, whenever that was.
    const when = kind === 'told' || at === undefined ? '' : time(at);
    const key = JSON.stringify([kind, when, error?.code, error?.message, heldBy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [standing]);
    else group.push(standing);
  }
  const place = ([{ kind }]: Alike) => ORDER.indexOf(kind);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b));
}

/** As far as the sentence says it. */
function isAtOnce(group: Alike, { time }: Sayings): boolean {
  return new Set(group.map(({ at }) => (at === undefined ? '' : time(at)))).size === 1;
}

function reasonForNobody(story: CallbackStory, words: Words['nobody']): string {
  if (isSupersededAtOnce(story)) return words.superseded();
  const explanations = explanationsIn(story);
  if (explanations.length === 0) return words.noRoute();
  if (explanations.some(({ verdict }) => verdict === 'tells nobody')) return words.onPurpose();
  const other = explanations.filter(({ verdict }) => verdict === 'not of this status');
  if (other.length === 0) return words.unknown();
  const on = [...new Set(other.flatMap(({ on = [] }) => on))];
  const isDefault = other.every(({ pattern }) => pattern === undefined);
  return words.otherStatus(isDefault, on, statusNameOf(story));
}
