/** However often a callback came, and whatever stands in its rows, its story is short, safe to show and tells no secret. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type CallbackStory, MOST_HISTORY } from '../../src/ledger/archive/archive.ts';
import type { Destination, RouteConfig } from '../../src/config/config.ts';
import { createRouter } from '../../src/route/router.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
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

const MINUTE_MS = 60_000;

function told(story: CallbackStory, language: Language = 'en', redact?: (text: string) => string) {
  return tellStory(story, {
    language,
    timezone: 'Asia/Tokyo',
    now: CAME_AT + MINUTE_MS,
    ...(redact && { redact }),
  });
}

const textsOf = (story: CallbackStory) => told(story).events.map(({ text }) => text);

/** A callback that came and failed so often, a minute apart. */
function comingAgain(times: number): CallbackStory {
  const history = Array.from({ length: times }, (_, index) => [
    ...(index === 0 ? [] : [rowAt(index * MINUTE_MS, 'received', { times: index + 1 })]),
    failedAt(index * MINUTE_MS + 10),
    answerAt(index * MINUTE_MS, 502, 'failed'),
  ]).flat();
  return storyWith({
    timesReceived: times,
    lastReceivedAt: CAME_AT + (times - 1) * MINUTE_MS,
    deliveries: [pendingWith({ attempts: times })],
    history: history.slice(-MOST_HISTORY),
  });
}

describe('the story of a callback that came often', () => {
  it('says that something was left out, and keeps its beginning and its end', () => {
    const { events } = told(comingAgain(1000));
    expect(events).to.have.length.below(220);
    expect(events.slice(0, 4).map(({ what }) => what)).to.deep.equal([
      'received',
      'route matched',
      'route did not match',
      'left out',
    ]);
    expect(events.at(-1)?.what).to.equal('answered');
    const times = events.map(({ at }) => at);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    expect(textsOf(comingAgain(20))).not.to.include(events[3]?.text);
  });

  it('counts attempts from the first one on, also where the first ones are forgotten', () => {
    const story = storyWith({
      deliveries: [deliveryWith({ attempts: 21 })],
      history: [failedAt(10), attemptAt(20)],
    });
    expect(textsOf(story).filter((text) => text.includes('attempt'))).to.deep.equal([
      'The 20th attempt to tell slack:#ops failed after 0.2 s: Slack answered channel_not_found: the channel does not exist; check its name.',
      'slack:#ops was told, by the 21st attempt, in 0.2 s.',
    ]);
  });
});

describe('a story', () => {
  it('tells what today’s router decides in its own words, in no language’s leftovers', () => {
    const to = (key: string): Destination => ({
      destination: key,
      channel: 'slack',
      address: key,
      options: {},
      perJob: 'message',
    });
    const route = (name: string, fields: Partial<RouteConfig>): RouteConfig => ({
      name,
      botIds: ['get_*'],
      on: ['error'],
      notify: [to('slack:#ops')],
      rules: NO_RULES,
      groups: [],
      templateSet: undefined,
      ...fields,
    });
    const router = createRouter(
      [
        route('routes[0]', {}),
        route('routes[1]', { botIds: ['/^get/'] }),
        route('routes[2]', { notify: [] }),
        route('routes[3]', { on: ['succeeded'] }),
      ],
      undefined,
    );
    const { explanations } = router.route({ bot_id: 'get_items', status: 1 });
    // As the ledger keeps them.
    const routing: unknown = JSON.parse(JSON.stringify(explanations));
    expect(textsOf(storyWith({ routing })).slice(1, 6)).to.deep.equal([
      'The route for get_* applies: it tells slack:#ops.',
      'The route for /^get/ applies, too; whom it names, an earlier route names already, and each is told once.',
      'The route for get_* applies, and tells nobody, on purpose.',
      'The route for get_* does not apply: it tells only of successes, and this is an error.',
      'No other route names this BOT.',
    ]);
  });

  it('hides secrets wherever they stand', () => {
    const error = { ...NOT_FOUND, code: 'xoxb-1', message: 'refused xoxb-1' };
    const story = storyWith({
      botName: 'xoxb-1',
      deliveries: [
        deliveryWith({ state: 'dead', lastError: error }),
        deliveryWith({ id: 2, receipt: { ts: 'xoxb-1' } }),
      ],
      history: [failedAt(1, { error }), attemptAt(2, { deliveryId: 2 })],
    });
    const redact = (text: string) => text.replaceAll('xoxb-1', '[secret]');
    for (const language of ['en', 'ja'] as const) {
      const shown = told(story, language, redact);
      expect(JSON.stringify(storyJson({ callback: story, story: shown }, redact))).not.to.include('xoxb-1');
    }
  });

  it('gives times as ISO 8601 in JSON, and null where there is nothing', () => {
    const callback = storyWith();
    const { timeline } = storyJson({ callback, story: told(callback) }, (text) => text);
    expect(timeline[0]).to.deep.equal({
      at: '2026-11-23T01:00:00.000Z',
      what: 'received',
      text: 'The job service reported that 商品取得 ended in an error.',
      small: null,
      destination: null,
    });
  });

  it('is one short line an event, without a control or a turn of direction, whatever stands in the rows', () => {
    const acting = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;
    const arbitrary = fc.record({
      name: hostileText(),
      destination: hostileText(),
      code: hostileText(),
      message: hostileText(300),
      pattern: hostileText(300),
      language: fc.constantFrom<Language>('en', 'ja'),
    });
    fc.assert(
      fc.property(arbitrary, ({ name, destination, code, message, pattern, language }) => {
        const error = { class: 'permanent', code, message } as const;
        const story = storyWith({
          botName: name,
          deliveries: [deliveryWith({ state: 'dead', destination, lastError: error })],
          routing: [{ ...TELLS_OPS, route: name, pattern, reaches: [destination, destination] }],
          history: [
            failedAt(1, { error }),
            rowAt(2, 'dead'),
            rowAt(3, 'routed', {
              by: 'config',
              explanations: [{ ...TELLS_OPS, route: name, pattern, reaches: [destination] }],
            }),
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
      { numRuns: 300 },
    );
  });
});
