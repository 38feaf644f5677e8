/** The story of a callback, and the whole of it in a sentence or two: the answer to "why did I (not) get this?", in both languages. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
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

/** A minute after it came. */
const NOW = CAME_AT + 60_000;

const UNEVENTFUL = storyWith();

/** The summary, then each event; of others without the sentences of the uneventful one. */
function told(story: CallbackStory, language: Language): string[] {
  const { summary, events } = tellStory(story, { timezone: 'Asia/Tokyo', now: NOW, language });
  const lines = events.map(
    ({ what, text, small }) => `${what}: ${text}${small === undefined ? '' : ` [${small}]`}`,
  );
  const usual = story === UNEVENTFUL ? [] : told(UNEVENTFUL, language);
  return [summary, ...lines].filter((line) => !usual.includes(line));
}

const UNTOLD = { lastError: undefined } as const;
const OTHER_STATUS = { ...TELLS_OPS, reaches: [], verdict: 'not of this status', on: ['error'] } as const;
const IN_SUMMARY = { state: 'held', reason: 'mute', summaryId: 5 } as const;
const ACTOR = { via: 'page', user: 'aya', from: '192.0.2.7' } as const;

const STORIES: Readonly<Record<string, CallbackStory>> = {
  'that it came, and by which route it was to be told': UNEVENTFUL,
  'a message that was accepted by who never says whether it arrived': storyWith({
    deliveries: [deliveryWith({ receipt: { accepted: '202' } })],
    history: [attemptAt(10)],
  }),
  'what was received, by which route somebody was told, and what was answered': storyWith({
    deliveries: [deliveryWith({ receipt: { channel: 'C1', ts: '1.2' } })],
    history: [attemptAt(10), answerAt(0, 200, 'delivered')],
  }),
  'who is told next, but for whom the error has reached already': storyWith({
    deliveries: [
      deliveryWith({}),
      ...[
        { destination: 'slack:#night', state: 'held', reason: 'repeat' } as const,
        { destination: 'slack:#duty', telling: { escalated: { told: [], takenBy: '' } } },
        { destination: 'slack:#off', state: 'held', reason: DISMISSED } as const,
      ].map((fields) => deliveryWith(fields)),
    ],
    next: [
      { at: NOW + 60_000, who: ['slack:#ops', 'slack:#off'], unlessDelivered: false },
      {
        at: NOW + 120_000,
        who: ['slack:#ops', 'slack:#night', 'slack:#duty', 'slack:#leads'],
        unlessDelivered: false,
      },
    ],
  }),
  'a failed attempt, its answer, and the next post': storyWith({
    status: 0,
    timesReceived: 2,
    deliveries: [deliveryWith({ attempts: 2 })],
    history: [
      failedAt(10),
      answerAt(0, 502, 'failed'),
      rowAt(30_000, 'received', { times: 2 }),
      attemptAt(30_010),
      answerAt(30_000, 200, 'delivered'),
    ],
  }),
  'what waits until its destination answers': storyWith({
    deliveries: [pendingWith({ probeInMs: 90_000 })],
    history: [failedAt(10), answerAt(0, 200, 'taken_over'), rowAt(401, 'taken_over')],
  }),
  'attempts that fail in the same way, and in another': storyWith({
    deliveries: [pendingWith({ attempts: 3 })],
    history: [
      failedAt(10),
      failedAt(500, { durationMs: 0.2 }),
      failedAt(900, { outcome: 'permanent', error: REFUSED }),
    ],
  }),
  'an attempt that took long': storyWith({
    deliveries: [pendingWith()],
    history: [failedAt(10, { durationMs: 75_000 })],
  }),
  'what was given up, and who was alerted of it': storyWith({
    deliveries: [deliveryWith({ state: 'dead', lastError: REFUSED })],
    history: [
      rowAt(400, 'dead', { error: REFUSED }),
      rowAt(500, 'alerted', { alertId: 8, who: ['slack:#ops', 'email:ops@example.com'] }),
    ],
  }),
  'what a summary tells, and what one had that was given up': storyWith({
    deliveries: [true, false].map((isSummaryPending, id) =>
      deliveryWith({ id, destination: `d:${id}`, ...IN_SUMMARY, isSummaryPending }),
    ),
  }),
  'an address that is no longer routed, and the one that it was routed to instead': storyWith({
    deliveries: [
      deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED, updatedAt: CAME_AT + 5000 }),
      deliveryWith({ id: 2, destination: 'slack:#log', isTakenOver: true, updatedAt: CAME_AT + 6000 }),
    ],
    history: [
      rowAt(5000, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
      rowAt(5000, 'held', undefined, { result: NO_LONGER_ROUTED }),
      attemptAt(5500, { deliveryId: 2 }),
    ],
  }),
  'each routing anew, in its order, and who had it done; nothing of one that changed nothing': storyWith({
    deliveries: [
      deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED, updatedAt: CAME_AT + 7001 }),
      deliveryWith({ id: 2, destination: 'slack:#log', updatedAt: CAME_AT + 5500 }),
      deliveryWith({ id: 3, destination: 'slack:#new', updatedAt: CAME_AT + 9500 }),
    ],
    history: [
      rowAt(5000, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
      rowAt(5000, 'held', undefined, { result: NO_LONGER_ROUTED }),
      rowAt(7000, 'redelivered', { actor: ACTOR }),
      rowAt(7001, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
      rowAt(7001, 'held', undefined, { result: NO_LONGER_ROUTED }),
      rowAt(9000, 'routed_anew', { actor: ACTOR, told: ['slack:#new'], untouched: [] }),
      rowAt(9000, 'routed', { by: 'hand', explanations: [{ ...TELLS_OPS, reaches: ['slack:#new'] }] }),
      rowAt(9800, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#last'] }] }),
    ],
  }),
  'what was lost while no route named it, and then named again': storyWith({
    deliveries: [deliveryWith({ isTakenOver: true, attempts: 2, updatedAt: CAME_AT + 9100 })],
    history: [
      failedAt(10, { outcome: 'permanent', error: REFUSED }),
      answerAt(0, 502, 'failed'),
      rowAt(5000, 'routed', { by: 'config', explanations: [] }),
      rowAt(5000, 'dead', undefined, { result: NO_LONGER_ROUTED }),
      rowAt(5001, 'alerted', { alertId: 8, who: ['slack:#ops'] }),
      rowAt(9000, 'routed', { by: 'config', explanations: [TELLS_OPS] }),
      rowAt(9000, 'revived'),
      attemptAt(9050),
    ],
  }),
  'a start that came after its job’s result': storyWith({
    status: 2,
    result: 'superseded',
    history: [answerAt(0, 200, 'superseded')],
  }),
  'a start whose job’s result came while it was undelivered': storyWith({
    status: 2,
    deliveries: [deliveryWith({ state: 'held', reason: SUPERSEDED })],
    history: [rowAt(300, 'held', undefined, { result: SUPERSEDED })],
  }),
  'a recovery whose BOT has failed again': storyWith({
    status: 0,
    deliveries: [deliveryWith({ state: 'held', reason: SUPERSEDED })],
    history: [rowAt(300, 'held', undefined, { result: SUPERSEDED })],
  }),
  'what a rule holds back until a time': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: 'mute', heldUntil: NOW + DAY_MS })],
    history: [rowAt(300, 'held', { endsAt: NOW + DAY_MS }, { result: 'mute' })],
  }),
  'a route that tells what an earlier one does not tell now': storyWith({
    routing: [
      TELLS_OPS,
      { ...TELLS_OPS, route: 'routes[1]', pattern: '*', reaches: [], verdict: 'told already' },
    ],
    deliveries: [deliveryWith({ telling: { wantedBy: ['routes[1]'] } })],
  }),
  'routes that tell nobody': storyWith({
    status: 0,
    routing: [
      { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' },
      { ...TELLS_OPS, route: 'routes[1]', reaches: [], verdict: 'told already' },
      { ...OTHER_STATUS, route: 'routes[2]', on: ['error', 'executing'] },
    ],
  }),
  'a result that a route tells only where it is late': storyWith({
    status: 0,
    routing: [
      { ...TELLS_OPS, verdict: 'tells a late result' },
      { ...TELLS_OPS, verdict: 'tells a recovery or a late result' },
    ],
  }),
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
  'what people did, who they were, and from where, and how it had ended before': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: DISMISSED, lastError: REFUSED })],
    history: [
      rowAt(500, 'dead', { error: REFUSED }),
      rowAt(1000, 'redelivered', { actor: ACTOR, bulkId: 3 }),
      rowAt(2000, 'routed_anew', {
        actor: { ...ACTOR, via: 'api', user: undefined },
        told: [],
        untouched: [],
      }),
      rowAt(2000, 'routed', { by: 'hand', explanations: [TELLS_OPS] }),
      rowAt(2500, 'held', undefined, { result: NO_LONGER_ROUTED }),
      rowAt(3000, 'dismissed', { actor: { ...ACTOR, via: 'command line' } }),
    ],
  }),
  'a notice, which no routes were asked about one after the other': storyWith({
    kind: 'alert',
    routing: [],
    deliveries: [deliveryWith({ telling: { wantedBy: ['routes[1]'] } })],
  }),
  'what answers took': storyWith({
    history: [
      answerAt(0, 200, 'duplicate', 3),
      answerAt(0, 200, 'held', 70),
      answerAt(0, 200, 'accepted', 1500),
      answerAt(0, 503, 'unavailable', 90_000),
    ],
  }),
  'a message that an outbox printed': storyWith({
    deliveries: [deliveryWith({ receipt: { told: 'nobody' } })],
  }),
  'who was told at several times': storyWith({
    deliveries: [deliveryWith(), deliveryWith({ id: 2, destination: 'x:1', updatedAt: CAME_AT + 90_000 })],
  }),
  'a message to many': storyWith({
    deliveries: Array.from({ length: 1200 }, (_, id) => deliveryWith({ id, destination: `x:${id}` })),
  }),
  'a message that one has, and that fails at another': storyWith({
    deliveries: [deliveryWith(), pendingWith({ id: 2, destination: 'slack:#x' })],
  }),
  'many that fail each in its own way': storyWith({
    deliveries: Array.from({ length: 50 }, (_, id) => {
      const lastError = { ...REFUSED, code: String(550 + id), message: 'x'.repeat(5000) };
      return deliveryWith({ id, destination: `x:${id}`, state: 'dead', lastError });
    }),
  }),
  'what waits for its turn': storyWith({ deliveries: [pendingWith({ ...UNTOLD, dueInMs: -5 })] }),
  'what waits for an earlier message of its job': storyWith({
    deliveries: [pendingWith({ ...UNTOLD, behind: 3 })],
  }),
  'what is still the service’s to post again': storyWith({
    deliveries: [pendingWith({ ...UNTOLD, isTakenOver: false })],
  }),
  'what is being sent': storyWith({ deliveries: [pendingWith({ ...UNTOLD, claim: 'another' })] }),
  'what was lost with its route': storyWith({
    deliveries: [deliveryWith({ state: 'dead', lastError: REFUSED, reason: NO_LONGER_ROUTED })],
  }),
  'what the config sends elsewhere now': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED })],
  }),
  'what a rule let go for good': storyWith({ deliveries: [deliveryWith({ state: 'held', reason: 'when' })] }),
  'attempts of which the first are forgotten': storyWith({
    deliveries: [deliveryWith({ attempts: 21 })],
    history: [failedAt(10), attemptAt(20)],
  }),
  'a success that its routes do not tell': storyWith({
    status: 0,
    routing: [OTHER_STATUS, { ...OTHER_STATUS, on: ['executing'] }],
  }),
  'a success that the default route does not tell': storyWith({
    status: 0,
    routing: [{ ...OTHER_STATUS, pattern: undefined }],
  }),
  'a success that another route tells nobody on purpose': storyWith({
    status: 0,
    routing: [OTHER_STATUS, { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' }],
  }),
  'what no route names any more': storyWith({
    status: 0,
    routing: [OTHER_STATUS],
    history: [rowAt(1000, 'routed', { by: 'config', explanations: [] })],
  }),
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
