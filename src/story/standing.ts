/** How each delivery of a callback stands now, and what happens to it next. */
import type { FailureToExplain } from '../channels/failure.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/ledger.ts';

/** Something more happens to it without anybody's doing. */
const OPEN = [
  'being sent',
  // Botbell's own to attempt, at that time.
  'due',
  // Botbell's own, and waiting for its turn.
  'due now',
  'after an earlier one',
  // Its remote limits the rate until then.
  'paused',
  // The service is to post it again; if it does not, Botbell takes it over then.
  'the service’s',
  // By a rule, until then.
  'held until',
] as const;

type OpenKind = (typeof OPEN)[number];

export type StandingKind =
  | OpenKind
  | 'told'
  /** By an outbox, which tells nobody. */
  | 'printed'
  | 'dead'
  /** A dead letter, since no route names anybody for its callback any more. */
  | 'dead unrouted'
  | 'marked as done'
  | 'superseded'
  | 'unrouted'
  /** By a rule. */
  | 'held';

export interface Standing {
  readonly destination: string;
  readonly kind: StandingKind;
  /** Milliseconds since the epoch: when it was told, or something more happens to it; undefined: nobody knows. */
  readonly at: number | undefined;
  /** Of the last attempt, unless it is told. */
  readonly error: FailureToExplain | undefined;
  /** Milliseconds since the epoch; undefined: it is not, or nobody knows. */
  readonly givesUpAt: number | undefined;
  /** The rule that holds it. */
  readonly heldBy: string | undefined;
}

export function isOpen(standing: Standing): standing is Standing & { readonly kind: OpenKind } {
  return OPEN.some((kind) => kind === standing.kind);
}

interface Now {
  readonly now: number;
  readonly giveUpAfterMs?: number;
}

/** A slot at the common pace is no pause. */
const SHORTEST_PAUSE_MS = 3000;

export function standingsOf(story: CallbackStory, when: Now): Standing[] {
  return story.deliveries.map((delivery) => {
    const { kind, at } = foundOf(delivery, story, when.now);
    const givesUpAt = delivery.state === 'pending' ? givesUpAtOf(delivery, when) : undefined;
    const error = delivery.state === 'delivered' ? undefined : delivery.lastError;
    return { destination: delivery.destination, kind, at, error, givesUpAt, heldBy: delivery.reason };
  });
}

type Found = Pick<Standing, 'kind'> & { readonly at?: number };

/** An outbox has taken it: nobody was told. */
export function isPrinted({ state, receipt }: Pick<DeliveryRecord, 'state' | 'receipt'>): boolean {
  return state === 'delivered' && receipt?.['told'] === 'nobody';
}

function foundOf(delivery: DeliveryRecord, story: CallbackStory, now: number): Found {
  if (delivery.state === 'delivered')
    return { kind: isPrinted(delivery) ? 'printed' : 'told', at: delivery.updatedAt };
  if (delivery.state === 'pending') return pendingKind(delivery, story, now);
  return endedKind(delivery);
}

function endedKind({ state, reason, heldUntil }: DeliveryRecord): Found {
  const isUnrouted = reason === NO_LONGER_ROUTED;
  if (state === 'dead') return { kind: isUnrouted ? 'dead unrouted' : 'dead' };
  if (reason === SUPERSEDED) return { kind: 'superseded' };
  if (reason === DISMISSED) return { kind: 'marked as done' };
  if (isUnrouted) return { kind: 'unrouted' };
  return heldUntil === undefined ? { kind: 'held' } : { kind: 'held until', at: heldUntil };
}

function pendingKind(delivery: DeliveryRecord, { pauses }: CallbackStory, now: number): Found {
  const { claim, isTakenOver, behind, dueInMs, destination, channel } = delivery;
  if (claim !== undefined) return { kind: 'being sent' };
  if (behind !== undefined) return { kind: 'after an earlier one' };
  if (!isTakenOver && dueInMs > 0) return { kind: 'the service’s', at: now + dueInMs };
  const pauseMs = Math.max(
    ...pauses
      .filter((each) => [destination, channel].includes(each.destination))
      .map((each) => each.nextInMs),
    0,
  );
  if (pauseMs >= Math.max(SHORTEST_PAUSE_MS, dueInMs)) return { kind: 'paused', at: now + pauseMs };
  return dueInMs > 0 ? { kind: 'due', at: now + dueInMs } : { kind: 'due now' };
}

/** Time in which it only waits will come on top. */
function givesUpAtOf({ ageMs }: DeliveryRecord, { now, giveUpAfterMs }: Now): number | undefined {
  return giveUpAfterMs === undefined ? undefined : now + Math.max(0, giveUpAfterMs - ageMs);
}
