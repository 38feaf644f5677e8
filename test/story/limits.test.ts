import { expect } from 'chai';
import * as fc from 'fast-check';
import { type CallbackStory, MOST_HISTORY } from '../../src/ledger/archive/archive.ts';
import { storyJson } from '../../src/people/json.ts';
import { tellStory } from '../../src/story/story.ts';
import type { Language } from '../../src/time/display.ts';
import {
  answerAt,
  attemptAt,
  CAME_AT,
  deliveryWith,
  failedAt,
  NOT_FOUND,
  pendingWith,
  rowAt,
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';
import { hostileText } from '../text/hostile-text.ts';
import { sized } from '../support/test-size.ts';

const MINUTE_MS = 60_000;

function told(story: CallbackStory, language: Language = 'en', redact?: (text: string) => string) {
  const now = CAME_AT + MINUTE_MS;
  return tellStory(story, { language, timezone: 'Asia/Tokyo', now, ...(redact && { redact }) });
}

const textsOf = (story: CallbackStory) => told(story).events.map(({ text }) => text);

/** A callback that came and failed so often, a minute apart. */
function comingAgain(times: number): CallbackStory {
  const history = Array.from({ length: times }, (_, index) => [
    ...(index === 0 ? [] : [rowAt(index * MINUTE_MS, 'received', { times: index + 1 })]),
    failedAt(index * MINUTE_MS + 10),
    answerAt(index * MINUTE_MS, 502, 'failed'),
  ]).flat();
  const deliveries = [pendingWith({ attempts: times })];
  return storyWith({ timesReceived: times, deliveries, history: history.slice(-MOST_HISTORY) });
}

describe('the story of a callback that came often', () => {
  it('says that something was left out, and keeps its beginning and its end', () => {
    const { events } = told(comingAgain(1000));
    expect(events).to.have.length.below(220);
    const first = events.slice(0, 4).map(({ what }) => what);
    expect(first).to.deep.equal(['received', 'route matched', 'route did not match', 'left out']);
    expect(events.at(-1)?.what).to.equal('answered');
    const times = events.map(({ at }) => at);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    expect(textsOf(comingAgain(20))).not.to.include(events[3]?.text);
  });
});

describe('a story', () => {
  it('hides secrets wherever they stand, also where a text is cut', () => {
    const error = { ...NOT_FOUND, code: 'xoxb-1', message: `${'r'.repeat(296)}xoxb-1` };
    const dead = deliveryWith({ state: 'dead', lastError: error });
    const deliveries = [dead, deliveryWith({ id: 2, receipt: { ts: 'xoxb-1' } })];
    const history = [failedAt(1, { error }), attemptAt(2, { deliveryId: 2 })];
    const story = storyWith({ botName: `${'b'.repeat(96)}xoxb-1`, deliveries, history });
    const redact = (text: string) => text.replaceAll('xoxb-1', '[secret]');
    for (const language of ['en', 'ja'] as const) {
      const shown = { callback: story, story: told(story, language, redact) };
      expect(JSON.stringify(storyJson(shown, { redact, now: 0 }))).not.to.include('xo');
    }
  });

  it('is one short line an event, without a control or a turn of direction, whatever stands in the rows', () => {
    const acting = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;
    const [short, long] = [hostileText(), hostileText(300)];
    const fields = { name: short, destination: short, code: short };
    const languages = fc.constantFrom<Language>('en', 'ja');
    const arbitrary = fc.record({ ...fields, message: long, pattern: long, language: languages });
    fc.assert(
      fc.property(arbitrary, ({ name, destination, code, message, pattern, language }) => {
        const error = { class: 'permanent', code, message } as const;
        const route = { ...TELLS_OPS, route: name, pattern };
        const story = storyWith({
          botName: name,
          deliveries: [deliveryWith({ state: 'dead', destination, lastError: error })],
          routing: [{ ...route, reaches: [destination, destination] }],
          history: [
            failedAt(1, { error }),
            rowAt(2, 'dead'),
            rowAt(3, 'routed', { by: 'config', explanations: [{ ...route, reaches: [destination] }] }),
            rowAt(3, 'revived'),
            rowAt(4, 'redelivered', { actor: { via: 'page', user: name, from: code }, bulkId: 1 }),
          ],
        });
        const { summary, events } = told(story, language);
        for (const text of [summary, ...events.flatMap(({ text, small = '' }) => [text, small])]) {
          expect(text).not.to.match(acting);
          expect(text.isWellFormed()).to.equal(true);
          expect(text.length).to.be.below(1200);
        }
      }),
      { numRuns: sized(50, 300) },
    );
  });
});
