/** The page over a real ledger, as browsers ask for it, with what stands around it made up. */
import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { request } from 'undici';
import { createApi } from '../../src/admin/api.ts';
import { createAdmin } from '../../src/admin/admin.ts';
import { WrongPasswords } from '../../src/admin/password.ts';
import { createPages } from '../../src/admin/page/page-router.tsx';
import { type Reader, ReaderContext, readerIn as readerOf } from '../../src/admin/page/reader.ts';
import type { AdminServices } from '../../src/admin/services.ts';
import { listen, type ListeningServer } from '../../src/http/server.ts';
import { createRouter } from '../../src/route/router.ts';
import type { Language } from '../../src/time/display.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorded } from './recorded.ts';
import { createSqliteStore } from './sqlite-store.ts';

export const PAGE_NOW = Date.parse('2026-11-22T01:42:05Z');

/** A part of a page, as a reader gets it. */
export function htmlFor(reader: Reader, part: ComponentChildren): string {
  return renderToString(h(ReaderContext.Provider, { value: reader }, part));
}

/** A reader in Tokyo. */
export function readerIn(language: Language, fields: Partial<Reader> = {}): Reader {
  return { ...readerOf(language, 'Asia/Tokyo', PAGE_NOW, '/here?a=1'), ...fields };
}

export interface PageWorld {
  readonly port: number;
  readonly clock: ManualClock;
  readonly recorded: Recorded;
  readonly services: AdminServices;
  /** What nobody foresaw. */
  readonly unforeseen: unknown[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  post(path: string, fields: Readonly<Record<string, string>>): Promise<PageAnswer>;
  close(): Promise<void>;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export async function openPageWorld(services: Partial<AdminServices> = {}): Promise<PageWorld> {
  const clock = new ManualClock(PAGE_NOW);
  const store = createSqliteStore(clock);
  const recorded = new Recorded(store);
  const unforeseen: unknown[] = [];
  const around: { -readonly [Name in keyof AdminServices]: AdminServices[Name] } = {
    ...servicesOver(recorded, clock, unforeseen),
    ...services,
  };
  around.people = {
    ...around.people,
    callbacks: (filter, page) => around.archive.callbacks(filter, page),
  };
  const app = createAdmin({
    config: {
      listen: { host: '127.0.0.1', port: 0 },
      password: undefined,
      metricsToken: undefined,
      hosts: [],
      trustProxy: false,
    },
    services: around,
    wrongPasswords: new WrongPasswords(clock),
    api: createApi(around),
    page: createPages(around),
    onTurnedAway: () => undefined,
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  return {
    port: server.port,
    clock,
    recorded,
    services: around,
    unforeseen,
    get: (path, headers = {}) => asked(server, path, { headers: { accept: 'text/html', ...headers } }),
    post: (path, fields) =>
      asked(server, path, {
        method: 'POST',
        headers: {
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      }),
    close: async () => {
      await server.close(0);
      await store.close();
    },
  };
}

async function asked(
  server: ListeningServer,
  path: string,
  options: Parameters<typeof request>[1],
): Promise<PageAnswer> {
  const answer = await request(`http://127.0.0.1:${server.port}${path}`, options);
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

const nobodyActs = () => Promise.reject(new Error('nothing is done here'));

function servicesOver({ archive }: Recorded, clock: ManualClock, unforeseen: unknown[]): AdminServices {
  const router = createRouter([], undefined);
  return {
    surroundings: {
      version: '1.2.3',
      processName: 'bridge-1/4711',
      now: () => clock.now(),
      display: () => ({ language: 'en', timezone: 'Asia/Tokyo' }),
      redact: (text: string) => text.replaceAll('hunter2', '***'),
    },
    archive,
    drawing: () => ({ router }),
    reloading: { status: { configHash: 'c0ffee1234567890' } },
    people: {
      redeliver: nobodyActs,
      snoozes: () => Promise.resolve([]),
      bulks: () => Promise.resolve([]),
    },
    storeTrouble: () => undefined,
    onUnforeseen: (error: unknown) => unforeseen.push(error),
  } as unknown as AdminServices;
}
