/** From how each delivery stands to what the service is answered: pure, so that every row of the answer table has a test. */
import type { CallbackResult, DeliveryRecord, DeliveryState, DeliveryUpdate } from '../ledger/ledger.ts';
import type { Trip } from './courier.ts';
import { type OutcomeContext, updateAfter, withRefusal } from './outcome.ts';

/** A delivery as this request leaves it. */
export interface Standing {
  readonly record: DeliveryRecord;
  /** Undefined: not tried in this request, or not to its end. */
  readonly trip: Trip | undefined;
  /** Still being tried, by this request or by somebody else. */
  readonly isBeingMade: boolean;
}

export interface Situation {
  readonly context: OutcomeContext;
  readonly standings: readonly Standing[];
  readonly isSuperseded: boolean;
}

export interface AnsweredDelivery {
  readonly destination: string;
  readonly state: DeliveryState;
  readonly error?: string;
}

export interface Verdict {
  readonly status: 200 | 502 | 504;
  readonly result: CallbackResult;
  readonly deliveries: readonly AnsweredDelivery[];
  /** What the ledger must learn about the deliveries that were tried. */
  readonly updates: readonly DeliveryUpdate[];
}

export function judge({ context, standings, isSuperseded }: Situation): Verdict {
  const closed = standings.map((standing) => close(standing, context));
  const status = statusOf(closed);
  const updates = closed.map(({ update }) => update).filter((update) => update !== undefined);
  return {
    status,
    result: resultOf(status, closed, isSuperseded),
    deliveries: closed.map((each) => answered(each, status)),
    updates: status === 200 ? updates : updates.map(withRefusal),
  };
}

/** The answer to a callback that is written down and will be delivered later: nobody is waited for. */
export function judgeAccepted(records: readonly DeliveryRecord[], isSuperseded: boolean): Verdict {
  const closed = records.map((record) => close({ record, trip: undefined, isBeingMade: false }, undefined));
  const isOpen = records.some(({ state }) => state === 'pending');
  return {
    status: 200,
    result: isOpen ? 'accepted' : resultOf(200, closed, isSuperseded),
    deliveries: closed.map((each) => answered(each, 200)),
    updates: [],
  };
}

interface Closed extends Standing {
  readonly update: DeliveryUpdate | undefined;
  readonly state: DeliveryState;
  readonly isTakenOver: boolean;
}

/** Each member by its name: members added behind a spread take V8 a hundred times as long. */
function close({ record, trip, isBeingMade }: Standing, context: OutcomeContext | undefined): Closed {
  const update = trip === undefined || context === undefined ? undefined : updateAfter(record, trip, context);
  return {
    record,
    trip,
    isBeingMade,
    update,
    state: update?.state ?? record.state,
    isTakenOver: update?.isTakenOver ?? record.isTakenOver,
  };
}

/** Whatever is Botbell's own to retry is no reason to let the service retry, too. */
function statusOf(closed: readonly Closed[]): Verdict['status'] {
  const open = closed.filter(({ state, isTakenOver }) => state === 'pending' && !isTakenOver);
  if (open.some(({ isBeingMade }) => isBeingMade)) return 504;
  return open.length > 0 ? 502 : 200;
}

function resultOf(
  status: Verdict['status'],
  closed: readonly Closed[],
  isSuperseded: boolean,
): CallbackResult {
  if (status === 504) return 'timed_out';
  if (status === 502) return 'failed';
  if (isSuperseded) return 'superseded';
  if (closed.length === 0) return 'no_route';
  const states = closed.map(({ state }) => state);
  if (states.includes('dead')) return 'gave_up';
  if (states.includes('pending')) return 'taken_over';
  if (states.every((state) => state === 'held')) return 'held';
  return closed.some(({ trip }) => trip !== undefined) ? 'delivered' : 'duplicate';
}

function answered(
  { record: { destination, lastError }, update, state, isTakenOver, isBeingMade }: Closed,
  status: Verdict['status'],
): AnsweredDelivery {
  if (state === 'delivered' || state === 'held' || status === 200) return { destination, state };
  const error = isBeingMade ? undefined : (update?.lastError ?? lastError);
  if (isTakenOver && error === undefined) return { destination, state };
  return { destination, state, error: error?.message ?? 'not finished in time' };
}

/** Answered while somebody is still to be told, or never will be: a power cut must not undo that it is known. */
export function mustSurvive({ status, result }: Verdict): boolean {
  return status !== 200 || result === 'gave_up' || result === 'taken_over';
}
