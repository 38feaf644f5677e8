/** The admin listener over HTTP, with what stands behind it made up or real, as a test needs it. */
import { request } from 'undici';
import { createApi } from '../../src/admin/api.ts';
import { type AdminDependencies, createAdmin } from '../../src/admin/admin.ts';
import { WrongPasswords } from '../../src/admin/password.ts';
import type { AdminServices, Reloading } from '../../src/admin/services.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import { listen, type ListeningServer } from '../../src/http/server.ts';
import type { Archive } from '../../src/ledger/registry.ts';
import type { People } from '../../src/people/actions.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { secretsHidden } from '../../src/text/hide-secrets.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';
import type { Language } from '../../src/time/display.ts';

/** Of some config that ran. */
export const SECRET = 'xoxb-THE-SECRET-OF-A-CONFIG';

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Of a JSON answer. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AdminWorld {
  readonly server: ListeningServer;
  /** What nobody foresaw. */
  readonly unforeseen: readonly unknown[];
  /** @param what a method and a path, `GET /healthz` */
  ask(what: string, asking?: Asking): Promise<AdminAnswer>;
  close(): Promise<void>;
}

export interface AdminWorldOptions extends Partial<
  Pick<AdminDependencies, 'page' | 'onTurnedAway' | 'wrongPasswords'>
> {
  readonly config?: Partial<AdminConfig>;
  readonly clock?: Clock;
  readonly archive?: Archive;
  readonly people?: Partial<People>;
  readonly reloading?: Partial<Reloading>;
  readonly language?: Language;
  readonly readiness?: AdminServices['readiness'];
}

export async function openAdminWorld(options: AdminWorldOptions = {}): Promise<AdminWorld> {
  const { config, clock = systemClock, archive, readiness } = options;
  const { people = {}, reloading = {}, language = 'en', ...rest } = options;
  const unforeseen: unknown[] = [];
  const metrics = createMetrics('1.2.3');
  const open = { pending: 3, dead: 1, held: 2 };
  const text = () => metrics.text(() => Promise.resolve({ open, storeBytes: 4096, paused: 0 }));
  const ready = () => ({ store: true, config: true, accepting: true });
  const services = {
    metrics: { contentType: metrics.contentType, text },
    readiness: readiness ?? ready,
    storeTrouble: () => undefined,
    onUnforeseen: (error: unknown) => unforeseen.push(error),
    archive: archive ?? ({} as Archive),
    people: { callbacks: archive?.callbacks, ...people } as People,
    reloading: reloading as Reloading,
    surroundings: {
      version: '1.2.3',
      processName: 'bridge-1/4711',
      now: () => clock.now(),
      display: () => ({ language, timezone: 'Asia/Tokyo' }) as const,
      redact: secretsHidden([SECRET]),
    },
  };
  const app = createAdmin({
    wrongPasswords: new WrongPasswords(clock),
    page: (_ctx, next) => next(),
    onTurnedAway: () => undefined,
    ...rest,
    config: { ...PLAIN, ...config },
    services,
    api: createApi(services),
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  const close = () => server.close(0);
  return { server, unforeseen, ask: asker(server), close };
}

export const PLAIN: AdminConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  password: undefined,
  hosts: [],
  metricsToken: undefined,
  trustProxy: false,
};

function asker(server: ListeningServer): AdminWorld['ask'] {
  return async (what, { headers = {}, body } = {}) => {
    const [method = '', path = ''] = what.split(' ');
    const answer = await request(`http://127.0.0.1:${server.port}${path}`, {
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
      json: isJson && text !== '' ? (JSON.parse(text) as AdminAnswer['json']) : {},
    };
  };
}

export function basic(login: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
