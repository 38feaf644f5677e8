/** The whole story in one or two sentences: who was told, who was not and why, and what happens next. */
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { reasonForNobody } from './routing.ts';
import type { Sayings } from './sayings.ts';
import type { Standing, StandingKind } from './standing.ts';

/** What asks for somebody first; whoever was told, before all. */
const ORDER: readonly StandingKind[] = [
  'told',
  'printed',
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
  'marked as done',
];

/** A sentence each. */
const MOST_GROUPS = 3;

export function summarise(story: CallbackStory, standings: readonly Standing[], sayings: Sayings): string {
  if (standings.length === 0) return reasonForNobody(story, sayings);
  const groups = groupsOf(standings, sayings);
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const who = sayings.list(group.map(({ destination }) => destination));
    const at = isAtOnce(group, sayings) ? group[0].at : undefined;
    const values = standingValues({ ...group[0], at, givesUpAt: undefined }, sayings);
    return sayings.say(group[0].kind, { ...values, who });
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  if (more > 0) told.push(sayings.say('more destinations', { count: sayings.number(more) }));
  return told.join(sayings.say('space'));
}

/** What a sentence says of a standing. */
export function standingValues(
  { destination, at, error, givesUpAt, heldBy = '' }: Standing,
  sayings: Sayings,
) {
  const time = at === undefined ? '' : sayings.time(at);
  const isKnown = at !== undefined;
  return {
    who: sayings.name(destination),
    at: sayings.say(isKnown ? 'at' : 'at an unknown time', { time }),
    until: sayings.say(isKnown ? 'until' : 'until an unknown time', { time }),
    toldAt: isKnown ? sayings.say('told at', { time }) : '',
    givesUp: givesUpAt === undefined ? '' : sayings.say('gives up', { time: sayings.time(givesUpAt) }),
    because: sayings.because(error),
    rule: sayings.name(heldBy),
  };
}

type Alike = [Standing, ...Standing[]];

/** Those of which the same sentence holds. */
function groupsOf(standings: readonly Standing[], sayings: Sayings): Alike[] {
  const groups = new Map<string, Alike>();
  for (const standing of standings) {
    const { kind, at, error, heldBy } = standing;
    // Who was told is told in one sentence, whenever that was.
    const when = kind === 'told' || kind === 'printed' || at === undefined ? '' : sayings.time(at);
    const key = JSON.stringify([kind, when, error?.code, error?.message, heldBy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [standing]);
    else group.push(standing);
  }
  const place = ([{ kind }]: Alike) => ORDER.indexOf(kind);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b));
}

/** As far as the sentence says it. */
function isAtOnce(group: Alike, sayings: Sayings): boolean {
  return new Set(group.map(({ at }) => (at === undefined ? '' : sayings.time(at)))).size === 1;
}
