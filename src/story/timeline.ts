/** What happened to a callback: each row of its history in a sentence. */
import { statusNameOf } from '../callback/callback.ts';
import { isPrinted } from './standing.ts';
import { ACCEPTED_AS, idsIn as receiptIds, type Receipt } from '../channels/channel.ts';
import type { FailureClass, FailureToExplain } from '../channels/failure.ts';
import type { ArchivedCallback, CallbackStory } from '../ledger/archive/archive.ts';
import type { ActionEntry, HistoryRow, HistoryWhat } from '../ledger/history.ts';
import {
  type CallbackResult,
  type DeliveryRecord,
  DISMISSED,
  NO_LONGER_ROUTED,
  SUPERSEDED,
} from '../ledger/ledger.ts';
import type { StoryEvent } from './event.ts';
import { isSameRouting, isSupersededAtOnce, routingEvents } from './routing.ts';
import type { Sayings } from './sayings.ts';
import type { Sentence } from './sentences-en.ts';

/** In the order of time. */
export function timelineOf(story: CallbackStory, sayings: Sayings): StoryEvent[] {
  const timeline = new Timeline(story, sayings);
  const events = [
    ...timeline.receipt(),
    ...story.history.flatMap((row) => timeline.eventsOf(row)),
    ...story.alerts.map((alert) => alertEvent(alert, sayings)),
  ];
  return events.toSorted((a, b) => a.at - b.at);
}

/** What an alert about it has come to. */
function alertEvent({ receivedAt: at, deliveries }: ArchivedCallback, sayings: Sayings): StoryEvent {
  const told = deliveries.filter(({ state }) => state === 'delivered');
  const who = (told.length > 0 ? told : deliveries).map(({ destination }) => destination);
  const text = sayings.say(told.length > 0 ? 'alerted' : 'alerting', { who: sayings.list(who) });
  return { at, what: 'alerted', text };
}

type RowOf<What extends HistoryWhat> = Extract<HistoryRow, { readonly what: What }>;
type Tellers = { readonly [What in HistoryWhat]: (row: RowOf<What>) => readonly StoryEvent[] };

/** Goes from row to row, and remembers the last routing. */
class Timeline {
  readonly #story: CallbackStory;
  readonly #sayings: Sayings;
  #routing: unknown;

  readonly #tellers: Tellers = {
    received: ({ at, entry }) => {
      const nth = this.#sayings.ordinal(entry.times);
      return [{ at, what: 'received', text: this.#sayings.say('received again', { nth }) }];
    },
    routed: (row) => this.#routed(row),
    attempt: (row) => [this.#attempted(row)],
    answered: (row) => [this.#answered(row)],
    taken_over: (row) => [this.#about(row, 'taken over', 'taken over')],
    held: (row) => this.#held(row),
    released: () => [],
    dead: (row) => [this.#dead(row)],
    revived: (row) => [this.#about(row, 'routed anew', 'revived')],
    redelivered: (row) => this.#byHand(row),
    dismissed: (row) => this.#byHand(row),
    routed_anew: ({ at, entry }) => [
      { at, what: 'routed anew', text: this.#action(this.#sayings.say('routed by hand'), entry) },
    ],
    alerted: () => [],
  };

  constructor(story: CallbackStory, sayings: Sayings) {
    this.#story = story;
    this.#sayings = sayings;
    this.#routing = story.routing;
  }

  receipt(): StoryEvent[] {
    const { kind, receivedAt: at, botName } = this.#story;
    const name = this.#sayings.name(botName);
    const nameless = kind === 'alert' ? 'a message' : 'a BOT';
    const bot = name === '' ? this.#sayings.say(nameless) : this.#sayings.say('named', { name });
    if (kind === 'alert') return [{ at, what: 'received', text: this.#sayings.say('raised', { bot }) }];
    const text = this.#sayings.say(`received, ${statusNameOf(this.#story)}`, { bot });
    const events: StoryEvent[] = [
      { at, what: 'received', text },
      ...routingEvents(this.#routing, at, this.#story, this.#sayings),
    ];
    if (isSupersededAtOnce(this.#story))
      events.push({ at, what: 'superseded', text: this.#sayings.say('superseded at once') });
    return events;
  }

  eventsOf(row: HistoryRow): readonly StoryEvent[] {
    // Which of the rows it is, the compiler cannot tell from its own `what`.
    return (this.#tellers[row.what] as (row: HistoryRow) => readonly StoryEvent[])(row);
  }

  #attemptsOf(id: number | undefined): readonly RowOf<'attempt'>[] {
    const attempts = this.#story.history.filter((row) => row.what === 'attempt');
    return attempts.filter(({ deliveryId }) => deliveryId === id);
  }

  #deliveryOf({ deliveryId }: Pick<HistoryRow, 'deliveryId'>): DeliveryRecord | undefined {
    return this.#story.deliveries.find(({ id }) => id === deliveryId);
  }

  #about(
    row: Pick<HistoryRow, 'at' | 'deliveryId'>,
    what: StoryEvent['what'],
    sentence: Sentence,
    values: Readonly<Record<string, string>> = {},
  ): StoryEvent {
    const destination = this.#deliveryOf(row)?.destination;
    const who = this.#sayings.name(destination ?? '');
    return { at: row.at, what, text: this.#sayings.say(sentence, { who, ...values }), destination };
  }

  #routed({ at, entry: { by, explanations } }: RowOf<'routed'>): StoryEvent[] {
    const isSame = isSameRouting(this.#routing, explanations);
    this.#routing = explanations;
    if (isSame) return [];
    const events = routingEvents(explanations, at, this.#story, this.#sayings);
    if (by === 'hand') return events;
    return [{ at, what: 'routed anew', text: this.#sayings.say('routed by config') }, ...events];
  }

  #attempted(row: RowOf<'attempt'>): StoryEvent {
    const { result, entry } = row;
    const all = this.#attemptsOf(row.deliveryId);
    const index = all.indexOf(row);
    const { attempts = 0, receipt } = this.#deliveryOf(row) ?? {};
    // Of very many, the first are not there any more.
    const number = Math.max(0, attempts - all.length) + index + 1;
    const values = { nth: this.#sayings.ordinal(number), took: this.#sayings.duration(entry.durationMs) };
    const delivery = this.#deliveryOf(row);
    if (result === 'delivered' && delivery !== undefined && isPrinted(delivery))
      return this.#about(row, 'delivered', 'printed, event');
    if (result === 'delivered') {
      const small = number === attempts && receipt ? idsIn(receipt, this.#sayings) : undefined;
      return { ...this.#about(row, 'delivered', sentenceOf(receipt), values), small };
    }
    const error = errorOf(row);
    const before = all[index - 1];
    const isAlike = before !== undefined && JSON.stringify(errorOf(before)) === JSON.stringify(error);
    const cause = this.#sayings.cause(error);
    const event = this.#about(row, 'attempt', isAlike ? 'failed alike' : 'failed', { ...values, cause });
    return { ...event, small: this.#sayings.technical(error) };
  }

  #held(row: RowOf<'held'>): readonly StoryEvent[] {
    const { result: rule = '' } = row;
    if (rule === SUPERSEDED) return [this.#about(row, 'superseded', 'superseded, event')];
    if (rule === NO_LONGER_ROUTED) return [this.#about(row, 'held', 'unrouted, event')];
    // Whoever has dismissed it is told of as an action.
    if (rule === DISMISSED) return [];
    return [this.#about(row, 'held', 'held, event', { rule: this.#sayings.name(rule) })];
  }

  /** As its last attempt before ended; whatever that came to, the config has ended what is no longer routed. */
  #dead(row: RowOf<'dead'>): StoryEvent {
    const rows = this.#story.history;
    const before = rows.slice(0, rows.indexOf(row)).filter(({ deliveryId }) => deliveryId === row.deliveryId);
    const failed = before.findLast((each) => each.what === 'attempt' && each.result !== 'delivered');
    const known = failed?.what === 'attempt' ? errorOf(failed) : this.#deliveryOf(row)?.lastError;
    const error = row.result === NO_LONGER_ROUTED ? undefined : known;
    const event = this.#about(row, 'dead', 'given up', { because: this.#sayings.because(error) });
    return { ...event, small: error && this.#sayings.technical(error) };
  }

  #answered({ at, result = '', entry: { receivedAt, status } }: RowOf<'answered'>): StoryEvent {
    const took = this.#sayings.duration(Math.max(0, at - receivedAt));
    const answer = this.#sayings.say(`answer ${result as CallbackResult}`);
    const text = this.#sayings.say('answered', { took, answer });
    return { at, what: 'answered', text, small: `HTTP ${status}, ${result}` };
  }

  /** What was done to several deliveries at once is one thing. */
  #byHand(row: RowOf<'redelivered'> | RowOf<'dismissed'>): readonly StoryEvent[] {
    const { at, what, entry } = row;
    const alike = this.#story.history.filter(
      (each) =>
        each.what === what &&
        each.at === at &&
        each.entry.bulkId === entry.bulkId &&
        each.entry.actor.user === entry.actor.user,
    );
    if (alike[0] !== row) return [];
    const destinations = alike.flatMap((each) => this.#deliveryOf(each)?.destination ?? []);
    const message =
      destinations.length === 0
        ? this.#sayings.say('the message')
        : this.#sayings.say('the message for', { who: this.#sayings.list(destinations) });
    return [{ at, what, text: this.#action(this.#sayings.say(what, { what: message }), entry) }];
  }

  #action(did: string, { actor: { user, via, from }, note = '', bulkId }: ActionEntry): string {
    const sayings = this.#sayings;
    return sayings.say('by hand', {
      did,
      user: user === undefined ? sayings.say('somebody') : sayings.say('user', { name: sayings.name(user) }),
      via: sayings.say(`via ${via}`),
      from: sayings.name(from),
      bulk: bulkId === undefined ? '' : sayings.say('in bulk', { id: String(bulkId) }),
      note: note === '' ? sayings.say('no note') : sayings.say('note', { note: sayings.name(note) }),
    });
  }
}

function errorOf({ result, entry }: RowOf<'attempt'>): FailureToExplain {
  return entry.error ?? { class: result as FailureClass, code: '', message: '' };
}

function sentenceOf(receipt: Receipt | undefined): 'delivered' | 'accepted, event' {
  return receipt?.[ACCEPTED_AS] === undefined ? 'delivered' : 'accepted, event';
}

function idsIn(receipt: Receipt, sayings: Sayings): string | undefined {
  const parts = receiptIds(receipt).map(([key, value]) => `${sayings.name(key)} ${sayings.name(value)}`);
  return parts.join(', ') || undefined;
}

/** Of a callback that comes more often, not each answer is written down. */
const MOST_ANSWERS = 1000;

/** Whether the service waits for an answer, or waited for one that nobody knows of. */
export function isUnanswered({ kind, timesReceived, lastReceivedAt, history }: CallbackStory): boolean {
  if (kind === 'alert' || timesReceived > MOST_ANSWERS) return false;
  return !history.some(({ what, at }) => what === 'answered' && at >= lastReceivedAt);
}
