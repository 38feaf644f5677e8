/** The admin listener: health, readiness, metrics, and behind guards the page and the API. */
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { answerProblems, HttpProblem, type TurnedAway, unlessCutOff } from '../http/problem.ts';
import { type SenderReader, senderReader } from '../http/sender.ts';
import { ADMIN_REFUSALS } from '../observe/metrics.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { Refused, statusOf } from '../people/outcomes.ts';
import { refuseForeignHosts, refuseOtherSites, setHeaders } from './guard.ts';
import { askForPassword, type WrongPasswords } from './password.ts';
import { routed, TO_THE_LETTER } from './routed.ts';
import type { AdminServices } from './services.ts';

export interface AdminDependencies {
  readonly config: AdminConfig;
  readonly services: Pick<AdminServices, 'metrics' | 'readiness' | 'onUnforeseen'>;
  /** The counts survive a reload of the config. */
  readonly wrongPasswords: WrongPasswords;
  /** Handles /api and /-/, after the guards. */
  readonly api: Middleware;
  /** Handles all other paths, after the guards. */
  readonly page: Middleware;
  readonly onTurnedAway: (report: TurnedAway) => void;
}

export function createAdmin(dependencies: AdminDependencies): Koa {
  const { config, services, wrongPasswords, onTurnedAway, api, page } = dependencies;
  const senderOf = senderReader(config.trustProxy);
  const app = new Koa();
  app.on('error', unlessCutOff(services.onUnforeseen));
  app.use(setHeaders);
  app.use(answerProblems(services.onUnforeseen));
  app.use(asProblems);
  app.use(turnedAwayReported(senderOf, onTurnedAway));
  app.use(refuseForeignHosts(config));
  app.use(health(services.readiness));
  app.use(refuseOtherSites);
  app.use(askForPassword(config, senderOf, wrongPasswords));
  app.use(metricsRoute(services.metrics));
  app.use(async (ctx, next) => {
    await (isOfApi(ctx) ? api : page)(ctx, next);
  });
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

function turnedAwayReported(senderOf: SenderReader, report: (report: TurnedAway) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { status = 0, logged: problem } = error instanceof HttpProblem ? error.details : {};
      if (ADMIN_REFUSALS.includes(status) && problem !== undefined)
        report({ status, from: senderOf(ctx.req), problem });
      throw error;
    }
  };
}

/** Turns refusals, and a ledger that cannot be used, into problems. */
const asProblems: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof Refused) {
      const { outcome, message: detail } = error;
      const { json: members = {} } = outcome;
      throw new HttpProblem({ status: statusOf(outcome), detail, members, logged: outcome.name });
    }
    if (!(error instanceof LedgerUnavailable)) throw error;
    const detail = 'The ledger cannot be read or written at the moment.';
    throw new HttpProblem({ status: 503, detail, headers: { 'Retry-After': '5' } }, { cause: error });
  }
};
