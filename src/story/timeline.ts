/** The timeline of a callback: a sentence for each row of its history. */
import { statusNameOf } from '../callback/callback.ts';
import { ACCEPTED_AS, idsIn } from '../channels/channel.ts';
import type { FailureClass } from '../channels/failure.ts';
import { type CallbackStory, MOST_HISTORY } from '../ledger/archive/archive.ts';
import type { ActionEntry, HistoryRow, HistoryWhat } from '../ledger/callbacks/history.ts';
import { type CallbackResult, type DeliveryRecord, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/ledger.ts';
import { isSupersededAtOnce, routingEvents, tellerEvents } from './routing.ts';
import type { Sayings, StoryEvent } from './sayings.ts';
import type { Sentence } from './sentences.ts';
import { isPrinted, whySuperseded } from './standing.ts';

export function timelineOf(story: CallbackStory, sayings: Sayings): StoryEvent[] {
  const timeline = new Timeline(story, sayings);
  const events = [
    ...timeline.receipt(),
    ...tellerEvents(story, sayings),
    ...leftOut(story, sayings),
    ...story.history.flatMap((row) => timeline.eventsOf(row)),
  ];
  return events.toSorted((a, b) => a.at - b.at);
}

function leftOut({ history }: CallbackStory, sayings: Sayings): StoryEvent[] {
  const [first] = history;
  if (first === undefined || history.length < MOST_HISTORY) return [];
  return [{ at: first.at, what: 'left out', text: sayings.say('left out') }];
}

/** A row with the event's name. */
type EventRow = Pick<HistoryRow, 'at' | 'deliveryId'> & Pick<StoryEvent, 'what'>;

/** Turns rows into events one by one, and remembers the last routing. */
class Timeline {
  readonly #story: CallbackStory;
  readonly #sayings: Sayings;
  #routing: unknown;

  readonly #tellers: { readonly [What in HistoryWhat]: (row: HistoryRow<What>) => readonly StoryEvent[] } = {
    received: (row) => [this.#event(row, 'received again', { nth: this.#sayings.ordinal(row.entry.times) })],
    routed: (row) => this.#routed(row),
    attempt: (row) => [this.#attempted(row)],
    answered: (row) => [this.#answered(row)],
    taken_over: (row) => [this.#event({ ...row, what: 'taken over' }, 'taken over')],
    held: (row) => this.#held(row),
    released: () => [],
    summarised: (row) => [this.#event({ ...row, what: 'held' }, 'in a summary')],
    told_in_summary: (row) => [this.#event({ ...row, what: 'delivered' }, 'told in summary, event')],
    dead: (row) => [this.#dead(row)],
    revived: (row) => [this.#event({ ...row, what: 'routed anew' }, 'revived')],
    redelivered: (row) => [this.#byHand(row, row.what)],
    dismissed: (row) => [this.#byHand(row, row.what)],
    routed_anew: (row) => [this.#byHand({ ...row, what: 'routed anew' }, 'routed by hand')],
    escalated: (row) => [
      this.#event(row, 'escalated', { who: this.#sayings.list(row.entry.who) }, row.entry.route),
    ],
    alerted: (row) => [this.#event(row, 'alerted', { who: this.#sayings.list(row.entry.who) })],
  };

  constructor(story: CallbackStory, sayings: Sayings) {
    this.#story = story;
    this.#sayings = sayings;
    this.#routing = story.routing;
  }

  receipt(): StoryEvent[] {
    const { kind, receivedAt: at, botName } = this.#story;
    const say = this.#sayings.say.bind(this.#sayings);
    const name = this.#sayings.name(botName);
    const bot = name === '' ? say(kind === 'alert' ? 'a message' : 'a BOT') : say('named', { name });
    if (kind !== 'callback') return [{ at, what: 'received', text: say(`raised, ${kind}`, { bot }) }];
    const text = say(`received, ${statusNameOf(this.#story)}`, { bot });
    const routed = routingEvents(this.#routing, at, this.#story, this.#sayings);
    if (isSupersededAtOnce(this.#story))
      routed.push({ at, what: 'superseded', text: say('superseded at once') });
    return [{ at, what: 'received', text }, ...routed];
  }

  eventsOf(row: HistoryRow): readonly StoryEvent[] {
    // The compiler cannot derive the row's type from `row.what`.
    return (this.#tellers[row.what] as (row: HistoryRow) => readonly StoryEvent[])(row);
  }

  #deliveryOf({ deliveryId }: Pick<HistoryRow, 'deliveryId'>): DeliveryRecord | undefined {
    return this.#story.deliveries.find(({ id }) => id === deliveryId);
  }

  #whoOf(row: Pick<HistoryRow, 'deliveryId'>): string {
    return this.#sayings.name(this.#deliveryOf(row)?.destination ?? '');
  }

  #event(
    row: EventRow,
    sentence: Sentence,
    values: Readonly<Record<string, string>> = {},
    small?: string,
  ): StoryEvent {
    const { at, what } = row;
    const text = this.#sayings.say(sentence, { who: this.#whoOf(row), ...values });
    return { at, what, text, small, destination: this.#deliveryOf(row)?.destination };
  }

  #routed({ at, deliveryId, entry: { by, explanations } }: HistoryRow<'routed'>): StoryEvent[] {
    const isSame = JSON.stringify(this.#routing) === JSON.stringify(explanations);
    this.#routing = explanations;
    if (isSame) return [];
    const events = routingEvents(explanations, at, this.#story, this.#sayings);
    if (by === 'hand') return events;
    return [this.#event({ at, deliveryId, what: 'routed anew' }, 'routed by config'), ...events];
  }

  #attempted(row: HistoryRow<'attempt'>): StoryEvent {
    const isOfSame = ({ what, deliveryId }: HistoryRow) => what === row.what && deliveryId === row.deliveryId;
    const all = this.#story.history.filter(isOfSame);
    const delivery = this.#deliveryOf(row);
    const { attempts = 0, receipt = {} } = delivery ?? {};
    // The history holds only its last rows, so the first attempts may be left out.
    const number = Math.max(0, attempts - all.length) + all.indexOf(row) + 1;
    const took = this.#sayings.duration(row.entry.durationMs);
    const values = { nth: this.#sayings.ordinal(number), took };
    if (row.result !== 'delivered') {
      const error = row.entry.error ?? { class: row.result as FailureClass, code: '', message: '' };
      const cause = this.#sayings.cause(error);
      return this.#event(row, 'failed', { ...values, cause }, this.#sayings.technical(error));
    }
    const told = { ...row, what: 'delivered' } as const;
    if (delivery !== undefined && isPrinted(delivery)) return this.#event(told, 'printed');
    const ids = idsIn(receipt).map((each) => each.map((part) => this.#sayings.name(part)).join(' '));
    const small = number === attempts && ids.length > 0 ? ids.join(', ') : undefined;
    const sentence = receipt[ACCEPTED_AS] === undefined ? 'delivered' : 'accepted, event';
    return this.#event(told, sentence, values, small);
  }

  #held(row: HistoryRow<'held'>): readonly StoryEvent[] {
    const { result: rule = '' } = row;
    if (rule === SUPERSEDED) return [this.#event({ ...row, what: 'superseded' }, whySuperseded(this.#story))];
    if (rule === NO_LONGER_ROUTED) return [this.#event(row, 'unrouted')];
    const endsAt = row.entry?.endsAt;
    const time = endsAt === undefined ? '' : this.#sayings.time(endsAt);
    const sentence = endsAt === undefined ? 'held' : 'held until';
    return [this.#event(row, sentence, { rule: this.#sayings.rule(rule), time })];
  }

  /** If no route names the destination any more, the config made it a dead letter, not the last attempt. */
  #dead(row: HistoryRow<'dead'>): StoryEvent {
    if (row.result === NO_LONGER_ROUTED) return this.#event(row, 'dead unrouted');
    const { error } = row.entry ?? {};
    const small = error && this.#sayings.technical(error);
    return this.#event(row, 'dead', { because: this.#sayings.because(error) }, small);
  }

  #answered(row: HistoryRow<'answered'>): StoryEvent {
    const { at, result = '', entry } = row;
    const took = this.#sayings.duration(at - entry.receivedAt);
    const answer = this.#sayings.say(`answer ${result as CallbackResult}`);
    return this.#event(row, 'answered', { took, answer }, `HTTP ${entry.status}`);
  }

  #byHand(
    row: EventRow & { readonly entry: ActionEntry },
    did: 'redelivered' | 'dismissed' | 'routed by hand',
  ) {
    const sayings = this.#sayings;
    const { actor, bulkId } = row.entry;
    const { user, via, from } = actor;
    return this.#event(row, 'by hand', {
      did: sayings.say(did, { who: this.#whoOf(row) }),
      user: user === undefined ? sayings.say('somebody') : sayings.say('user', { name: sayings.name(user) }),
      via: sayings.say(`via ${via}`),
      from: sayings.name(from),
      bulk: bulkId === undefined ? '' : sayings.say('in bulk', { id: String(bulkId) }),
    });
  }
}
