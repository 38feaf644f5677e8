/** The rows of a callback's history, each as the thing that it tells. */
import { statusNameOf } from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import { FAILURE_CLASSES, type FailureClass } from '../channels/failure.ts';
import type { ArchivedDelivery, CallbackStory } from '../ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/hold.ts';
import type { ActionEntry, HistoryRow } from '../ledger/history.ts';
import type { CallbackResult } from '../ledger/ledger.ts';
import type { Fact, FactOf } from './facts.ts';
import { explanationsOf, isSameRouting, routingFacts } from './routing-facts.ts';

/** Callback interface, "Retries": the service posts again no sooner, and the BOT's running time goes on until then. */
const RETRY_AFTER_MS = 30_000;

/** In the order of time. @param alerts the stories of its alerts */
export function factsOf(story: CallbackStory, alerts: readonly CallbackStory[]): Fact[] {
  const facts = [
    ...factsOfReceipt(story),
    ...new HistoryTeller(story).facts(),
    ...toldUnseen(story),
    ...alerts.map(alertFact),
  ];
  return facts.toSorted((a, b) => a.at - b.at);
}

function factsOfReceipt(story: CallbackStory): Fact[] {
  const { kind, receivedAt: at, botName, routing } = story;
  if (kind === 'alert') return [{ kind: 'raised', at, botName }];
  const facts: Fact[] = [
    { kind: 'received', at, botName, status: statusNameOf(story) },
    ...routingFacts(explanationsOf(routing), at, story),
  ];
  if (isSupersededAtOnce(story)) facts.push({ kind: 'superseded', at });
  return facts;
}

/** It came after its job's result: nothing was planned for it. */
export function isSupersededAtOnce({ deliveries, result }: CallbackStory): boolean {
  return deliveries.length === 0 && result === 'superseded';
}

/** Told by an attempt that so much has happened since that it is not in the history any more. */
function toldUnseen({ deliveries, history }: CallbackStory): Fact[] {
  const seen = new Set(
    history.flatMap(({ what, result, deliveryId }) =>
      what === 'attempt' && result === 'delivered' ? [deliveryId] : [],
    ),
  );
  return deliveries
    .filter(({ id, state }) => state === 'delivered' && !seen.has(id))
    .map(({ destination, updatedAt: at, receipt }) => ({ kind: 'delivered', at, destination, receipt }));
}

/** What an alert about it has come to. */
function alertFact({ receivedAt, deliveries }: CallbackStory): Fact {
  const of = (isTold: boolean) =>
    deliveries.filter(({ state }) => (state === 'delivered') === isTold).map((each) => each.destination);
  return { kind: 'alerted', at: receivedAt, told: of(true), untold: of(false) };
}

type RowOf<What extends HistoryRow['what']> = Extract<HistoryRow, { readonly what: What }>;

/** Goes from row to row, and remembers what the next one is told by. */
class HistoryTeller {
  readonly #story: CallbackStory;
  readonly #facts: Fact[] = [];
  readonly #deliveries: ReadonlyMap<number | undefined, ArchivedDelivery>;
  readonly #numbers = new Map<number | undefined, number>();
  readonly #errors = new Map<number | undefined, FailureToExplain>();
  #explanations;

  constructor(story: CallbackStory) {
    this.#story = story;
    this.#deliveries = new Map(story.deliveries.map((delivery) => [delivery.id, delivery]));
    this.#explanations = explanationsOf(story.routing);
    // Of very many, the first are not there any more.
    for (const { id, attempts } of story.deliveries) this.#numbers.set(id, attempts);
    for (const { what, deliveryId } of story.history) {
      const number = this.#numbers.get(deliveryId) ?? 0;
      if (what === 'attempt') this.#numbers.set(deliveryId, Math.max(0, number - 1));
    }
  }

  facts(): Fact[] {
    for (const row of this.#story.history) this.#tell(row);
    return this.#facts;
  }

  #tell(row: HistoryRow): void {
    const { at, what, deliveryId } = row;
    const destination = this.#deliveries.get(deliveryId)?.destination;
    if (what === 'routed') this.#tellRouting(row);
    else if (what === 'attempt') this.#tellAttempt(row);
    else if (what === 'dead') this.#facts.push({ kind: 'dead', at, destination, error: this.#causeOf(row) });
    else if (what === 'routed_anew') this.#tellAction('routedByHand', row, row.entry.told);
    else if (what === 'redelivered' || what === 'dismissed')
      this.#tellAction(what, row, destination === undefined ? [] : [destination]);
    else this.#facts.push(...factsAlone(row, destination));
  }

  #tellRouting({ at, entry: { by, explanations } }: RowOf<'routed'>): void {
    const next = explanationsOf(explanations);
    const isSame = isSameRouting(this.#explanations, next);
    this.#explanations = next;
    if (isSame) return;
    if (by === 'config') this.#facts.push({ kind: 'reroutedByConfig', at });
    this.#facts.push(...routingFacts(next, at, this.#story));
  }

  #tellAttempt({ deliveryId, result, entry }: RowOf<'attempt'>): void {
    const delivery = this.#deliveries.get(deliveryId);
    const number = (this.#numbers.get(deliveryId) ?? 0) + 1;
    this.#numbers.set(deliveryId, number);
    const attempt = {
      at: entry.startedAt,
      destination: delivery?.destination,
      number,
      durationMs: entry.durationMs,
    };
    if (result === 'delivered') {
      const receipt = number === delivery?.attempts ? delivery.receipt : undefined;
      this.#facts.push({ kind: 'delivered', ...attempt, receipt });
      return;
    }
    const error = { code: '', message: '', ...entry.error, class: result as FailureClass };
    const isSame = isSameError(error, this.#errors.get(deliveryId));
    this.#errors.set(deliveryId, error);
    this.#facts.push({ kind: 'attemptFailed', ...attempt, error, isSame });
  }

  /** As it ended; else as its last attempt did. */
  #causeOf({ deliveryId, result, entry }: RowOf<'dead'>): FailureToExplain | undefined {
    const failureClass = FAILURE_CLASSES.find((each) => each === result) ?? 'config';
    if (entry?.error !== undefined) return { ...entry.error, class: failureClass };
    // It has ended by the config, whatever its attempts came to.
    if (result === NO_LONGER_ROUTED) return undefined;
    return this.#errors.get(deliveryId) ?? this.#deliveries.get(deliveryId)?.lastError;
  }

  /** What was done to several deliveries at once is one thing. */
  #tellAction(
    kind: 'redelivered' | 'dismissed' | 'routedByHand',
    { at, entry }: { readonly at: number; readonly entry: ActionEntry },
    destinations: readonly string[],
  ): void {
    const { actor, note, bulkId } = entry;
    const last = this.#facts.at(-1);
    const isOfLast =
      last?.kind === kind && last.at === at && last.bulkId === bulkId && last.actor.user === actor.user;
    if (isOfLast) this.#facts.pop();
    const all = isOfLast ? [...last.destinations, ...destinations] : destinations;
    this.#facts.push({ kind, at, actor, note, bulkId, destinations: all });
  }
}

/** Of rows that are told by themselves. */
function factsAlone(row: HistoryRow, destination: string | undefined): Fact[] {
  const { at, what } = row;
  if (what === 'received') return [{ kind: 'receivedAgain', at, time: row.entry.times }];
  if (what === 'answered') return [answered(row)];
  if (what === 'taken_over') return [{ kind: 'takenOver', at, destination }];
  if (what === 'revived') return [{ kind: 'revived', at, destination }];
  return what === 'held' ? heldFacts(row, destination) : [];
}

function isSameError(error: FailureToExplain, before: FailureToExplain | undefined): boolean {
  return error.class === before?.class && error.code === before.code && error.message === before.message;
}

function heldFacts({ at, result: code = '' }: RowOf<'held'>, destination: string | undefined): Fact[] {
  if (code === SUPERSEDED) return [{ kind: 'superseded', at, destination }];
  if (code === NO_LONGER_ROUTED) return [{ kind: 'unrouted', at, destination }];
  // Whoever has dismissed it is told of as an action.
  return code === DISMISSED ? [] : [{ kind: 'held', at, destination, code }];
}

function answered({ at, result, entry: { receivedAt, status } }: RowOf<'answered'>): FactOf<'answered'> {
  const tookMs = Math.max(0, at - receivedAt);
  const costMs = tookMs + (status < 200 || status > 299 ? RETRY_AFTER_MS : 0);
  return { kind: 'answered', at, httpStatus: status, result: result as CallbackResult, tookMs, costMs };
}

/** Of a callback that comes more often, not each answer is written down. */
const MOST_ANSWERS = 1000;

/** Whether the service waits for an answer, or waited for one that nobody knows of. */
export function isUnanswered({ kind, timesReceived, lastReceivedAt, history }: CallbackStory): boolean {
  if (kind === 'alert' || timesReceived > MOST_ANSWERS) return false;
  return !history.some(({ what, at }) => what === 'answered' && at >= lastReceivedAt);
}
