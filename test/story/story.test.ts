/** The story of a callback: each thing that happens is told, in both languages, and the whole of it in a sentence or two. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import type { StoryEventName } from '../../src/story/sayings.ts';
import { type Story, tellStory } from '../../src/story/story.ts';
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
const CONTEXT = { timezone: 'Asia/Tokyo', now: CAME_AT + 60_000 } as const;

function told(story: CallbackStory, language: Language = 'en'): Story {
  return tellStory(story, { ...CONTEXT, language });
}

function eventsOf(story: CallbackStory, language: Language) {
  return told(story, language).events.map(({ what, text, small }) =>
    small === undefined ? `${what}: ${text}` : `${what}: ${text} [${small}]`,
  );
}

const ACTOR = { via: 'page', user: 'aya', from: '192.0.2.7' } as const;

const STORIES: Readonly<Record<string, CallbackStory>> = {
  'a message that was accepted by who never says whether it arrived': storyWith({
    deliveries: [deliveryWith({ receipt: { accepted: '202' } })],
    history: [attemptAt(10)],
  }),
  'what was received, by which route somebody was told, and what was answered': storyWith({
    deliveries: [deliveryWith({ receipt: { channel: 'C1', ts: '1.2' } })],
    history: [attemptAt(10), answerAt(0, 200, 'delivered')],
  }),
  'a failed attempt, its answer, and the next post': storyWith({
    status: 0,
    timesReceived: 2,
    lastReceivedAt: CAME_AT + 30_000,
    deliveries: [deliveryWith({ attempts: 2 })],
    history: [
      failedAt(10),
      answerAt(0, 502, 'failed'),
      rowAt(30_000, 'received', { times: 2 }),
      attemptAt(30_010),
      answerAt(30_000, 200, 'delivered'),
    ],
  }),
  'what Botbell took over with its answer': storyWith({
    deliveries: [pendingWith()],
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
  'what a rule holds back until a time': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: 'mute', heldUntil: CONTEXT.now + DAY_MS })],
    history: [rowAt(300, 'held', { endsAt: CONTEXT.now + DAY_MS }, { result: 'mute' })],
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
      {
        ...TELLS_OPS,
        route: 'routes[2]',
        matched: false,
        reaches: [],
        verdict: 'not of this status',
        on: ['error', 'executing'],
      },
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
      {
        route: 'default_route',
        matched: false,
        because: '',
        reaches: [],
        verdict: 'not of this status',
        on: ['succeeded'],
      },
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
  'an alert': storyWith({ kind: 'alert', routing: [], deliveries: [deliveryWith()] }),
  'what answers took': storyWith({
    history: [
      answerAt(0, 200, 'duplicate', 3),
      answerAt(0, 200, 'held', 70),
      answerAt(0, 200, 'accepted', 1500),
      answerAt(0, 503, 'unavailable', 90_000),
    ],
  }),
};

describe('the story of a callback', () => {
  it('is told event by event, in both languages', () => {
    const events = Object.entries(STORIES).map(([of, story]) => [
      of,
      { en: eventsOf(story, 'en'), ja: eventsOf(story, 'ja') },
    ]);
    expectMessages(join(import.meta.dirname, 'events.json'), Object.fromEntries(events) as object);
  });

  it('tells each thing that can happen by a name of its own', () => {
    const names = new Set(
      Object.values(STORIES)
        .flatMap((story) => told(story).events)
        .map(({ what }) => what),
    );
    const all: Readonly<Record<StoryEventName, true>> = {
      received: true,
      'route matched': true,
      'route did not match': true,
      superseded: true,
      held: true,
      attempt: true,
      delivered: true,
      dead: true,
      'taken over': true,
      answered: true,
      alerted: true,
      redelivered: true,
      dismissed: true,
      'routed anew': true,
      'left out': true,
    };
    // Of a callback that came a thousand times.
    names.add('left out');
    expect([...names].toSorted()).to.deep.equal(Object.keys(all).toSorted());
  });
});
