/** However often a callback came, and whatever stands in its rows, its story is short, safe to show and tells no secret. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import type { Destination, RouteConfig } from '../../src/config/config.ts';
import { createRouter } from '../../src/route/router.ts';
import { eventJson, storyJson } from '../../src/story/story-json.ts';
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
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';
import { hostileText } from '../text/hostile-text.ts';

const MINUTE_MS = 60_000;

function told(story: CallbackStory, language: Language = 'en', redact?: (text: string) => string) {
  return tellStory(story, [], {
    language,
    timezone: 'Asia/Tokyo',
    now: CAME_AT + MINUTE_MS,
    ...(redact && { redact }),
  });
}

const textsOf = (story: CallbackStory) => told(story).events.map(({ text }) => text);

/** A callback that came and failed so often, a minute apart. */
function comingAgain(times: number): CallbackStory {
  const history = Array.from({ length: Math.min(times, 1000) }, (_, index) => ({
    attempts: [failedAt(index * MINUTE_MS + 10)],
    answer: answerAt(index * MINUTE_MS, 502, 'failed'),
  }));
  return storyWith({
    timesReceived: times,
    lastReceivedAt: CAME_AT + (times - 1) * MINUTE_MS + 1,
    deliveries: [pendingWith({ attempts: times })],
    history,
  });
}

describe('the story of a callback that came often', () => {
  it('says how many events were left out, and keeps its beginning and its end', () => {
    const { events } = told(comingAgain(1000));
    expect(events).to.have.length.below(220);
    const leftOut = events.filter(({ what }) => what === 'left out');
    expect(leftOut.map(({ text }) => text)).to.deep.equal(['2,802 more events are left out here.']);
    expect(told(comingAgain(1000), 'ja').events.find(({ what }) => what === 'left out')?.text).to.equal(
      'ここでは、ほかに2,802件の出来事を省略しています。',
    );
    expect(events.slice(0, 2).map(({ what }) => what)).to.deep.equal(['received', 'route matched']);
    expect(events.slice(-2).map(({ what }) => what)).to.deep.equal(['answered', 'next']);
    const times = events.slice(0, -1).map(({ at }) => at);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it('says how much more is to come at how many destinations, and not all of it', () => {
    const deliveries = Array.from({ length: 300 }, (_, id) => pendingWith({ id, destination: `x:${id}` }));
    const { events } = told(storyWith({ deliveries }));
    expect(events).to.have.length.below(60);
    expect(events.at(-1)).to.deep.include({ what: 'left out', text: '250 more events are left out here.' });
  });

  it('looks at each attempt and answer a few times, however many there are', () => {
    let looks = 0;
    const counted = <T extends object>(record: T): T =>
      new Proxy(record, {
        get: (target, key, receiver) => {
          looks += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
    const deliveries = Array.from({ length: 20 }, (_, id) => pendingWith({ id, destination: `x:${id}` }));
    // Each attempt within the time of a request, and written down by itself.
    const entriesAt = (afterMs: number) => [
      {
        attempts: deliveries.map(({ id }) => counted(failedAt(afterMs + 10, { deliveryId: id }))),
        answer: undefined,
      },
      { attempts: [], answer: counted(answerAt(afterMs, 502, 'failed')) },
    ];
    const looksAt = (posts: number) => {
      looks = 0;
      const history = Array.from({ length: posts }, (_, index) => entriesAt(index * MINUTE_MS)).flat();
      told(storyWith({ deliveries, history, timesReceived: posts }));
      return looks / posts;
    };
    expect(looksAt(500)).to.be.below(2 * looksAt(50));
  });

  it('numbers each receipt, and only what is known of it', () => {
    expect(textsOf(comingAgain(3)).filter((text) => text.startsWith('It came'))).to.deep.equal([
      'It came again, for the 2nd time.',
      'It came again, for the 3rd time.',
    ]);
    const unanswered = storyWith({
      timesReceived: 112,
      lastReceivedAt: CAME_AT + MINUTE_MS,
      history: [{ attempts: [], answer: answerAt(30_000, 503, 'unavailable') }],
    });
    expect(textsOf(unanswered).filter((text) => text.startsWith('It came'))).to.deep.equal([
      'It came again.',
      'It came again, for the 112th time.',
    ]);
    expect(textsOf(unanswered)).to.include('No answer to it has been recorded yet.');
    expect(textsOf(comingAgain(1500)), 'its answers are no longer kept').not.to.include(
      'No answer to it has been recorded yet.',
    );
  });

  it('counts attempts from the first one on, also where the first ones are forgotten', () => {
    const story = storyWith({
      deliveries: [deliveryWith({ attempts: 21 })],
      history: [{ attempts: [failedAt(10), attemptAt(20)], answer: undefined }],
    });
    expect(textsOf(story).filter((text) => text.includes('attempt'))).to.deep.equal([
      'The 20th attempt to tell slack:#ops failed after 0.2 s: Slack answered channel_not_found: the channel does not exist; check its name.',
      'slack:#ops was told, by the 21st attempt, in 0.2 s.',
    ]);
  });
});

describe('what Botbell took over', () => {
  const takenOverAt = (story: CallbackStory) =>
    told(story)
      .events.filter(({ what }) => what === 'taken over')
      .map(({ at }) => at - CAME_AT);
  const failed = { attempts: [failedAt(10)], answer: answerAt(0, 502, 'failed') };
  const byWorker = { attempts: [failedAt(150_000)], answer: undefined };

  it('is told of as of its first attempt by itself, where the service came no more', () => {
    expect(
      takenOverAt(storyWith({ deliveries: [pendingWith()], history: [failed, byWorker] })),
    ).to.deep.equal([150_000]);
  });

  it('is not what a request attempted, early, late or at this moment', () => {
    const early = { attempts: [failedAt(5)], answer: undefined };
    const isOurs = { deliveries: [pendingWith()] };
    expect(takenOverAt(storyWith({ ...isOurs, history: [early, failed] }))).to.deep.equal([]);
    expect(takenOverAt(storyWith({ ...isOurs, history: [early] }))).to.deep.equal([]);
  });

  it('is not what was Botbell’s own from the start: accepted, added by routing anew, an alert', () => {
    const history = [{ attempts: [], answer: answerAt(0, 200, 'accepted') }, byWorker];
    const deliveries = [pendingWith()];
    expect(takenOverAt(storyWith({ deliveries, history }))).to.deep.equal([]);
    expect(takenOverAt(storyWith({ kind: 'alert', deliveries, history: [byWorker] }))).to.deep.equal([]);
    const added = storyWith({
      deliveries,
      history: [byWorker],
      routing: [
        { ...TELLS_OPS, reaches: ['slack:#log'] },
        { ...TELLS_OPS, at: CAME_AT + 100_000 },
      ],
    });
    expect(takenOverAt(added)).to.deep.equal([]);
  });

  it('is not what the config gave back to it, naming it again', () => {
    const revived = [{ deliveryId: 1, state: 'held', updatedAt: CAME_AT + 50_000 }];
    const routing = [TELLS_OPS, { at: CAME_AT + 100_000, by: 'config', revived }];
    const back = storyWith({ deliveries: [pendingWith()], history: [failed, byWorker], routing });
    expect(takenOverAt(back)).to.deep.equal([]);
  });
});

describe('a story', () => {
  it('tells what today’s router decides in its own words, in no language’s leftovers', () => {
    const to = (key: string): Destination => ({ key, channel: 'slack', address: key, options: {} });
    const route = (name: string, fields: Partial<RouteConfig>): RouteConfig => ({
      name,
      botIds: ['get_*'],
      on: ['error'],
      notify: [to('slack:#ops')],
      templateSet: undefined,
      place: { file: '', line: 1, column: 1 },
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
      'The route for /^get/ applies, too; whom it tells, an earlier route tells already.',
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
      history: [{ attempts: [failedAt(1, { error }), attemptAt(2, { deliveryId: 2 })], answer: undefined }],
    });
    const redact = (text: string) => text.replaceAll('xoxb-1', '[secret]');
    for (const language of ['en', 'ja'] as const) {
      const shown = told(story, language, redact);
      expect(JSON.stringify(storyJson(story, shown, redact))).not.to.include('xoxb-1');
    }
  });

  it('gives times as ISO 8601 in JSON, and null where there is nothing', () => {
    const [first] = told(storyWith()).events;
    expect(first && eventJson(first)).to.deep.equal({
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
      note: hostileText(300),
      language: fc.constantFrom<Language>('en', 'ja'),
    });
    fc.assert(
      fc.property(arbitrary, ({ name, destination, code, message, pattern, note, language }) => {
        const error = { class: 'permanent', code, message } as const;
        const story = storyWith({
          botName: name,
          deliveries: [deliveryWith({ state: 'dead', destination, lastError: error })],
          history: [{ attempts: [failedAt(1, { error })], answer: undefined }],
          routing: [
            { ...TELLS_OPS, route: name, pattern, reaches: [destination, destination] },
            { route: name, matched: false, because: message, reaches: [1, null] },
            { ...TELLS_OPS, route: name, pattern, reaches: [destination], at: CAME_AT + 1, by: 'config' },
            {
              at: CAME_AT + 1,
              by: 'config',
              revived: [{ deliveryId: 1, state: 'dead', updatedAt: 2, lastError: error }],
            },
            message,
            null,
          ],
          actions: [
            {
              at: CAME_AT,
              what: 'redelivered',
              deliveryIds: [1],
              actor: { via: 'page', user: name, from: code },
              note,
              bulkId: 1,
              endedBefore: [
                { deliveryId: 1, state: 'dead', updatedAt: 1, hold: undefined, lastError: error },
              ],
            },
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

  it('claims nothing of routes that were not kept', () => {
    const whatsOf = (story: CallbackStory) => told(story).events.map(({ what }) => what);
    const deliveries = [deliveryWith()];
    expect(whatsOf(storyWith({ routing: [], deliveries }))).not.to.include('route did not match');
    const again = [{ ...TELLS_OPS, at: CAME_AT + 100 }];
    expect(whatsOf(storyWith({ routing: again, deliveries })).slice(0, 4)).to.deep.equal([
      'received',
      'route did not match',
      'routed anew',
      'route matched',
    ]);
  });

  it('is told of rows that no version of ours has written', () => {
    for (const routing of [
      undefined,
      null,
      7,
      'x',
      {},
      [[], 1, { route: 3 }, { route: 'r', on: 'x', at: 'y' }],
      [
        { at: 5, by: {}, revived: 7 },
        { at: 5, revived: [null, { deliveryId: 1 }] },
      ],
    ]) {
      expect(told(storyWith({ routing })).events.length).to.be.above(0);
    }
  });
});
