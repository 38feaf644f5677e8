/** The admin listener over HTTP, page and API; the services behind it are fake or real, as a test needs them. */
import { request } from 'undici';
import { createApi } from '../../src/admin/api.ts';
import { type AdminDependencies, createAdmin } from '../../src/admin/admin.ts';
import { createPages } from '../../src/admin/page/page-router.tsx';
import { WrongPasswords } from '../../src/admin/password.ts';
import type { Drawing } from '../../src/admin/drawing.ts';
import type { AdminServices, Reloading } from '../../src/admin/services.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/server.ts';
import type { Archive } from '../../src/ledger/registry.ts';
import type { People } from '../../src/people/actions.ts';
import { createRouter } from '../../src/route/router.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';

export type AdminWorld = Awaited<ReturnType<typeof openAdminWorld>>;
export type AdminAnswer = Awaited<ReturnType<AdminWorld['ask']>>;

type Fields = Readonly<Record<string, string>>;

interface AdminWorldOptions
  extends
    Partial<Pick<AdminDependencies, 'page' | 'onTurnedAway' | 'wrongPasswords'>>,
    Partial<Omit<AdminServices, 'archive' | 'people' | 'reloading'>> {
  readonly config?: Partial<AdminConfig>;
  readonly clock?: Clock;
  readonly archive?: Partial<Archive>;
  readonly people?: Partial<People>;
  readonly reloading?: Partial<Reloading>;
}

export async function openAdminWorld(options: AdminWorldOptions = {}) {
  const { config, clock = systemClock, archive, people, reloading, ...rest } = options;
  const { page, onTurnedAway = () => undefined, wrongPasswords = new WrongPasswords(clock), ...given } = rest;
  const unforeseen: unknown[] = [];
  const services: AdminServices = {
    ...servicesAt(clock),
    onUnforeseen: (error: unknown) => unforeseen.push(error),
    ...given,
    archive: {
      countOpen: () => Promise.resolve(OPEN),
      openIncidents: () => Promise.resolve([]),
      ...archive,
    } as Archive,
    people: { ...people } as People,
    reloading: { status: { configHash: 'c0ffee1234567890' }, ...reloading } as Reloading,
  };
  const app = createAdmin({
    config: { ...PLAIN, ...config },
    services,
    wrongPasswords,
    onTurnedAway,
    api: createApi(services),
    page: page ?? createPages(services),
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 }, () => {});
  const ask = askerOf(server.port);
  return {
    port: server.port,
    services,
    unforeseen,
    ask,
    get: (path: string, headers?: Fields) => ask(`GET ${path}`, { headers: { ...BROWSER, ...headers } }),
    post: (path: string, fields: Fields) =>
      ask(`POST ${path}`, { headers: FORM, body: new URLSearchParams(fields).toString() }),
    close: () => server.close(0),
  };
}

const BROWSER = { accept: 'text/html' };
const FORM = { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' };
const OPEN = { pending: 0, dead: 0, held: 0, paused: 0, oldestDueMs: 0 };

function servicesAt(clock: Clock): Omit<AdminServices, 'archive' | 'people' | 'reloading' | 'onUnforeseen'> {
  const metrics = createMetrics('1.2.3');
  const router = createRouter([], undefined);
  const counted = { ...OPEN, incidents: { bot: 1, destination: 0, botbell: 0 }, storeBytes: 4096, down: 0 };
  return {
    metrics: {
      contentType: metrics.contentType,
      text: () => metrics.text(() => Promise.resolve(counted)),
    },
    readiness: () => ({ store: true, config: true, accepting: true }),
    storeTrouble: () => undefined,
    drawing: () => ({ router }) as Drawing,
    samples: [],
    surroundings: {
      version: '1.2.3',
      processName: 'bridge-1/4711',
      now: () => clock.now(),
      display: () => ({ language: 'en', timezone: 'Asia/Tokyo' }),
      redact: (text) => text,
    },
  };
}

const PLAIN: AdminConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  password: undefined,
  hosts: [],
  metricsToken: undefined,
  trustProxy: false,
};

export function askerOf(port: number) {
  return async (what: string, { headers = {}, body }: { headers?: Fields; body?: string } = {}) => {
    const [method = '', path = ''] = what.split(' ');
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as 'GET',
      headers,
      body: body ?? null,
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text,
      json: isJson && text !== '' ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {},
    };
  };
}

export function basic(login: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
