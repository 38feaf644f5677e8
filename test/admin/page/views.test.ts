/** What each view shows, in both languages, whatever strangers have written into it. */
import { expect } from 'chai';
import { type ComponentChildren, h } from 'preact';
import { Bot, type BotData, BotFacts } from '../../../src/admin/page/bots/bot.tsx';
import { Bots, type BotsData } from '../../../src/admin/page/bots/bots.tsx';
import { Callback, CallbackFacts } from '../../../src/admin/page/callbacks/callback.tsx';
import { Callbacks, type CallbacksProps } from '../../../src/admin/page/callbacks/callbacks.tsx';
import type { StoryEvent } from '../../../src/story/sayings.ts';
import { cleanLine } from '../../../src/text/clean.ts';
import type { Language } from '../../../src/time/display.ts';
import { faultsIn } from '../../support/html-faults.ts';
import {
  BOT,
  callbackOf,
  DEAD,
  deliveryOf,
  HOSTILE,
  htmlFor,
  PAGE_NOW,
  runOf,
  SNOOZE,
  storyOf,
} from '../../support/page-data.ts';

const ROW: BotsData['rows'][number] = {
  ...BOT,
  isFailing: true,
  runs: [runOf(1, { status: 2 }), runOf(2, { status: 1 }), runOf(3, { status: 1 }), runOf(4)],
  last: runOf(2, { status: 1 }),
  failed: 2,
  usual: 60,
  isSnoozed: true,
};

const BOTS: BotsData = {
  rows: [ROW],
  next: HOSTILE,
  name: HOSTILE,
  late: [{ botId: HOSTILE, botName: HOSTILE, kind: 'missed', noticeId: 9, toldAt: PAGE_NOW - 1000 }],
  pending: 3,
  work: { pending: 5, dead: 1000, held: 0, refused: 0 },
  failing: 1,
  isCut: true,
  receiver: undefined,
};

/** The story is cleaned where it is told. */
const SAID = cleanLine(HOSTILE);

const EVENTS: readonly StoryEvent[] = [
  { at: PAGE_NOW - 1000, what: 'received', text: SAID, small: undefined, destination: undefined },
  { at: PAGE_NOW, what: 'dead', text: SAID, small: SAID, destination: HOSTILE },
];
const TOLD = { summary: SAID, events: EVENTS };

const LIST: CallbacksProps = {
  asked: { bot_id: HOSTILE, status: 'error' },
  page: { items: [callbackOf(7)], next: 7 },
};

const BOT_DATA: BotData = {
  bot: BOT,
  runs: [runOf(1, { status: 1 }), runOf(2), runOf(3, { status: 2, elapsedSeconds: undefined })],
  told: [{ status: 1, names: [`slack:${HOSTILE}`] }],
  late: BOTS.late,
  snoozes: [SNOOZE],
};

/** Every view with data that has something of everything. */
const VIEWS: Readonly<Record<string, ComponentChildren>> = {
  bots: h(Bots, BOTS),
  bot: [h(BotFacts, BOT_DATA), h(Bot, BOT_DATA)],
  callbacks: h(Callbacks, LIST),
  callback: [
    h(CallbackFacts, { callback: storyOf() }),
    h(Callback, { callback: storyOf(), story: TOLD, snoozes: [] }),
  ],
};

const htmlOf = (view: ComponentChildren, language: Language = 'en') => htmlFor(language, view);
const bots = (fields: Partial<BotsData> = {}) => htmlOf(h(Bots, { ...BOTS, ...fields }));
const callbacks = (fields: Partial<CallbacksProps>) => htmlOf(h(Callbacks, { ...LIST, ...fields }));

describe('every view', () => {
  for (const [name, view] of Object.entries(VIEWS)) {
    for (const language of ['en', 'ja'] as const) {
      it(`is sound whatever strangers have written: ${name}, ${language}`, () => {
        const html = htmlOf(view, language);
        expect(faultsIn(html)).to.deep.equal([]);
        expect(html).not.to.contain('<script>alert');
        expect(html).not.to.contain('\u202e');
        expect(html).not.to.match(/undefined|NaN|\[object/);
      });
    }

    it(`says another thing in another language: ${name}`, () => {
      expect(htmlOf(view, 'en')).not.to.match(/[ぁ-ん]/);
      expect(htmlOf(view, 'ja')).to.match(/[ぁ-ん]/);
    });
  }
});

describe('the overview', () => {
  it('says of each BOT how its last runs went and what is usual', () => {
    const html = bots();
    expect(html).to.contain('4 runs, 2 failed');
    expect(html).to.contain('usually 1 min');
    expect(htmlOf(h(Bots, BOTS), 'ja')).to.contain('通常は1分');
  });

  it('shows the beginning of a name that would fill the list', () => {
    const html = bots({ rows: [{ ...ROW, botName: '長'.repeat(1000) }] });
    expect(html).to.contain(`>${'長'.repeat(79)}…<`);
  });

  it('leads to what needs somebody', () => {
    const html = bots();
    expect(html).to.match(/href="\/dead"><strong>1,000<\/strong>/);
    expect(html).to.match(/href="\/callbacks\?state=pending"><strong>3<\/strong>/);
  });

  it('says first of a BOT that its result is missing, and leads to what was told', () => {
    const html = bots();
    expect(html).to.contain('Missed or overdue').and.to.contain('href="/callbacks/9"');
    expect(html).to.contain('>Missed<').and.to.contain('href="/snoozes">Snoozed');
    expect(bots({ late: [] })).not.to.contain('Missed');
  });

  it('says it of the BOT itself, too', () => {
    const facts = (late: BotData['late']) => htmlOf(h(BotFacts, { ...BOT_DATA, late }));
    expect(facts(BOT_DATA.late)).to.match(/href="\/callbacks\/9">.*>Missed</);
    expect(facts([])).not.to.contain('Missed');
  });

  it('draws a bar for each run: higher where it took longer, hollow while it runs, crossed where it failed', () => {
    const runs = [
      runOf(1, { status: 2, elapsedSeconds: undefined }),
      runOf(2, { status: 1, elapsedSeconds: 5 }),
      runOf(3),
    ];
    const html = bots({ rows: [{ ...ROW, runs }] });
    const strip = /<svg class="strip".*?<\/svg>/s.exec(html)?.[0] ?? '';
    const heights = [...strip.matchAll(/<g class="\w+"><rect [^>]*height="(\d+)"/g)].map(([, height]) =>
      Number(height),
    );
    expect(heights).to.have.length(3);
    expect(heights[2]).to.be.above(heights[1] ?? 0);
    expect(strip).to.match(/<g class="bad"><rect[^>]*><\/rect><path /);
    expect(strip).to.contain('<g class="busy">');
  });

  it('tells a newcomer where callbacks are posted to, how to send one, and where to try', () => {
    const receiver = { listen: { host: '127.0.0.1', port: 8080 }, path: '/in', tokens: ['secret'] };
    const html = bots({ receiver: receiver as unknown as BotsData['receiver'] });
    expect(html).to.contain('No BOT has run yet').and.to.contain('8080/in/&lt;receiver.token>');
    expect(html).not.to.contain('secret');
    expect(html).to.contain('send config/samples/error.json').and.to.contain('href="/playground"');
    expect(bots({ rows: [] })).to.contain('No BOT matches');
  });
});

describe('a list of callbacks', () => {
  it('keeps its filter in its links and its form', () => {
    const html = callbacks({ asked: { bot_id: 'a b', state: 'dead' } });
    expect(html).to.contain('href="/callbacks?bot_id=a+b&amp;state=dead&amp;before=7"');
    expect(html).to.contain('href="/redeliveries/new?bot_id=a+b&amp;state=dead"');
    expect(html).to.contain('value="a b"');
    expect(html)
      .to.match(/<option value="dead" selected>/)
      .and.to.contain('<details open>');
  });

  it('folds its filters where only the search is used', () => {
    const html = callbacks({ asked: { search: 'invoice-*' } });
    expect(html).to.contain('value="invoice-*"').and.to.contain('<details><summary>Filters');
    expect(html).not.to.contain('/redeliveries/new');
  });

  it('says the worst of what became of its messages, and of how many', () => {
    expect(callbacks({})).to.contain('Given up: 1 of 2');
  });
});

describe('the page of a callback', () => {
  const page = (fields: Parameters<typeof storyOf>[0], language: 'en' | 'ja' = 'en') => {
    const callback = storyOf(fields);
    return htmlOf(
      [h(CallbackFacts, { callback }), h(Callback, { callback, story: TOLD, snoozes: [SNOOZE] })],
      language,
    );
  };

  it('begins with what became of it, before anything else is told', () => {
    const html = page({});
    expect(html.indexOf('class="panel summary"')).to.be.below(html.indexOf('class="deliveries"'));
    expect(html.indexOf('class="deliveries"')).to.be.below(html.indexOf('class="timeline"'));
  });

  it('says who has snoozed what is held, and why', () => {
    const held = { state: 'held', reason: 'snooze', snoozeId: SNOOZE.id } as const;
    const heldUntil = SNOOZE.until;
    expect(page({ deliveries: [deliveryOf(1, { ...held, heldUntil })] })).to.contain('class="snoozes"');
    expect(page({ deliveries: [deliveryOf(1, held)] }), 'told since').not.to.contain('class="snoozes"');
  });

  it('shows each message in a frame of its own, in which nothing runs', () => {
    expect(
      page({}).match(
        /<iframe sandbox="allow-popups[^"]*" loading="lazy" src="\/deliveries\/\d\/message" title="[^"]+">/g,
      ),
    ).to.have.length(2);
  });

  it('offers what can be done about a dead letter', () => {
    const html = page({ deliveries: [DEAD] });
    expect(html).to.contain('<form method="post" action="/act/redeliver">');
    expect(html.indexOf('/act/redeliver'), 'what is wanted stands first').to.be.below(
      html.indexOf('/act/route'),
    );
    expect(html).to.contain('action="/act/dismiss"');
    expect(html).to.contain('name="back" value="/here?a=1"');
    expect(html).not.to.contain('name="again"');
  });

  it('asks for what was delivered to be delivered once more, and never for what is under way or out of date', () => {
    expect(page({ deliveries: [deliveryOf(1)] })).to.match(
      /name="id" value="1"\/?><input type="hidden" name="again" value="1"/,
    );
    expect(page({ deliveries: [deliveryOf(1, { state: 'pending' })] })).not.to.contain('/act/redeliver');
    const putOff = page({ deliveries: [deliveryOf(1, { state: 'pending', dueInMs: 60_000 })] });
    expect(putOff).to.contain('/act/redeliver').and.to.contain('Try now');
    const superseded = deliveryOf(1, { state: 'held', reason: 'superseded' });
    expect(page({ deliveries: [superseded] })).not.to.contain('/act/redeliver');
  });

  it('says of a delivery in a clerk’s words what is wrong, the technical class small', () => {
    const html = page(
      {
        deliveries: [
          { ...DEAD, lastError: { class: 'config', code: 'not_in_channel', message: 'Invite it.' } },
        ],
      },
      'ja',
    );
    expect(html).to.contain('送信をあきらめました');
    expect(html)
      .to.match(/要修正の設定 .*not_in_channel/s)
      .and.not.to.contain('Invite it.');
  });

  it('says why a delivery has ended without being made, and offers only what is left to do', () => {
    const held = (code: string) => page({ deliveries: [deliveryOf(1, { state: 'held', reason: code })] });
    expect(held('superseded')).to.contain('Out of date');
    expect(held('no longer routed')).to.contain('No longer sent there').and.to.contain('/act/dismiss');
    expect(held('dismissed')).to.contain('Marked as done').and.not.to.contain('/act/dismiss');
    for (const rule of ['when', 'after_failures', 'repeat'])
      expect(held(rule)).to.contain(`Not told (${rule})`).and.not.to.contain('/act/dismiss');
  });

  it('says until when a delivery is held, and which summary tells it', () => {
    const until = PAGE_NOW + 2 * 3_600_000;
    const muted = page({ deliveries: [deliveryOf(1, { state: 'held', reason: 'mute', heldUntil: until })] });
    expect(muted).to.match(/Held back.*until.*in 2 h/s);
    expect(muted, 'it is told by itself').not.to.match(/act\/(redeliver|dismiss)/);
    const told = page({ deliveries: [deliveryOf(1, { summaryId: 12 })] });
    expect(told).to.contain('href="/callbacks/12"');
  });

  it('shows what Botbell says by itself as what it is, with what it is about', () => {
    const missed = page({ kind: 'missed', botName: 'Invoices', botId: 'a b' });
    expect(missed).to.contain('>Missed<');
    expect(missed).to.contain('href="/callbacks?bot_id=a+b"').and.not.to.contain('/act/route');
    expect(page({ kind: 'alert' })).not.to.contain('/act/route');
    expect(page({})).to.contain('/act/route');
    expect(page({ kind: 'overdue', about: 3 }, 'ja'))
      .to.contain('href="/callbacks/3"')
      .and.to.contain('実行が長すぎます');
    const list = callbacks({
      page: { items: [callbackOf(7, { kind: 'digest', jobId: '' })], next: undefined },
    });
    expect(list).to.contain('>Digest<').and.not.to.contain('job_id=');
  });

  it('says of what an outbox took that it was printed only', () => {
    const printed = page({
      deliveries: [deliveryOf(1, { state: 'delivered', receipt: { told: 'nobody' } })],
    });
    expect(printed)
      .to.contain('Printed only')
      .and.not.to.contain(
        'class="status good"><span class="mark" aria-hidden="true">✓</span><span>Delivered',
      );
  });

  it('says an error once, and of attempts that failed for the same reason how many they were', () => {
    const attempt = (minute: number) => ({
      at: PAGE_NOW - (10 - minute) * 60_000,
      what: 'attempt' as const,
      text: `attempt ${minute}`,
      small: 'config, is_archived',
      destination: 'slack:#a',
    });
    const story = { summary: 'told', events: [attempt(1), attempt(2), attempt(3), ...EVENTS] };
    const html = htmlOf(h(Callback, { callback: storyOf(), story, snoozes: [] }));
    expect(html).to.contain('<summary>The same happened 2 more times, until 10:35');
    expect(html.match(/is_archived/g)).to.have.length(1);
  });
});
