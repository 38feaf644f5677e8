/** What each view shows, in both languages, whatever strangers have written into it. */
import { expect } from 'chai';
import { botPage } from '../../../src/admin/page/bots/bot.tsx';
import { type BotsData, botsPage } from '../../../src/admin/page/bots/bots.tsx';
import { callbackPage } from '../../../src/admin/page/callbacks/callback.tsx';
import { callbacksPage } from '../../../src/admin/page/callbacks/callbacks.tsx';
import { jobPage } from '../../../src/admin/page/callbacks/job.tsx';
import type { Reader } from '../../../src/admin/page/reader.ts';
import type { Shown } from '../../../src/admin/page/view.ts';
import { cleanLine } from '../../../src/text/clean.ts';
import { faultsIn } from '../../support/html-faults.ts';
import {
  BOT,
  callbackOf,
  COUNTS,
  DEAD,
  deliveryOf,
  HOSTILE,
  runOf,
  standingOf,
  storyOf,
} from '../../support/page-data.ts';
import { htmlFor, PAGE_NOW, readerIn } from '../../support/page-world.ts';

const few = (count: number) => ({ count, isMore: false });

const BOTS: BotsData = {
  page: { bots: [standingOf({ isFailing: true })], next: HOSTILE },
  filter: { name: HOSTILE, state: 'failing' },
  after: HOSTILE,
  runs: new Map([
    [HOSTILE, [runOf(1, { status: 2 }), runOf(2, { status: 1 }), runOf(3, { status: 1 }), runOf(4)]],
  ]),
  counts: new Map([[HOSTILE, COUNTS]]),
  work: { pending: few(3), dead: { count: 1000, isMore: true }, refused: few(0) },
  failing: 1,
  total: 1,
  isComplete: false,
};

const ROUTES = [
  {
    route: HOSTILE,
    matched: true,
    because: HOSTILE,
    reaches: [`slack:${HOSTILE}`],
    verdict: 'tells',
    pattern: HOSTILE,
  },
  { route: 'routes[1]', matched: false, because: '', reaches: [], verdict: 'another BOT' },
] as const;

/** The story is cleaned where it is told. */
const SAID = cleanLine(HOSTILE);

const TOLD = {
  summary: SAID,
  events: [
    { at: PAGE_NOW - 1000, what: 'received', text: SAID, small: undefined, destination: undefined },
    { at: PAGE_NOW, what: 'dead', text: SAID, small: SAID, destination: HOSTILE },
  ],
} as const;

/** Every view with data that has something of everything. */
const VIEWS: Readonly<Record<string, (reader: Reader) => Shown>> = {
  bots: (reader) => botsPage(BOTS, reader),
  bot: (reader) =>
    botPage(
      {
        bot: BOT,
        runs: {
          runs: [runOf(1, { status: 1 }), runOf(2), runOf(3, { status: 2, elapsedSeconds: undefined })],
          isComplete: false,
        },
        failures: [{ callbackId: 1, receivedAt: PAGE_NOW, message: HOSTILE }],
        routes: [{ status: 1, explanations: ROUTES }],
      },
      reader,
    ),
  callbacks: (reader) =>
    callbacksPage(
      {
        asked: { bot_id: HOSTILE, status: 'error' },
        problems: [],
        isLater: true,
        page: { items: [callbackOf(7)], next: 7 },
      },
      reader,
    ),
  callback: (reader) =>
    callbackPage(
      {
        callback: storyOf(),
        told: TOLD,
        body: { text: HOSTILE, shownBytes: 65_536, bytes: 5_000_000 },
        others: [callbackOf(6)],
      },
      reader,
    ),
  job: (reader) =>
    jobPage({ jobId: HOSTILE, callbacks: [callbackOf(6), callbackOf(7)], isComplete: false }, reader),
};

const htmlOf = ({ body }: Shown, reader = readerIn('en')) => htmlFor(reader, body);

describe('every view', () => {
  for (const [name, view] of Object.entries(VIEWS)) {
    for (const language of ['en', 'ja'] as const) {
      it(`is sound whatever strangers have written: ${name}, ${language}`, () => {
        const html = htmlOf(view(readerIn(language)), readerIn(language));
        expect(faultsIn(html)).to.deep.equal([]);
        expect(html).not.to.contain('<script>alert');
        expect(html).not.to.contain('\u202e');
        expect(html.match(/<h1/g)).to.have.length(1);
        expect(html).not.to.match(/undefined|NaN|\[object/);
      });
    }

    it(`says another thing in another language: ${name}`, () => {
      const [en, ja] = [readerIn('en'), readerIn('ja')].map((reader) => htmlOf(view(reader), reader));
      expect(en === ja).to.equal(false);
      expect(ja).to.match(/[ぁ-ん]/);
    });
  }
});

describe('the overview', () => {
  it('says of each BOT how its last runs went, how often it failed in a row and what is usual', () => {
    const html = htmlOf(botsPage(BOTS, readerIn('en')));
    expect(html).to.contain('4 runs, 2 failed, last failed 2 h ago');
    expect(html).to.contain('2 in a row');
    expect(html).to.contain('75 %');
    expect(html).to.contain('of 4 runs');
    expect(html).to.contain('usually 1 min');
    expect(htmlOf(botsPage(BOTS, readerIn('ja')), readerIn('ja'))).to.contain('2回連続');
  });

  it('leads to what needs somebody', () => {
    const html = htmlOf(botsPage(BOTS, readerIn('en')));
    expect(html).to.match(/href="\/dead"><strong>1,000\+<\/strong>/);
    expect(html).to.match(/href="\/callbacks\?state=pending"><strong>3<\/strong>/);
  });

  it('draws a bar for each run: higher where it took longer, hollow while it runs, crossed where it failed', () => {
    const runs = [
      runOf(1, { status: 2, elapsedSeconds: undefined }),
      runOf(2, { status: 1, elapsedSeconds: 5 }),
      runOf(3),
    ];
    const html = htmlOf(botsPage({ ...BOTS, runs: new Map([[HOSTILE, runs]]) }, readerIn('en')));
    const strip = /<svg class="strip".*?<\/svg>/s.exec(html)?.[0] ?? '';
    const heights = [...strip.matchAll(/<g class="\w+"><rect [^>]*height="(\d+)"/g)].map(([, height]) =>
      Number(height),
    );
    expect(heights).to.have.length(2);
    expect(heights[0]).to.be.above(heights[1] ?? 0);
    expect(strip).to.match(/<g class="bad"><rect[^>]*><\/rect><path /);
    expect(strip).to.contain('<rect class="busy"');
  });

  it('tells a newcomer what will stand there', () => {
    const empty = { ...BOTS, page: { bots: [], next: undefined }, total: 0 };
    expect(htmlOf(botsPage(empty, readerIn('en')))).to.contain('No BOT has run yet');
    expect(htmlOf(botsPage({ ...empty, total: 9 }, readerIn('en')))).to.contain('No BOT matches');
  });
});

describe('a list of callbacks', () => {
  it('keeps its filter in its links and its form', () => {
    const asked = { bot_id: 'a b', state: 'dead' };
    const html = htmlOf(
      callbacksPage(
        { asked, problems: [], isLater: true, page: { items: [callbackOf(7)], next: 7 } },
        readerIn('en'),
      ),
    );
    expect(html).to.contain('href="/callbacks?bot_id=a+b&amp;state=dead"');
    expect(html).to.contain('href="/callbacks?bot_id=a+b&amp;state=dead&amp;before=7"');
    expect(html).to.contain('href="/redeliveries/new?bot_id=a+b&amp;state=dead"');
    expect(html).to.contain('value="a b"');
    expect(html).to.match(/<option value="dead" selected>/);
  });

  it('says whether nothing matches, or nothing was found so far', () => {
    const of = (next: number | undefined, asked = {}) =>
      htmlOf(
        callbacksPage({ asked, problems: [], isLater: false, page: { items: [], next } }, readerIn('en')),
      );
    expect(of(undefined)).to.contain('No callback has come yet');
    expect(of(undefined, { bot_id: 'a' })).to.contain('No callback matches');
    expect(of(5, { bot_id: 'a' })).to.contain('None found so far');
  });
});

describe('the page of a callback', () => {
  const page = (fields: Parameters<typeof storyOf>[0], language: 'en' | 'ja' = 'en') => {
    const reader = readerIn(language);
    const data = { callback: storyOf(fields), told: TOLD, body: undefined, others: [] };
    return htmlOf(callbackPage(data, reader), reader);
  };

  it('begins with what became of it, before anything else is told', () => {
    const html = page({});
    expect(html.indexOf('class="panel summary"')).to.be.below(html.indexOf('class="deliveries"'));
    expect(html.indexOf('class="deliveries"')).to.be.below(html.indexOf('class="timeline"'));
  });

  it('shows each message in a frame of its own, in which nothing runs', () => {
    expect(
      page({}).match(
        /<iframe sandbox(?:="")? loading="lazy" src="\/deliveries\/\d\/message" title="[^"]+">/g,
      ),
    ).to.have.length(2);
  });

  it('offers what can be done about a dead letter, and carries what guards it', () => {
    const html = page({ deliveries: [DEAD] });
    expect(html).to.match(
      /<form method="post" action="\/act\/redeliver">.*?name="token" value="token-of-forms"/s,
    );
    expect(html).to.contain('action="/act/dismiss"');
    expect(html).to.contain('name="back" value="/here?a=1"');
    expect(html).not.to.contain('name="again"');
  });

  it('asks for what was delivered to be delivered once more, and never for what is under way or out of date', () => {
    expect(page({ deliveries: [deliveryOf(1)] })).to.match(
      /name="delivery" value="1"\/?><input type="hidden" name="again" value="1"/,
    );
    expect(page({ deliveries: [deliveryOf(1, { state: 'pending' })] })).not.to.contain('/act/redeliver');
    const superseded = deliveryOf(1, { state: 'held', hold: { code: 'superseded' } });
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
    expect(html).to.match(/要修正の設定<small.*not_in_channel/s);
  });

  it('says why a delivery has ended without being made, and offers only what is left to do', () => {
    const held = (code: string) => page({ deliveries: [deliveryOf(1, { state: 'held', hold: { code } })] });
    expect(held('superseded')).to.contain('Out of date');
    expect(held('no longer routed')).to.contain('No longer sent there').and.to.contain('/act/dismiss');
    expect(held('dismissed')).to.contain('Marked as done').and.not.to.contain('/act/dismiss');
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

  it('says when Botbell tries again by itself', () => {
    const pending = deliveryOf(1, { state: 'pending', dueInMs: 5 * 60_000 });
    expect(page({ deliveries: [pending] })).to.match(/Next attempt <time [^>]*>in 5 min/);
    expect(page({ deliveries: [{ ...pending, isClaimed: true }] })).not.to.contain('Next attempt');
  });

  it('lets nobody route an alert anew', () => {
    const html = page({ kind: 'alert' });
    expect(html).not.to.contain('/act/route');
    expect(page({})).to.contain('/act/route');
  });
});
