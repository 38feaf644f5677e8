/** How often a callback came, what the service was answered, and what that cost the BOT. */
import { statusNameOf } from '../callback/callback.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { AnswerRecord } from '../ledger/ledger.ts';
import { type Fact, type FactOf, RANK } from './facts.ts';

/** Callback interface, "Retries": the service posts again no sooner, and the BOT's running time goes on until then. */
const RETRY_AFTER_MS = 30_000;

/** Of a callback that comes more often, what it is answered is no longer written down. */
const MOST_ANSWERS_KEPT = 1000;

/** In the order in which they came. */
export function answersOf({ history }: Pick<CallbackStory, 'history'>): readonly AnswerRecord[] {
  return history
    .flatMap(({ answer }) => answer ?? [])
    .toSorted((a, b) => a.receivedAt - b.receivedAt || a.answeredAt - b.answeredAt);
}

/** When the service had its request open: an attempt of then was made by one. */
export interface Posts {
  /** In the order in which they came. */
  readonly answers: readonly AnswerRecord[];
  /** @param at milliseconds since the epoch */
  isDuringOne(at: number): boolean;
}

export function postsOf(story: CallbackStory): Posts {
  const answers = answersOf(story);
  const openSince = isUnanswered(story) ? story.lastReceivedAt : Infinity;
  // Of those up to each, since one may be answered before an earlier one is.
  let last = 0;
  const answeredBy = answers.map(({ answeredAt }) => (last = Math.max(last, answeredAt)));
  const isDuringOne = (at: number) => {
    const index = lastReceivedBy(answers, at);
    return at >= openSince || (index >= 0 && (answeredBy[index] ?? 0) >= at);
  };
  return { answers, isDuringOne };
}

/** @returns the index of the last one received by then; -1: none was */
function lastReceivedBy(answers: readonly AnswerRecord[], at: number): number {
  let [low, high] = [0, answers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((answers[middle]?.receivedAt ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function answerFacts(story: CallbackStory): Fact[] {
  const { receivedAt: at, botName } = story;
  const rank = RANK.received;
  if (story.kind === 'alert') return [{ kind: 'raised', at, rank, botName }];
  const status = statusNameOf(story);
  return [
    { kind: 'received', at, rank, botName, status },
    ...receiptsAfterFirst(story),
    ...answersOf(story).map(answered),
  ];
}

/** Whether the service waits for an answer, or waited for one that nobody knows of. */
export function isUnanswered(story: CallbackStory): boolean {
  const { kind, timesReceived, lastReceivedAt } = story;
  if (kind === 'alert' || timesReceived > MOST_ANSWERS_KEPT) return false;
  return answersOf(story).every(({ answeredAt }) => answeredAt < lastReceivedAt);
}

function answered({ receivedAt, answeredAt, status, result }: AnswerRecord): FactOf<'answered'> {
  const tookMs = Math.max(0, answeredAt - receivedAt);
  const isRetried = status < 200 || status > 299;
  const costMs = tookMs + (isRetried ? RETRY_AFTER_MS : 0);
  return {
    kind: 'answered',
    at: answeredAt,
    rank: RANK.answered,
    httpStatus: status,
    result,
    tookMs,
    costMs,
  };
}

/** What came before an answer was written, or was never answered, is known only as a number. */
function receiptsAfterFirst(story: CallbackStory): FactOf<'receivedAgain'>[] {
  const { receivedAt, lastReceivedAt, timesReceived } = story;
  if (timesReceived <= 1) return [];
  const answers = answersOf(story);
  const isFirstAnswered = answers[0] !== undefined && answers[0].receivedAt <= receivedAt;
  const again = answers.slice(isFirstAnswered ? 1 : 0).map((answer) => answer.receivedAt);
  // An admission is written a little after its callback has come.
  if (answers.every(({ answeredAt }) => answeredAt < lastReceivedAt)) again.push(lastReceivedAt);
  const isEachKnown = again.length === timesReceived - 1;
  return again.map((at, index) => {
    const isLast = index === again.length - 1 && at === lastReceivedAt;
    const time = isEachKnown ? index + 2 : isLast ? timesReceived : undefined;
    return { kind: 'receivedAgain', at, rank: RANK.received, time };
  });
}
