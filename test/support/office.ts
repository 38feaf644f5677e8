/** The page of an office where some things went wrong: over a ledger, or fixed figures, so that views can be told and looked at. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawingOf } from '../../src/admin/drawing.ts';
import type { ReloadPreview, ReloadStatus } from '../../src/admin/services.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import type { BulkRedelivery, RedeliveryTally } from '../../src/ledger/actions/actions.ts';
import type { ArchivedDestination, ArchivedRefusal, DeadLetters } from '../../src/ledger/archive/archive.ts';
import type { Archive } from '../../src/ledger/registry.ts';
import type { KeptSnooze } from '../../src/ledger/signal/snoozes.ts';
import type { People } from '../../src/people/actions.ts';
import { type Outcome, Refused, statusOf } from '../../src/people/outcomes.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type AdminWorld, openAdminWorld } from './admin-world.ts';
import { ManualClock } from './manual-clock.ts';
import { PAGE_NOW } from './page-data.ts';
import { Recorded } from './recorded.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { tempFolder } from './temp-folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CONFIG = `
store: { url: "sqlite:unused.db" }
display: { timezone: Asia/Tokyo }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
groups:
  operators: [{ slack: "#bot-alerts" }]
delivery: { alerts: [operators] }
routes:
  - bot_id: "invoice-*"
    on: [error]
    notify: [{ slack: "#ops", mention_on_error: "@here" }, { email: [keiri@example.com] }]
  - bot_id: get_items
    notify: [{ slack: "#shop" }]
default_route:
  on: [error]
  notify: [operators]
`;

const SAMPLES = ['error', 'succeeded', 'executing'].map((name) => ({
  name,
  text: readFileSync(join(import.meta.dirname, `../../config/samples/${name}.json`), 'utf8'),
}));

export const DEAD: readonly DeadLetters[] = [
  {
    destination: 'slack:#ops',
    errorClass: 'config',
    errorCode: 'not_in_channel',
    count: 128,
    oldestAt: PAGE_NOW - 2 * DAY,
    newestAt: PAGE_NOW - 12 * MINUTE,
  },
  {
    destination: 'email:keiri@example.com',
    errorClass: 'permanent',
    errorCode: '552',
    count: 3,
    oldestAt: PAGE_NOW - DAY,
    newestAt: PAGE_NOW - 5 * HOUR,
  },
  {
    destination: 'slack:#old',
    errorClass: '',
    errorCode: '',
    count: 1,
    oldestAt: PAGE_NOW - 3 * DAY,
    newestAt: PAGE_NOW - 3 * DAY,
  },
];

const REFUSALS: readonly ArchivedRefusal[] = [
  {
    id: 12,
    receivedAt: PAGE_NOW - 4 * MINUTE,
    status: 422,
    detail: 'This is JSON, but not a callback.',
    errors: [
      {
        pointer: '/status',
        detail: 'must be the integer 0 (succeeded), 1 (error) or 2 (executing), found the string "done"',
      },
      { pointer: '/start_time', detail: 'is missing: it must be a string' },
    ],
    from: '203.0.113.7',
    body: '{\n  "code": 200,\n  "job_id": "job-77",\n  "bot_id": "invoice-import",\n  "status": "done"\n}',
  },
  {
    id: 11,
    receivedAt: PAGE_NOW - 2 * HOUR,
    status: 400,
    detail: 'The body is not JSON: line 1, column 1.',
    errors: [],
    from: '2001:db8::7',
    body: 'hello=world',
  },
];

const DESTINATIONS: readonly ArchivedDestination[] = [
  {
    destination: 'slack:#ops',
    lastDeliveredAt: PAGE_NOW - 2 * DAY,
    lastFailedAt: PAGE_NOW - 12 * MINUTE,
    lastError: {
      class: 'config',
      code: 'not_in_channel',
      message: 'Slack answered not_in_channel: the app is not a member of the channel; /invite it there.',
    },
  },
  {
    destination: 'slack:#shop',
    lastDeliveredAt: PAGE_NOW - 20_000,
    lastFailedAt: PAGE_NOW - 9 * DAY,
    lastError: { class: 'transient', code: 'ETIMEDOUT', message: 'Slack had not answered after 5 s.' },
  },
  {
    destination: 'slack:#bot-alerts',
    lastDeliveredAt: PAGE_NOW - HOUR,
    lastFailedAt: undefined,
    lastError: undefined,
  },
  {
    destination: 'email:keiri@example.com',
    lastDeliveredAt: undefined,
    lastFailedAt: undefined,
    lastError: undefined,
  },
];

const ACTOR = { via: 'page', user: 'admin', from: '192.0.2.4' } as const;

const BULK: BulkRedelivery = {
  id: 5,
  what: 'redelivered',
  filter: { state: 'dead' },
  actor: ACTOR,
  state: 'delivering',
  startedAt: PAGE_NOW - 2 * DAY,
  endedAt: PAGE_NOW - 2 * DAY + MINUTE,
  stoppedBy: undefined,
  given: 12,
  delivered: 8,
  dead: 0,
  pending: 4,
};

const BULKS: readonly BulkRedelivery[] = [
  { ...BULK, id: 3, state: 'running', endedAt: undefined, given: 100, delivered: 71, dead: 2, pending: 27 },
  {
    ...BULK,
    id: 2,
    what: 'dismissed',
    filter: { botId: 'nightly-check', from: PAGE_NOW - 3 * DAY, status: 1 },
    state: 'stopped',
    stoppedBy: ACTOR,
    delivered: 0,
    pending: 0,
  },
  BULK,
];

const SNOOZE: KeptSnooze = {
  id: 1,
  botId: 'invoice-import',
  destination: 'slack:#ops',
  until: PAGE_NOW + 2 * HOUR,
  untilSuccess: false,
  because: 'the supplier moves house',
  by: 'suzuki',
  createdAt: PAGE_NOW - HOUR,
  held: 12,
};

const SNOOZES: readonly KeptSnooze[] = [
  SNOOZE,
  {
    ...SNOOZE,
    id: 2,
    botId: 'get_items',
    destination: undefined,
    until: PAGE_NOW + 7 * DAY,
    untilSuccess: true,
  },
];

const TALLY: RedeliveryTally = {
  messages: 128,
  destinations: [
    { destination: 'slack:#ops', messages: 125 },
    { destination: 'email:keiri@example.com', messages: 3 },
  ],
  oldestAt: PAGE_NOW - 2 * DAY,
  newestAt: PAGE_NOW - 12 * MINUTE,
};

const PLACE = { file: 'config/botbell.yaml', line: 41, column: 13 };

const STATUS: ReloadStatus = {
  file: 'config/botbell.yaml',
  configHash: 'c0ffee1234567890c0ffee',
  loadedAt: PAGE_NOW - 3 * HOUR,
  warnings: [
    {
      place: { ...PLACE, line: 52 },
      message: 'routes[3] matches every BOT, so default_route is never used',
      severity: 'warning',
    },
  ],
  failure: {
    at: PAGE_NOW - 6 * MINUTE,
    problems: [
      { place: PLACE, message: 'no channel is named "slak": did you mean "slack"?', severity: 'error' },
    ],
  },
  unchanged: ['admin.listen'],
};

export const PREVIEW: ReloadPreview = {
  problems: [],
  configHash: 'beef000000000000beef',
  since: '2026-11-15',
  changes: [
    {
      botId: 'invoice-import',
      status: 'error',
      callbacks: 31,
      added: ['slack:#keiri'],
      removed: ['slack:#ops'],
    },
    { botId: 'get_items', status: 'succeeded', callbacks: 7, added: [], removed: ['slack:#shop'] },
  ],
  isComplete: false,
  unchanged: [],
};

/** What people did, in its order. */
type Done = readonly [what: string, ...details: readonly unknown[]];

export interface OfficeWorld extends AdminWorld {
  readonly recorded: Recorded;
  readonly done: Done[];
}

/** @param archive what it says in place of the ledger, e.g. `OFFICE_ARCHIVE` */
export async function openOffice(archive: Partial<Archive> = {}): Promise<OfficeWorld> {
  const clock = new ManualClock(PAGE_NOW);
  const store = createSqliteStore(clock);
  const recorded = new Recorded(store);
  const settings = await officeSettings();
  const done: Done[] = [];
  const world = await openAdminWorld({
    clock,
    archive: { ...recorded.archive, ...archive },
    people: peopleIn(done),
    reloading: {
      status: STATUS,
      reload: (cause) => {
        done.push(['reload', cause]);
        return Promise.resolve({ isLoaded: false, problems: STATUS.failure?.problems ?? [] });
      },
      preview: () => Promise.resolve(PREVIEW),
    },
    drawing: () => drawingOf(settings.current, channelTypes),
    paused: () => [{ key: 'slack:#bot-alerts', ms: 25_000 }],
    samples: SAMPLES,
  });
  return {
    ...world,
    recorded,
    done,
    async close() {
      await world.close();
      await store.close();
      await settings.close();
    },
  };
}

async function officeSettings(): Promise<RunningSettings<AppSettings>> {
  const file = join(tempFolder(), 'botbell.yaml');
  writeFileSync(file, CONFIG);
  const ignore = () => undefined;
  const first = await openSettings(await loadProject({ configFile: file, variables: {} }), {
    channelTypes,

    print: ignore,
    onTemplateError: ignore,
    secrets: new HiddenSecrets(),
  });
  return new RunningSettings<AppSettings>(first, systemClock, ignore);
}

function peopleIn(done: Done[]): Partial<People> {
  const note =
    (what: string, outcomeOf: (id: number | string) => Outcome) =>
    (subject: number | string, ...details: unknown[]) => {
      done.push([what, subject, ...details]);
      const outcome = outcomeOf(subject);
      return statusOf(outcome) < 400 ? Promise.resolve(outcome) : Promise.reject(new Refused(outcome));
    };
  return {
    redeliver: note('redeliver', (id) => ({
      name: id === 1 ? 'accepted' : id === 2 ? 'delivered' : 'unknown',
    })),
    dismiss: note('dismiss', (id) => ({ name: id === 1 ? 'dismissed' : 'not dead' })),
    test: note('test', () => ({
      name: 'tested, failed',
      values: { words: 'The app is not in the channel.' },
    })),
    snoozes: () => Promise.resolve(SNOOZES),
    snooze: () => Promise.reject(new Refused({ name: 'snooze nothing' })),
    tally: (filter) =>
      Promise.resolve(filter.botId === 'none' ? { ...TALLY, messages: 0, destinations: [] } : TALLY),
    startBulk: (filter, request, what) => {
      done.push(['bulk', JSON.parse(JSON.stringify(filter)), request, what]);
      return Promise.resolve({ name: `bulk ${what}` });
    },
    bulks: () => Promise.resolve(BULKS),
    bulk: (id) => Promise.resolve(BULKS.find((bulk) => bulk.id === id)),
    endSnooze: note('end snooze', () => ({ name: 'ended' })),
    routeAnew: note('route', () => ({ name: 'routed to nobody' })),
    stopBulk: note('stop', () => ({ name: 'stopped' })),
    seeRefused: note('see refused', () => ({ name: 'seen' })),
  };
}

/** What the archive would say, where the views ask it. */
export const OFFICE_ARCHIVE: Partial<Archive> = {
  countOpen: () => Promise.resolve({ pending: 12, dead: 132, held: 0, refused: 2 }),
  deadLetters: () => Promise.resolve(DEAD),
  refusals: ({ before = Number.MAX_SAFE_INTEGER, limit = 50 } = {}) =>
    Promise.resolve({ items: REFUSALS.filter(({ id }) => id < before).slice(0, limit), next: undefined }),
  refusedAlike: () =>
    Promise.resolve(
      REFUSALS.map((newest) => ({
        newest,
        count: 3,
        unseen: newest.id === 12 ? 2 : 0,
        oldestAt: PAGE_NOW - DAY,
      })),
    ),
  destinations: (names) =>
    Promise.resolve(DESTINATIONS.filter(({ destination }) => names.includes(destination))),
};
