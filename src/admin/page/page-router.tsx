/** Maps paths to views, and errors to error pages. */
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { renderToString } from 'preact-render-to-string';
import { HttpProblem, notFound } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { formOf, guardForms } from '../form-token.ts';
import { routed } from '../routed.ts';
import type { AdminServices } from '../services.ts';
import { answerAsset, readAssets } from './assets.ts';
import { showBot } from './bots/bot.tsx';
import { showBots } from './bots/bots.tsx';
import { showCallback } from './callbacks/callback.tsx';
import { showCallbacks } from './callbacks/callbacks.tsx';
import { keepLanguage } from './cookies.ts';
import { faultPage } from './faults.tsx';
import { type Reader, readerOf, ReaderContext } from './reader.ts';
import { answerDelivery } from './message.tsx';
import { routeActs } from './operation/acts.ts';
import { configView } from './operation/config.tsx';
import { deadView, dryRunView } from './operation/dead.tsx';
import { destinationsView } from './operation/destinations.tsx';
import { refusedView } from './operation/refused.tsx';
import { snoozesView } from './operation/snoozes.tsx';
import { answerTriedMessage, playgroundView } from './playground/playground.tsx';
import { factsFor, type Section, Shell } from './shell.tsx';
import type { Shown, View } from './view.ts';

/** No external resources, no script or style but our two files, no framing by other pages. */
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

/** Views by path, each with its entry in the menu. */
const VIEWS: readonly (readonly [path: string, section: Section, view: View])[] = [
  ['/', 'bots', showBots],
  ['/bots/:id', 'bots', showBot],
  ['/callbacks', 'callbacks', showCallbacks],
  ['/callbacks/:id', 'callbacks', showCallback],
  ['/dead', 'dead', deadView],
  ['/refused', 'refused', refusedView],
  ['/destinations', 'destinations', destinationsView],
  ['/snoozes', 'snoozes', snoozesView],
  ['/config', 'config', configView],
  ['/playground', 'playground', playgroundView],
  ['/redeliveries/new', 'dead', dryRunView],
];

/** Path patterns of all views, e.g. `/bots/:id`. */
export const VIEW_PATHS = VIEWS.map(([path]) => path);

/** Handles every path outside the API. A request that prefers HTML gets errors as pages, too. */
export function createPages(services: AdminServices): Middleware {
  const { surroundings, onUnforeseen } = services;
  const assets = readAssets();
  const answer = async (ctx: Context, shown: Shown, reader: Reader, section?: Section) => {
    const facts = await factsFor(ctx, services);
    const document = <Shell shown={shown} section={section} assets={assets} facts={facts} />;
    const page = <ReaderContext.Provider value={reader}>{document}</ReaderContext.Provider>;
    ctx.status = shown.status ?? 200;
    ctx.set({ 'Content-Security-Policy': POLICY, Vary: 'Accept-Language, Cookie' });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = `<!doctype html>${renderToString(page)}`;
  };
  const showing = (view: View, section: Section) => async (ctx: RouterContext) => {
    const reader = readerOf(ctx, surroundings);
    // A callback pasted into the playground is too long for a URL.
    const query = ctx.method === 'POST' ? formOf(ctx) : ctx.URL.searchParams;
    const shown = await view({ params: ctx.params, query, reader, services });
    if (shown === undefined) throw notFound();
    await answer(ctx, shown, reader, section);
  };

  const router = new Router();
  for (const asset of [assets.style, assets.script]) router.get(asset.path, (ctx) => answerAsset(ctx, asset));
  for (const [path, section, view] of VIEWS) router.get(path, showing(view, section));
  router.get('/deliveries/:id/message', (ctx) => answerDelivery(ctx, services));
  router.get('/playground/message', (ctx) => answerTriedMessage(ctx, services));
  router.get('/language/:language', keepLanguage);
  router.post('/playground', showing(playgroundView, 'playground'));
  routeActs(router, services);
  const routes = routed(router);

  return async (ctx, next) => {
    try {
      await guardForms(ctx, () => routes(ctx, next) as Promise<void>);
      if (ctx.status === 404 && ctx.body === undefined) throw notFound();
    } catch (error) {
      if (ctx.accepts('json', 'html') !== 'html') throw error;
      if (error instanceof HttpProblem) ctx.set(error.details.headers ?? {});
      else if (!(error instanceof LedgerUnavailable)) onUnforeseen(error);
      const reader = readerOf(ctx, surroundings);
      await answer(ctx, faultPage(error, reader), reader);
    }
  };
}
