/** The page and the API of a small office, over a ledger with its last two weeks, on a clock that stands still. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawingOf } from '../../src/admin/drawing.ts';
import type { ReloadPreview, ReloadStatus } from '../../src/admin/services.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { type Planning, RunningSettings } from '../../src/deliver/settings.ts';
import { pausePace } from '../../src/ledger/deliveries/failing.ts';
import { createPeople, type People, type ReportedAction } from '../../src/people/actions.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { systemClock } from '../../src/time/clock.ts';
import { openAdminWorld } from './admin-world.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorded } from './recorded.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { tempFolder } from './temp-folder.ts';
import { liveTwoWeeks, OFFICE_NOW, TWO_WEEKS_AGO } from './two-weeks.ts';
import type { Problem } from '../../src/config/config.ts';
import { fault } from '../../src/config/words.ts';
import { didYouMean } from '../../src/text/nearest.ts';

const CONFIG = `
store: { url: "sqlite:unused.db" }
receiver: { token: "THE-TOKEN-OF-THE-OFFICE" }
delivery: { alerts: [operators] }
display: { timezone: Asia/Tokyo, links: { job: "https://bots.example.com/jobs/{{ job_id }}" } }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
groups:
  operators: [{ slack: "#bot-alerts", mention_on_error: "@here" }, { email: [ops@example.com] }]
routes:
  - bot_id: get_items
    notify: [{ slack: "#shop" }]
  - bot_id: "invoice-*"
    on: [error]
    notify: [operators]
  - bot_id: price-watch
    notify: [{ slack: "#old-prices" }, { email: owner@example.com }]
  - bot_id: newsletter
    notify: [{ email: readers@example.com }, { slack: "#bot-log" }]
  - bot_id: "nightly-*"
    notify: [{ slack: "#bot-log" }]
default_route:
  on: [error]
  notify: [operators]
`;

function problemAt(line: number, problem: Omit<Problem, 'place'>): Problem {
  return { place: { file: 'config/botbell.yaml', line, column: 13 }, ...problem };
}

const STATUS: ReloadStatus = {
  file: 'config/botbell.yaml',
  configHash: 'c0ffee1234567890c0ffee',
  loadedAt: OFFICE_NOW - 3 * 3_600_000,
  warnings: [problemAt(52, { path: 'routes[3].bot_id', fault: fault('bot_id.every'), severity: 'warning' })],
  failure: {
    at: OFFICE_NOW - 6 * 60_000,
    problems: [
      problemAt(41, {
        path: 'routes[1].notify[0]',
        fault: fault('no channel', { name: '"slak"', hint: didYouMean('slak', ['slack']) }),
        severity: 'error',
      }),
    ],
  },
  unchanged: ['admin.listen'],
};

const CHANGED = { added: ['slack:#keiri'], removed: ['slack:#ops'] };
const PREVIEW: ReloadPreview = {
  problems: STATUS.warnings,
  configHash: 'beef000000000000beef',
  since: '2026-11-13T00:00:00+09:00',
  changes: [{ botId: 'invoice-import', status: 'error', callbacks: 31, ...CHANGED }],
  isComplete: false,
  unchanged: ['store.url'],
};

const SAMPLES = ['error', 'succeeded', 'executing'].map((name) => ({
  name,
  text: readFileSync(join(import.meta.dirname, `../../config/samples/ja/${name}.json`), 'utf8'),
}));

type Done = Partial<ReportedAction> | { readonly what: 'reload'; readonly cause: string };

export type OfficeWorld = Awaited<ReturnType<typeof openOffice>>;

export async function openOffice({ isNew = false } = {}) {
  const clock = new ManualClock(isNew ? OFFICE_NOW : TWO_WEEKS_AGO);
  const store = createSqliteStore(clock);
  const recorded = new Recorded(store);
  const settings = await officeSettings();
  const done: Done[] = [];
  const people = peopleOver(recorded, () => settings.current, done);
  if (!isNew) await liveTwoWeeks({ recorded, store, people, router: settings.current.router });
  if (!isNew) await store.call(pausePace, ['slack:#bot-alerts', 25_000]);
  done.splice(0);
  const world = await openAdminWorld({
    clock,
    archive: recorded.archive,
    people,
    reloading: {
      status: STATUS,
      reload: (cause) => {
        done.push({ what: 'reload', cause });
        return Promise.resolve({ isLoaded: false, problems: STATUS.failure?.problems ?? [] });
      },
      preview: () => Promise.resolve(PREVIEW),
    },
    drawing: () => drawingOf(settings.current, channelTypes),
    samples: SAMPLES,
  });
  return {
    ...world,
    store,
    recorded,
    done,
    async close() {
      await world.close();
      await store.close();
      await settings.close();
    },
  };
}

const NOT_IN_CHANNEL = {
  isDelivered: false,
  words: 'The app is not in the channel.',
  errorClass: 'config',
  errorCode: 'not_in_channel',
  durationMs: 3,
} as const;

function peopleOver(ledger: Recorded, planning: () => Planning, done: Done[]): People {
  return createPeople({
    ledger,
    planning,
    channelTypes,
    now: () => OFFICE_NOW,
    sendTest: ({ destination }) => Promise.resolve({ destination, ...NOT_IN_CHANNEL }),
    onDue: () => undefined,
    onBulkStarted: () => undefined,
    onAction: (action) => done.push(action),
  });
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
