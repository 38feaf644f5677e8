/** Which address shows which view, and what is answered where none can be shown. */
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { renderToString } from 'preact-render-to-string';
import { formOf } from '../form-token.ts';
import { HttpProblem, type ProblemDetails } from '../../http/problem.ts';
import { routed } from '../routed.ts';
import type { AdminServices } from '../services.ts';
import { answerAsset, type Assets, readAssets } from './assets.ts';
import { showBot } from './bots/bot.tsx';
import { countedText, showBots } from './bots/bots.tsx';
import { showCallback } from './callbacks/callback.tsx';
import { showCallbacks } from './callbacks/callbacks.tsx';
import { keepLanguage, returnTo, takeFlash } from './cookies.ts';
import { faultPageOf, notFoundPage, problemPage, unforeseenPage } from './faults.tsx';
import { LANGUAGES, type Reader, readerOf, ReaderContext } from './reader.ts';
import { routeActs } from './operation/acts.ts';
import { configView } from './operation/config.tsx';
import { deadView } from './operation/dead.tsx';
import { answerMessage } from './operation/delivery.ts';
import { destinationsView } from './operation/destinations.tsx';
import { dryRunView } from './operation/dry-run.tsx';
import { redeliveriesView, redeliveryView } from './operation/redeliveries.tsx';
import { refusedView } from './operation/refused.tsx';
import { answerTriedMessage, playgroundView } from './playground/playground.tsx';
import { Shell, type ShellFacts } from './shell.tsx';
import type { Shown, View } from './view.ts';

/** Nothing from elsewhere, no script or style but our two files, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers send `Origin: null` with our own forms, which no guard can tell from another site's.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
};

const VIEWS: readonly (readonly [path: string, view: View])[] = [
  ['/', showBots],
  ['/bots/:id', showBot],
  ['/callbacks', showCallbacks],
  ['/callbacks/:id', showCallback],
  ['/dead', deadView],
  ['/refused', refusedView],
  ['/destinations', destinationsView],
  ['/config', configView],
  ['/playground', playgroundView],
  ['/redeliveries', redeliveriesView],
  ['/redeliveries/new', dryRunView],
  ['/redeliveries/:id', redeliveryView],
];

/** Of every view, e.g. `/bots/:id`. */
export const VIEW_PATHS = VIEWS.map(([path]) => path);

export interface Pages {
  /** Answers every path that no API has; behind the guards. */
  readonly page: Middleware;
  /** Makes a page of what a guard turns a browser away with. */
  readonly drawProblem: (ctx: Context, details: ProblemDetails) => void;
}

export function createPages(services: AdminServices): Pages {
  const { surroundings, onUnforeseen } = services;
  const assets = readAssets();
  const answer = async (ctx: Context, shown: Shown, reader: Reader) => {
    answerShown(ctx, shown, reader, { assets, facts: await factsFor(ctx, services, reader) });
  };
  const answerView = async (ctx: RouterContext, view: View, query = ctx.URL.searchParams) => {
    const reader = readerOf(ctx, surroundings);
    const shown = await view({ params: ctx.params, query, reader, services });
    await answer(ctx, shown ?? notFoundPage(reader), reader);
  };

  const router = new Router();
  for (const asset of [assets.style, assets.script]) router.get(asset.path, (ctx) => answerAsset(ctx, asset));
  for (const [path, view] of VIEWS) router.get(path, (ctx) => answerView(ctx, view));
  router.get('/deliveries/:id/message', (ctx) => answerMessage(ctx, ctx.params['id'], services));
  router.get('/playground/message', (ctx) => answerTriedMessage(ctx, services));
  router.post('/act/preferences', keepPreferences);
  // What is pasted is too long for an address.
  router.post('/playground', (ctx) => answerView(ctx, playgroundView, formOf(ctx)));
  routeActs(router, services);
  const views = routed(router);

  return {
    page: async (ctx, next) => {
      try {
        await views(ctx, next);
        if (ctx.status !== 404 || ctx.body !== undefined || !wantsPage(ctx)) return;
        const reader = readerOf(ctx, surroundings);
        await answer(ctx, notFoundPage(reader), reader);
      } catch (error) {
        // Whoever asks for a page gets one, whatever goes wrong.
        if (!wantsPage(ctx)) throw error;
        const reader = readerOf(ctx, surroundings);
        const fault = faultPageOf(error, reader);
        if (fault === undefined) onUnforeseen(error);
        if (error instanceof HttpProblem) ctx.set(error.details.headers ?? {});
        await answer(ctx, fault ?? unforeseenPage(reader), reader);
      }
    },
    drawProblem: (ctx, details) => {
      const reader = readerOf(ctx, surroundings);
      answerShown(ctx, problemPage(details, reader), reader, { assets, facts: undefined });
    },
  };
}

function wantsPage(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'html';
}

async function factsFor(ctx: Context, services: AdminServices, reader: Reader): Promise<ShellFacts> {
  const { surroundings, reloading } = services;
  return {
    version: surroundings.version,
    processName: surroundings.processName,
    configHash: reloading.status.configHash,
    isConfigRefused: reloading.status.failure !== undefined,
    dead: await countOfDead(services, reader),
    flash: takeFlash(ctx),
  };
}

interface Frame {
  readonly assets: Assets;
  readonly facts: ShellFacts | undefined;
}

function answerShown(ctx: Context, shown: Shown, reader: Reader, { assets, facts }: Frame): void {
  ctx.status = shown.status ?? 200;
  ctx.set(HEADERS);
  ctx.type = 'text/html; charset=utf-8';
  const document = renderToString(
    <ReaderContext.Provider value={reader}>
      <Shell shown={shown} assets={assets} facts={facts} />
    </ReaderContext.Provider>,
  );
  ctx.body = `<!doctype html>${document}`;
}

function keepPreferences(ctx: Context): void {
  const form = formOf(ctx);
  const language = LANGUAGES.find((each) => each === form.get('language'));
  if (language !== undefined) keepLanguage(ctx, language);
  returnTo(ctx, form.get('back'));
}

/** A page that says that the ledger cannot be read needs none. */
async function countOfDead({ archive }: AdminServices, reader: Reader): Promise<string | undefined> {
  const open = await archive.openWork().catch(() => undefined);
  return open === undefined || open.dead.count === 0 ? undefined : countedText(open.dead, reader);
}
