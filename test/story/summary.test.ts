/** The whole story in a sentence or two: the answer to "why did I (not) get this?". */
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import { tellStory } from '../../src/story/story.ts';
import type { Language } from '../../src/time/display.ts';
import { expectMessages } from '../support/expected-messages.ts';
import {
  CAME_AT,
  deliveryWith,
  NOT_FOUND,
  pendingWith,
  REFUSED,
  rowAt,
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';

/** A minute after it came. */
const CONTEXT = { timezone: 'Asia/Tokyo', now: CAME_AT + 60_000 } as const;

function summaryOf(story: CallbackStory, language: Language): string {
  return tellStory(story, { ...CONTEXT, language }).summary;
}

const UNTOLD = { lastError: undefined } as const;
const OTHER_STATUS = {
  ...TELLS_OPS,
  matched: false,
  reaches: [],
  verdict: 'not of this status',
  on: ['error'],
};

/** By what became of it. */
const STORIES: Readonly<Record<string, CallbackStory>> = {
  told: storyWith({
    deliveries: [deliveryWith(), deliveryWith({ id: 2, destination: 'email:a@example.com' })],
  }),
  'printed by an outbox': storyWith({ deliveries: [deliveryWith({ receipt: { told: 'nobody' } })] }),
  'told at several times': storyWith({
    deliveries: [deliveryWith(), deliveryWith({ id: 2, destination: 'x:1', updatedAt: CAME_AT + 90_000 })],
  }),
  'told to many': storyWith({
    deliveries: Array.from({ length: 1200 }, (_, id) => deliveryWith({ id, destination: `x:${id}` })),
  }),
  'accepted by who cannot say whether it was posted': storyWith({
    deliveries: [deliveryWith({ destination: 'teams:ops', receipt: { accepted: '202' } })],
  }),
  'told to one, and failing at another': storyWith({
    deliveries: [deliveryWith(), pendingWith({ id: 2, destination: 'slack:#x' })],
  }),
  'waiting for its turn': storyWith({ deliveries: [pendingWith({ ...UNTOLD, dueInMs: -5 })] }),
  'waiting for an earlier message of its job': storyWith({
    deliveries: [pendingWith({ ...UNTOLD, behind: 3 })],
  }),
  'still the service’s to post again': storyWith({
    deliveries: [pendingWith({ ...UNTOLD, isTakenOver: false })],
  }),
  'being sent': storyWith({ deliveries: [pendingWith({ ...UNTOLD, claim: 'elsewhere' })] }),
  'held until another day': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: 'mute', heldUntil: CONTEXT.now + 86_400_000 })],
  }),
  'held by a rule': storyWith({ deliveries: [deliveryWith({ state: 'held', reason: 'when' })] }),
  'given up': storyWith({ deliveries: [deliveryWith({ state: 'dead', lastError: REFUSED })] }),
  'lost with its route': storyWith({
    deliveries: [deliveryWith({ state: 'dead', lastError: NOT_FOUND, reason: NO_LONGER_ROUTED })],
  }),
  'told elsewhere now': storyWith({
    deliveries: [deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED })],
  }),
  dismissed: storyWith({ deliveries: [deliveryWith({ state: 'held', reason: DISMISSED })] }),
  'superseded before it was delivered': storyWith({
    status: 2,
    deliveries: [deliveryWith({ state: 'held', reason: SUPERSEDED })],
  }),
  'superseded when it came': storyWith({ status: 2, result: 'superseded' }),
  'of a BOT without a route': storyWith({ routing: [] }),
  'of a status that its routes do not tell': storyWith({
    status: 0,
    routing: [OTHER_STATUS, { ...OTHER_STATUS, on: ['executing'] }],
  }),
  'of a status that the default route does not tell': storyWith({
    status: 0,
    routing: [{ ...OTHER_STATUS, pattern: undefined }],
  }),
  'told to nobody on purpose': storyWith({
    routing: [OTHER_STATUS, { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' }],
  }),
};

describe('the summary of a callback', () => {
  it('says what became of it, in both languages', () => {
    const summaries = Object.entries(STORIES).map(([of, story]) => [
      of,
      { en: summaryOf(story, 'en'), ja: summaryOf(story, 'ja') },
    ]);
    expectMessages(join(import.meta.dirname, 'summaries.json'), Object.fromEntries(summaries) as object);
  });

  it('stays short where it stands differently at many destinations, and says how many there are more', () => {
    const deliveries = Array.from({ length: 50 }, (_, id) =>
      deliveryWith({
        id,
        destination: `x:${id}`,
        state: 'dead',
        lastError: { ...REFUSED, code: String(550 + id), message: 'x'.repeat(5000) },
      }),
    );
    const story = storyWith({ deliveries });
    expect(summaryOf(story, 'en')).to.match(/47 more destinations are below\.$/);
    expect(summaryOf(story, 'en').length).to.be.below(1500);
    expect(summaryOf(story, 'ja')).to.match(/ほかの宛先（47件）は下にあります。$/);
  });

  it('goes by the last routing, where it was routed anew', () => {
    const story = storyWith({
      status: 0,
      routing: [{ ...OTHER_STATUS, pattern: undefined }],
      history: [rowAt(1000, 'routed', { by: 'config', explanations: [] })],
    });
    expect(summaryOf(story, 'en')).to.equal(
      'Nobody was told. No route names this BOT, and there is no default route.',
    );
  });
});
