/** docs/api.md: each example is asked for, and answered as it says. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Operations, Reloading } from '../../src/admin/services.ts';
import type { Callback } from '../../src/callback/callback.ts';
import type { BulkRedelivery } from '../../src/ledger/actions/actions.ts';
import type { CallbackResult, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { type AdminWorld, openAdminWorld } from '../support/admin-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { deadUpdate, deliveredUpdate, Recorded, target } from '../support/recorded.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const DOCS = 'docs/api.md';
const START = Date.parse('2026-03-01T00:00:42Z');
const NOW = START + 3_600_000;
const OPS = target('slack:#ops');
const INVOICE = {
  bot_id: 'invoice-import',
  bot_name: '請求書取込BOT',
  status: 1,
  start_time: '2026-03-01T09:00:00+09:00',
  elapsed_time: 42,
} as const;
const ROUTING = [
  {
    route: 'routes[0]',
    matched: true,
    because: 'bot_id matches invoice-*',
    reaches: [OPS.destination],
    verdict: 'tells',
    pattern: 'invoice-*',
  },
];
const ERROR = { class: 'permanent', code: 'msg_too_long', message: 'The message is too long.' } as const;

interface Example {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answer: unknown;
}

function examplesIn(markdown: string): Example[] {
  const blocks = markdown.matchAll(/```http\n(?<asked>.*?)```\s+```json\n(?<answer>.*?)```/gs);
  return [...blocks].map(({ groups }) => {
    const [head = '', body = ''] = (groups?.['asked'] ?? '').split('\n\n');
    const [what = '', ...lines] = head.trim().split('\n');
    const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
    return {
      what,
      headers: Object.fromEntries(headers),
      body: body.trim(),
      answer: JSON.parse(groups?.['answer'] ?? '') as unknown,
    };
  });
}

const BULK: BulkRedelivery = {
  id: 7,
  what: 'redelivered',
  filter: { state: 'dead', destination: OPS.destination },
  actor: { via: 'api', user: 'admin', from: '192.0.2.7' },
  state: 'running',
  startedAt: NOW,
  endedAt: undefined,
  stoppedBy: undefined,
  given: 120,
  delivered: 87,
  dead: 1,
  pending: 32,
};

const OPERATIONS: Operations = {
  redeliver: () => Promise.resolve('accepted'),
  dismiss: () => Promise.resolve('dismissed'),
  routeAnew: () => Promise.resolve({ told: ['email:owner@example.com'], untouched: ['slack:#ops'] }),
  tally: () =>
    Promise.resolve({
      messages: 128,
      isMore: false,
      destinations: [{ destination: OPS.destination, messages: 128 }],
      oldestAt: NOW - 172_800_000,
      newestAt: NOW - 60_000,
    }),
  startBulk: () => Promise.resolve({ ...BULK, given: 0, delivered: 0, dead: 0, pending: 0 }),
  bulks: () => Promise.resolve([BULK]),
  bulk: () => Promise.resolve(BULK),
  stopBulk: () =>
    Promise.resolve({
      ...BULK,
      state: 'stopped',
      endedAt: NOW,
      stoppedBy: BULK.actor,
      pending: 2,
    }),
  seeRefused: () => Promise.resolve(),
  test: () =>
    Promise.resolve({
      destination: OPS.destination,
      isDelivered: false,
      words: 'The app is not in the channel: invite it there.',
      errorClass: 'config',
      errorCode: 'not_in_channel',
      durationMs: 41,
    }),
};

const RELOADING: Partial<Reloading> = {
  preview: () =>
    Promise.resolve({
      isApplied: false,
      problems: [],
      configHash: '5b1c0e9a',
      since: '2026-02-23',
      changes: [
        { botId: 'invoice-import', status: 'error', callbacks: 3, added: ['slack:#legal'], removed: [] },
      ],
      isComplete: true,
      unchanged: ['receiver.listen'],
    }),
};

/** The story's sentences may get better. */
function withoutSentences(json: unknown): unknown {
  const isSentence = (key: string) => ['summary', 'text', 'detail'].includes(key);
  return JSON.parse(
    JSON.stringify(json, (key, value: unknown) => (isSentence(key) ? typeof value : value)),
  ) as unknown;
}

describe('docs/api.md', () => {
  let store: SqliteStore;
  let world: AdminWorld;
  let clock: ManualClock;

  before(async () => {
    clock = new ManualClock(START);
    store = createSqliteStore(clock);
    const recorded = new Recorded(store);
    const { archive } = recorded;
    await fill(recorded);
    await clock.advance(NOW - clock.now());
    world = await openAdminWorld({ clock, archive, operations: OPERATIONS, reloading: RELOADING });
  });

  after(async () => {
    await world.close();
    await store.close();
  });

  const fill = async (recorded: Recorded) => {
    const arrive = (
      fields: Partial<Callback>,
      updateOf: (id: number) => DeliveryUpdate,
      result: CallbackResult,
    ) =>
      recorded.answered({ ...INVOICE, ...fields }, [OPS], updateOf, result, {
        startedAt: START - 42_000,
        routing: ROUTING,
      });
    const told = (id: number) => ({ ...deliveredUpdate(id), receipt: { ts: '1.2' } });
    await arrive({ status: 0, code: 200 }, told, 'delivered');
    const dead = (id: number) => ({ ...deadUpdate(id, ERROR), attempts: 2 });
    await arrive({ job_id: 'job-2' }, dead, 'gave_up');
    await recorded.refuse({
      receivedAt: START,
      status: 422,
      detail: 'This is JSON, but not a callback.',
      errors: [{ pointer: '/status', detail: 'must be 0, 1 or 2, found the number 9' }],
      from: '192.0.2.7',
      body: '{"status":9}',
    });
    await recorded.sumDays();
  };

  const examples = examplesIn(readFileSync(DOCS, 'utf8'));

  it('has an example of each kind of request', () => {
    expect(examples.length).to.be.at.least(12);
  });

  for (const { what, headers, body, answer } of examples) {
    it(`answers ${what} as it says`, async () => {
      const { status, json } = await world.ask(what, { headers, ...(body && { body }) });
      expect(status).to.be.within(200, 202);
      expect(withoutSentences(json)).to.deep.equal(withoutSentences(answer));
    });
  }
});
