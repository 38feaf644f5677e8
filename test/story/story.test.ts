/** The story of a callback, and the whole of it in a sentence or two: the answer to "why did I (not) get this?", in both languages. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import type { HistoryRow } from '../../src/ledger/callbacks/history.ts';
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import type { RouteExplanation } from '../../src/route/router.ts';
import { standingOf } from '../../src/story/standing.ts';
import { tellStory } from '../../src/story/story.ts';
import type { Language } from '../../src/time/display.ts';
import { expectMessages } from '../support/expected-messages.ts';
import {
  answerAt,
  attemptAt,
  CAME_AT,
  deliveryWith,
  failedAt,
  pendingWith,
  REFUSED,
  rowAt,
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';

const DAY_MS = 86_400_000;

const NOW = CAME_AT + 60_000;

const UNEVENTFUL = storyWith();

/** The summary, then each event; of others without the sentences of the uneventful one. */
function told(story: CallbackStory, language: Language): string[] {
  const { summary, events } = tellStory(story, { timezone: 'Asia/Tokyo', now: NOW, language });
  const lines = events.map(({ what, text, small }) => `${what}: ${text}${small ? ` [${small}]` : ''}`);
  const usual = story === UNEVENTFUL ? [] : told(UNEVENTFUL, language);
  return [summary, ...lines].filter((line) => !usual.includes(line));
}

const UNTOLD = { lastError: undefined } as const;
const OTHER_STATUS = { ...TELLS_OPS, reaches: [], verdict: 'not of this status', on: ['error'] } as const;
const IN_SUMMARY = { state: 'held', reason: 'mute', summaryId: 5 } as const;
const ACTOR = { via: 'page', user: 'aya', from: '192.0.2.7' } as const;
const BY_API = { ...ACTOR, via: 'api', user: undefined } as const;
const TELLS_NOBODY = { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' } as const;
const LOST = deliveryWith({ state: 'dead', lastError: REFUSED });
const TOLD_BY_SECOND = deliveryWith({ telling: { wantedBy: ['routes[1]'] } });
const TOLD_ALREADY = { ...TELLS_OPS, route: 'routes[1]', reaches: [], verdict: 'told already' } as const;
const OVERTAKEN = storyOf([heldAs(SUPERSEDED)], heldAt(300, SUPERSEDED));

function storyOf(deliveries: readonly DeliveryRecord[], ...history: readonly HistoryRow[]): CallbackStory {
  return storyWith({ deliveries, history });
}

function successBy(...routing: readonly RouteExplanation[]): CallbackStory {
  return storyWith({ status: 0, routing });
}

function heldAs(reason: string, updatedAt = CAME_AT + 300): DeliveryRecord {
  return deliveryWith({ state: 'held', reason, updatedAt });
}

function heldAt(afterMs: number, result: string): HistoryRow {
  return rowAt(afterMs, 'held', undefined, { result });
}

/** By a route that reaches them, or by none. */
function routedAt(afterMs: number, by: 'config' | 'hand', ...reaches: readonly string[]): HistoryRow {
  const explanations = reaches.length === 0 ? [] : [{ ...TELLS_OPS, reaches }];
  return rowAt(afterMs, 'routed', { by, explanations });
}

const STORIES: Readonly<Record<string, CallbackStory>> = {
  'that it came, and by which route it was to be told': UNEVENTFUL,
  'a message that was accepted by who never says whether it arrived': storyOf(
    [deliveryWith({ receipt: { accepted: '202' } })],
    attemptAt(10),
  ),
  'what was received, by which route somebody was told, and what was answered': storyOf(
    [deliveryWith({ receipt: { channel: 'C1', ts: '1.2' } })],
    attemptAt(10),
    answerAt(0, 200, 'delivered'),
  ),
  'who is told next, but for whom the error has reached already': storyWith({
    deliveries: [
      {},
      { destination: 'slack:#night', state: 'held', reason: 'repeat' } as const,
      { destination: 'slack:#duty', telling: { escalated: { told: [], takenBy: '' } } },
      { destination: 'slack:#off', state: 'held', reason: DISMISSED } as const,
    ].map(deliveryWith),
    next: [
      ['slack:#ops', 'slack:#off'],
      ['slack:#ops', 'slack:#night', 'slack:#duty', 'slack:#leads'],
    ].map((who, index) => ({ at: NOW + (index + 1) * 60_000, who, unlessDelivered: false })),
  }),
  'a failed attempt, its answer, and the next post': {
    ...storyOf(
      [deliveryWith({ attempts: 2 })],
      failedAt(10),
      answerAt(0, 502, 'failed'),
      rowAt(30_000, 'received', { times: 2 }),
      attemptAt(30_010),
      answerAt(30_000, 200, 'delivered'),
    ),
    status: 0,
    timesReceived: 2,
  },
  'what waits until its destination answers': storyOf(
    [pendingWith({ probeInMs: 90_000 })],
    failedAt(10),
    answerAt(0, 200, 'taken_over'),
    rowAt(401, 'taken_over'),
  ),
  'attempts that fail in the same way, and in another': storyOf(
    [pendingWith({ attempts: 3 })],
    failedAt(10),
    failedAt(500, { durationMs: 0.2 }),
    failedAt(900, { outcome: 'permanent', error: REFUSED }),
  ),
  'an attempt that took long': storyOf([pendingWith()], failedAt(10, { durationMs: 75_000 })),
  'what was given up, and who was alerted of it': storyOf(
    [LOST],
    rowAt(400, 'dead', { error: REFUSED }),
    rowAt(500, 'alerted', { alertId: 8, who: ['slack:#ops', 'email:ops@example.com'] }),
  ),
  'what a summary tells, and what one had that was given up': storyOf(
    [true, false].map((isSummaryPending, id) =>
      deliveryWith({ id, destination: `d:${id}`, ...IN_SUMMARY, isSummaryPending }),
    ),
  ),
  'an address that is no longer routed, and the one that it was routed to instead': storyOf(
    [
      heldAs(NO_LONGER_ROUTED, CAME_AT + 5000),
      deliveryWith({ id: 2, destination: 'slack:#log', isTakenOver: true, updatedAt: CAME_AT + 6000 }),
    ],
    routedAt(5000, 'config', 'slack:#log'),
    heldAt(5000, NO_LONGER_ROUTED),
    attemptAt(5500, { deliveryId: 2 }),
  ),
  'each routing anew, in its order, and who had it done; nothing of one that changed nothing': storyOf(
    [
      heldAs(NO_LONGER_ROUTED, CAME_AT + 7001),
      deliveryWith({ id: 2, destination: 'slack:#log', updatedAt: CAME_AT + 5500 }),
      deliveryWith({ id: 3, destination: 'slack:#new', updatedAt: CAME_AT + 9500 }),
    ],
    routedAt(5000, 'config', 'slack:#log'),
    heldAt(5000, NO_LONGER_ROUTED),
    rowAt(7000, 'redelivered', { actor: ACTOR }),
    routedAt(7001, 'config', 'slack:#log'),
    heldAt(7001, NO_LONGER_ROUTED),
    rowAt(9000, 'routed_anew', { actor: ACTOR, told: ['slack:#new'], untouched: [] }),
    routedAt(9000, 'hand', 'slack:#new'),
    routedAt(9800, 'config', 'slack:#last'),
  ),
  'what was lost while no route named it, and then named again': storyOf(
    [deliveryWith({ isTakenOver: true, attempts: 2, updatedAt: CAME_AT + 9100 })],
    failedAt(10, { outcome: 'permanent', error: REFUSED }),
    answerAt(0, 502, 'failed'),
    routedAt(5000, 'config'),
    rowAt(5000, 'dead', undefined, { result: NO_LONGER_ROUTED }),
    rowAt(5001, 'alerted', { alertId: 8, who: ['slack:#ops'] }),
    routedAt(9000, 'config', 'slack:#ops'),
    rowAt(9000, 'revived'),
    attemptAt(9050),
  ),
  'a start that came after its job’s result': storyWith({
    status: 2,
    result: 'superseded',
    history: [answerAt(0, 200, 'superseded')],
  }),
  'a start whose job’s result came while it was undelivered': { ...OVERTAKEN, status: 2 },
  'a recovery whose BOT has failed again': { ...OVERTAKEN, status: 0 },
  'what a rule holds back until a time': storyOf(
    [deliveryWith({ state: 'held', reason: 'mute', heldUntil: NOW + DAY_MS })],
    rowAt(300, 'held', { endsAt: NOW + DAY_MS }, { result: 'mute' }),
  ),
  'a route that tells what an earlier one does not tell now': storyWith({
    routing: [TELLS_OPS, { ...TOLD_ALREADY, pattern: '*' }],
    deliveries: [TOLD_BY_SECOND],
  }),
  'routes that tell nobody': successBy(TELLS_NOBODY, TOLD_ALREADY, {
    ...OTHER_STATUS,
    route: 'routes[2]',
    on: ['error', 'executing'],
  }),
  'a result that a route tells only where it is late': successBy(
    { ...TELLS_OPS, verdict: 'tells a late result' },
    { ...TELLS_OPS, verdict: 'tells a recovery or a late result' },
  ),
  'a start that a route tells only where no result follows': storyWith({
    status: 2,
    routing: [{ ...TELLS_OPS, verdict: 'tells an overdue run' }],
  }),
  'a BOT that no route names': storyWith({ routing: [] }),
  'a BOT that only the default route may be for': storyWith({
    routing: [
      { route: 'default_route', reaches: ['slack:#ops'], verdict: 'tells' },
      { route: 'default_route', reaches: [], verdict: 'not of this status', on: ['succeeded'] },
    ],
  }),
  'what people did, who they were, and from where, and how it had ended before': storyOf(
    [deliveryWith({ state: 'held', reason: DISMISSED, lastError: REFUSED })],
    rowAt(500, 'dead', { error: REFUSED }),
    rowAt(1000, 'redelivered', { actor: ACTOR, bulkId: 3 }),
    rowAt(2000, 'routed_anew', { actor: BY_API, told: [], untouched: [] }),
    routedAt(2000, 'hand', 'slack:#ops'),
    heldAt(2500, NO_LONGER_ROUTED),
    rowAt(3000, 'dismissed', { actor: { ...ACTOR, via: 'command line' } }),
  ),
  'a notice, which no routes were asked about one after the other': storyWith({
    kind: 'alert',
    routing: [],
    deliveries: [TOLD_BY_SECOND],
  }),
  'what answers took': storyOf(
    [],
    answerAt(0, 200, 'duplicate', 3),
    answerAt(0, 200, 'held', 70),
    answerAt(0, 200, 'accepted', 1500),
    answerAt(0, 503, 'unavailable', 90_000),
  ),
  'a message that an outbox printed': storyOf([deliveryWith({ receipt: { told: 'nobody' } })]),
  'who was told at several times': storyOf([
    deliveryWith(),
    deliveryWith({ id: 2, destination: 'x:1', updatedAt: CAME_AT + 90_000 }),
  ]),
  'a message to many': storyOf(
    Array.from({ length: 1200 }, (_, id) => deliveryWith({ id, destination: `x:${id}` })),
  ),
  'a message that one has, and that fails at another': storyOf([
    deliveryWith(),
    pendingWith({ id: 2, destination: 'slack:#x' }),
  ]),
  'many that fail each in its own way': storyOf(
    Array.from({ length: 50 }, (_, id) => {
      const lastError = { ...REFUSED, code: String(550 + id), message: 'x'.repeat(5000) };
      return deliveryWith({ id, destination: `x:${id}`, state: 'dead', lastError });
    }),
  ),
  'what waits for its turn': storyOf([pendingWith({ ...UNTOLD, dueInMs: -5 })]),
  'what waits for an earlier message of its job': storyOf([pendingWith({ ...UNTOLD, behind: 3 })]),
  'what is still the service’s to post again': storyOf([pendingWith({ ...UNTOLD, isTakenOver: false })]),
  'what is being sent': storyOf([pendingWith({ ...UNTOLD, claim: 'another' })]),
  'what was lost with its route': storyOf([{ ...LOST, reason: NO_LONGER_ROUTED }]),
  'what the config sends elsewhere now': storyOf([heldAs(NO_LONGER_ROUTED)]),
  'what a rule let go for good': storyOf([heldAs('when')]),
  'attempts of which the first are forgotten': storyOf(
    [deliveryWith({ attempts: 21 })],
    failedAt(10),
    attemptAt(20),
  ),
  'a success that its routes do not tell': successBy(OTHER_STATUS, { ...OTHER_STATUS, on: ['executing'] }),
  'a success that the default route does not tell': successBy({ ...OTHER_STATUS, pattern: undefined }),
  'a success that another route tells nobody on purpose': successBy(OTHER_STATUS, TELLS_NOBODY),
  'what no route names any more': { ...successBy(OTHER_STATUS), history: [routedAt(1000, 'config')] },
};

describe('the story of a callback', () => {
  it('is told in a sentence or two and event by event, in both languages', async () => {
    const stories = Object.entries(STORIES).map(([of, story]) => [
      of,
      { en: told(story, 'en'), ja: told(story, 'ja') },
    ]);
    await expectMessages(join(import.meta.dirname, 'stories.json'), Object.fromEntries(stories) as object);
  });

  it('offers to send nothing that is no longer true, since that would be refused', () => {
    const acts = (state: 'dead' | 'delivered' | 'pending') =>
      standingOf(deliveryWith({ state, isOutdated: true }), NOW).acts;
    expect([acts('dead'), acts('delivered'), acts('pending')]).to.deep.equal([['dismiss'], [], []]);
  });
});
