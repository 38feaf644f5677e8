/** The admin listener: health, readiness and metrics, and behind its guards the page and the API. */
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { answerProblems, HttpProblem, type TurnedAway, unlessCutOff } from '../http/problem.ts';
import { type SenderReader, senderReader } from '../http/sender.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { guardForms } from './form-token.ts';
import { refuseForeignHosts, refuseOtherSites, setHeaders } from './guard.ts';
import { askForPassword, type WrongPasswords } from './password.ts';
import { routed, TO_THE_LETTER } from './routed.ts';
import type { AdminServices } from './services.ts';

/** What of those that are turned away is told: guesses at the password, and what a browser was made to ask. */
const TOLD: ReadonlySet<number> = new Set([401, 403, 429]);

export interface AdminDependencies {
  readonly config: AdminConfig;
  readonly services: Pick<AdminServices, 'metrics' | 'readiness' | 'onUnforeseen'>;
  /** They outlive a reload of the config. */
  readonly wrongPasswords: WrongPasswords;
  /** What answers under /api and /-/: whoever asks is known, and no browser on another site. */
  readonly api: Middleware;
  /** What answers everywhere else; the token of its forms is checked, and in the request's state (`AdminState`). */
  readonly page?: Middleware;
  /** Makes a page of what goes wrong there, in the guards or behind them. */
  readonly drawFaults?: Middleware;
  readonly onTurnedAway?: (report: TurnedAway) => void;
}

export function createAdmin(dependencies: AdminDependencies): Koa {
  const { config, services, wrongPasswords, drawFaults, onTurnedAway, api, page } = dependencies;
  const senderOf = senderReader(config.trustProxy);
  const app = new Koa();
  app.on('error', unlessCutOff(services.onUnforeseen));
  app.use(setHeaders);
  app.use(answerProblems(services.onUnforeseen));
  app.use(answerLedgerTrouble);
  if (drawFaults !== undefined) app.use(where((ctx) => !isOfApi(ctx), drawFaults));
  if (onTurnedAway !== undefined) app.use(turnedAwayReported(senderOf, onTurnedAway));
  app.use(refuseForeignHosts(config));
  app.use(health(services.readiness));
  app.use(refuseOtherSites);
  app.use(askForPassword(config, senderOf, wrongPasswords));
  app.use(metricsRoute(services.metrics));
  app.use(where(isOfApi, api));
  if (page !== undefined) {
    app.use(where((ctx) => !isOfApi(ctx), guardForms));
    app.use(where((ctx) => !isOfApi(ctx), page));
  }
  return app;
}

function health(readiness: AdminServices['readiness']): Middleware {
  const router = new Router(TO_THE_LETTER);
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', (ctx) => {
    const parts = readiness();
    const isReady = Object.values(parts).every(Boolean);
    ctx.status = isReady ? 200 : 503;
    ctx.body = { status: isReady ? 'ready' : 'not ready', ...parts };
  });
  return routed(router);
}

function metricsRoute(metrics: AdminServices['metrics']): Middleware {
  const router = new Router(TO_THE_LETTER);
  router.get('/metrics', async (ctx) => {
    ctx.type = metrics.contentType;
    ctx.body = await metrics.text();
  });
  return routed(router);
}

function isOfApi({ path }: Context): boolean {
  return path.startsWith('/api/') || path === '/api' || path.startsWith('/-/');
}

function where(holds: (ctx: Context) => boolean, middleware: Middleware): Middleware {
  return async (ctx, next) => {
    await (holds(ctx) ? middleware(ctx, next) : next());
  };
}

function turnedAwayReported(senderOf: SenderReader, report: (report: TurnedAway) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const details = error instanceof HttpProblem ? error.details : undefined;
      // A browser asks without a password before it asks its user for one.
      const isAsked = details?.status === 401 && ctx.get('Authorization') === '';
      if (details !== undefined && TOLD.has(details.status) && !isAsked) {
        const problem = details.logged ?? details.detail;
        report({ status: details.status, from: senderOf(ctx.req).address, problem });
      }
      throw error;
    }
  };
}

const answerLedgerTrouble: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const detail = 'The ledger cannot be read or written at the moment.';
    throw new HttpProblem({ status: 503, detail, headers: { 'Retry-After': '5' } }, { cause: error });
  }
};
