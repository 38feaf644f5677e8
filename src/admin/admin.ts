/** The admin listener: health, readiness and metrics for whoever runs the service. */
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { isLoopback } from '../config/field-rules.ts';
import { answerProblems, HttpProblem, unlessCutOff } from '../http/problem.ts';
import { isOneOf } from '../http/sender.ts';
import type { Metrics } from '../observe/metrics.ts';

const USER = 'admin';

/** What readiness depends on; each false one is named in the answer. */
export interface Readiness {
  readonly store: boolean;
  /** The store takes new callbacks. */
  readonly room: boolean;
  readonly config: boolean;
  readonly accepting: boolean;
}

export interface AdminDependencies {
  readonly config: AdminConfig;
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Readiness>;
  readonly onUnforeseen: (error: unknown) => void;
}

export function createAdmin({ config, metrics, readiness, onUnforeseen }: AdminDependencies): Koa {
  const app = new Koa();
  app.on('error', unlessCutOff(onUnforeseen));
  const open = new Router();
  open.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  open.get('/readyz', async (ctx) => answerReadiness(ctx, await readiness()));
  const guarded = new Router();
  guarded.get('/metrics', async (ctx) => {
    ctx.type = metrics.contentType;
    ctx.body = await metrics.text();
  });
  app.use(answerProblems(onUnforeseen));
  app.use(refuseForeignHosts(config));
  app.use(open.routes());
  app.use(askForPassword(config.password));
  app.use(guarded.routes());
  return app;
}

function answerReadiness(ctx: Context, readiness: Readiness): void {
  const isReady = Object.values(readiness).every(Boolean);
  ctx.status = isReady ? 200 : 503;
  ctx.body = { status: isReady ? 'ready' : 'not ready', ...readiness };
}

function askForPassword(password: string | undefined): Middleware {
  return (ctx, next) => {
    if (password === undefined || isAuthorized(ctx.get('Authorization'), password)) return next();
    throw new HttpProblem({
      status: 401,
      detail: `Log in as ${USER} with the admin password.`,
      headers: { 'WWW-Authenticate': 'Basic realm="Botbell", charset="UTF-8"' },
    });
  };
}

/** HTTP Basic (RFC 7617); the user is not secret, the password is compared in constant time. */
function isAuthorized(header: string, password: string): boolean {
  const [scheme = '', encoded = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() !== 'basic') return false;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return isOneOf(rest.join(':'), [password]) && user === USER;
}

/**
 * On loopback, a request must name a loopback host or one of `admin.hosts`, so that no web page of another site reaches
 * the listener under a name of its own (DNS rebinding); elsewhere the password guards.
 */
function refuseForeignHosts({ listen, hosts }: AdminConfig): Middleware {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  return (ctx, next) => {
    const host = hostnameOf(ctx.get('Host'));
    if (!isLoopback(listen.host) || isLoopback(host) || allowed.has(host)) return next();
    throw new HttpProblem({
      status: 403,
      detail: 'This host name is not one that the admin listener answers to: add it to admin.hosts.',
    });
  };
}

/** Without port and brackets, in lower case. */
function hostnameOf(header: string): string {
  const bracketed = /^\[(?<address>[^\]]*)\]/.exec(header)?.groups?.['address'];
  return (bracketed ?? header.split(':', 1)[0] ?? '').toLowerCase();
}
