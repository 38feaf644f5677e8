/** How each delivery of a callback stands now and what happens to it next, and the whole of it in a sentence or two. */
import type { FailureToExplain } from '../channels/failure.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/ledger.ts';
import { reasonForNobody } from './routing.ts';
import type { Sayings } from './sayings.ts';

/** Each has a sentence. Whoever was told first, then what asks for somebody. */
const KINDS = [
  'told',
  /** By an outbox, which tells nobody. */
  'printed',
  'dead',
  /** A dead letter, since no route names anybody for its callback any more. */
  'dead unrouted',
  'being sent',
  /** Botbell's own to attempt, at that time. */
  'due',
  /** Botbell's own, and waiting for its turn. */
  'due now',
  /** The service is to post it again; if it does not, Botbell takes it over then. */
  'the service’s',
  'after an earlier one',
  /** By a rule, until then. */
  'held until',
  /** With others that a rule held. */
  'in a summary',
  /** By a rule. */
  'held',
  'unrouted',
  'superseded',
  'marked as done',
] as const;

interface Standing {
  readonly destination: string;
  readonly kind: (typeof KINDS)[number];
  /** When it was told, or something more happens to it, where that is known. */
  readonly at: number | undefined;
  /** Of the last attempt, unless it is told. */
  readonly error: FailureToExplain | undefined;
  /** The rule that holds it. */
  readonly rule: string;
}

function standingOf(delivery: DeliveryRecord, now: number): Standing {
  const { destination, state, lastError, reason: rule = '' } = delivery;
  const [kind, at] = foundOf(delivery, now);
  return { destination, kind, at, error: state === 'delivered' ? undefined : lastError, rule };
}

/** An outbox has taken it: nobody was told. */
export function isPrinted({ state, receipt }: Pick<DeliveryRecord, 'state' | 'receipt'>): boolean {
  return state === 'delivered' && receipt?.['told'] === 'nobody';
}

type Found = readonly [kind: Standing['kind'], at?: number];

function foundOf(delivery: DeliveryRecord, now: number): Found {
  const { state, reason, heldUntil, summaryId, updatedAt } = delivery;
  if (state === 'delivered') return [isPrinted(delivery) ? 'printed' : 'told', updatedAt];
  if (state === 'pending') return pendingKind(delivery, now);
  if (state === 'dead') return [reason === NO_LONGER_ROUTED ? 'dead unrouted' : 'dead'];
  if (reason === SUPERSEDED) return ['superseded'];
  if (reason === DISMISSED) return ['marked as done'];
  if (reason === NO_LONGER_ROUTED) return ['unrouted'];
  if (summaryId !== undefined) return ['in a summary'];
  return heldUntil === undefined ? ['held'] : ['held until', heldUntil];
}

function pendingKind({ claim, isTakenOver, behind, dueInMs }: DeliveryRecord, now: number): Found {
  if (claim !== undefined) return ['being sent'];
  if (behind !== undefined) return ['after an earlier one'];
  if (!isTakenOver && dueInMs > 0) return ['the service’s', now + dueInMs];
  return dueInMs > 0 ? ['due', now + dueInMs] : ['due now'];
}

/** A sentence each. */
const MOST_GROUPS = 3;

/** @param now milliseconds since 1970 */
export function summarise(story: CallbackStory, now: number, sayings: Sayings): string {
  if (story.deliveries.length === 0) return reasonForNobody(story, sayings);
  const groups = groupsOf(story.deliveries.map((delivery) => standingOf(delivery, now)));
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const [{ kind, error, rule }] = group;
    const at = timeOf(group, sayings);
    const time = at === undefined ? '' : sayings.time(at);
    return sayings.say(kind, {
      who: sayings.list(group.map(({ destination }) => destination)),
      time,
      toldAt: time && sayings.say('told at', { time }),
      because: sayings.because(error),
      rule: sayings.rule(rule),
    });
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  if (more > 0) told.push(sayings.say('more destinations', { count: sayings.number(more) }));
  return told.join(sayings.say('space'));
}

type Alike = [Standing, ...Standing[]];

/** Those of which the same sentence holds. */
function groupsOf(standings: readonly Standing[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const standing of standings) {
    const { kind, error, rule } = standing;
    const key = JSON.stringify([kind, error?.code, error?.message, rule]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [standing]);
    else group.push(standing);
  }
  const place = ([{ kind }]: Alike) => KINDS.indexOf(kind);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b));
}

/** When all were told, where that is one time; when the first thing happens to one of them. */
function timeOf(group: Alike, sayings: Sayings): number | undefined {
  const times = group.flatMap(({ at }) => at ?? []);
  const isTold = group[0].kind === 'told' || group[0].kind === 'printed';
  const isAtOnce = new Set(times.map((at) => sayings.time(at))).size === 1;
  return times.length === 0 || (isTold && !isAtOnce) ? undefined : Math.min(...times);
}
