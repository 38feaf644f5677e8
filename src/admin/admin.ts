/** The admin listener: health, readiness and metrics, and behind its guards the page and the API. */
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import {
  answerProblems,
  HttpProblem,
  type ProblemDetails,
  type TurnedAway,
  unlessCutOff,
} from '../http/problem.ts';
import { type SenderReader, senderReader } from '../http/sender.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { nameActor } from './actor.ts';
import { guardForms } from './form-token.ts';
import { refuseForeignHosts, refuseOtherSites, setHeaders } from './guard.ts';
import { routed, TO_THE_LETTER } from './routed.ts';
import { askForPassword, type WrongPasswords } from './password.ts';
import type { AdminServices, Readiness } from './services.ts';

const METRICS_PATH = '/metrics';

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
  /** Makes a page of a problem that a guard has met a browser with; without it, it is answered as JSON. */
  readonly drawProblem?: (ctx: Context, details: ProblemDetails) => void;
  /** Of what is pasted into the playground; more than 8 MB is not taken in any case. */
  readonly maxPasteBytes: number;
  readonly onTurnedAway?: (report: TurnedAway) => void;
}

export function createAdmin(dependencies: AdminDependencies): Koa {
  const { config, services, wrongPasswords, drawProblem, onTurnedAway, api, page, maxPasteBytes } =
    dependencies;
  const { onUnforeseen } = services;
  const senderOf = senderReader(config.trustProxy);
  const app = new Koa();
  app.on('error', unlessCutOff(onUnforeseen));
  app.use(setHeaders);
  app.use(answerProblems(onUnforeseen));
  if (drawProblem !== undefined) app.use(problemsDrawn(drawProblem));
  if (onTurnedAway !== undefined) app.use(turnedAwayReported(senderOf, onTurnedAway));
  app.use(refuseForeignHosts(config));
  app.use(health(services.readiness));
  app.use(refuseOtherSites);
  app.use(askForPassword(config, senderOf, wrongPasswords));
  app.use((ctx, next) => {
    nameActor(ctx, config.trustProxy, senderOf);
    return next();
  });
  app.use(metricsRoute(services.metrics));
  app.use(answerLedgerTrouble);
  app.use(where(isOfApi, api));
  if (page !== undefined) {
    app.use(
      where(
        (ctx) => !isOfApi(ctx),
        guardForms(BYTES_OF_ENCODED * Math.min(maxPasteBytes, LARGEST_PASTE_BYTES)),
      ),
    );
    app.use(where((ctx) => !isOfApi(ctx), page));
  }
  return app;
}

function health(readiness: AdminServices['readiness']): Middleware {
  const router = new Router(TO_THE_LETTER);
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/readyz', (ctx) => answerReadiness(ctx, readiness()));
  return routed(router);
}

function answerReadiness(ctx: Context, readiness: Readiness): void {
  const isReady = Object.values(readiness).every(Boolean);
  ctx.status = isReady ? 200 : 503;
  ctx.body = { status: isReady ? 'ready' : 'not ready', ...readiness };
}

function metricsRoute(metrics: AdminServices['metrics']): Middleware {
  const router = new Router(TO_THE_LETTER);
  router.get(METRICS_PATH, async (ctx) => {
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

const LARGEST_PASTE_BYTES = 8 * 1024 * 1024;

/** Percent-encoded, each byte of a pasted text may take three. */
const BYTES_OF_ENCODED = 3;

/** Of what a person sees in a browser. */
function problemsDrawn(draw: NonNullable<AdminDependencies['drawProblem']>): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const isForBrowser = !isOfApi(ctx) && ctx.accepts(['json', 'html']) === 'html';
      if (!(error instanceof HttpProblem) || !isForBrowser) throw error;
      ctx.set(error.details.headers ?? {});
      draw(ctx, error.details);
    }
  };
}

/** Whoever guesses a password, or has a browser ask for another site. */
function turnedAwayReported(
  senderOf: SenderReader,
  report: NonNullable<AdminDependencies['onTurnedAway']>,
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const details = error instanceof HttpProblem ? error.details : undefined;
      // A browser asks without a password before it asks its user for one.
      const isAsked = details?.status === 401 && ctx.get('Authorization') === '';
      if (details !== undefined && TOLD.has(details.status) && !isAsked)
        report({
          status: details.status,
          from: senderOf(ctx.req).address,
          problem: details.logged ?? details.detail,
        });
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
