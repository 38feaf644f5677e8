/** Which address shows which view, and what is answered where none can be shown. */
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { renderToString } from 'preact-render-to-string';
import { HttpProblem, notFound } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { formOf, formTokenOf } from '../form-token.ts';
import { routed } from '../routed.ts';
import type { AdminServices } from '../services.ts';
import { answerAsset, type Assets, readAssets } from './assets.ts';
import { showBot } from './bots/bot.tsx';
import { countedText, showBots } from './bots/bots.tsx';
import { showCallback } from './callbacks/callback.tsx';
import { showCallbacks } from './callbacks/callbacks.tsx';
import { keepLanguage, returnTo, takeFlash } from './cookies.ts';
import { faultPage } from './faults.tsx';
import { LANGUAGES, type Reader, readerOf, ReaderContext } from './reader.ts';
import { answerDelivery } from './message.tsx';
import { routeActs } from './operation/acts.ts';
import { configView } from './operation/config.tsx';
import { deadView } from './operation/dead.tsx';
import { destinationsView } from './operation/destinations.tsx';
import { dryRunView, redeliveryView } from './operation/redeliver.tsx';
import { refusedView } from './operation/refused.tsx';
import { snoozesView } from './operation/snoozes.tsx';
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

const VIEWS: readonly (readonly [path: string, view: View])[] = [
  ['/', showBots],
  ['/bots/:id', showBot],
  ['/callbacks', showCallbacks],
  ['/callbacks/:id', showCallback],
  ['/dead', deadView],
  ['/refused', refusedView],
  ['/destinations', destinationsView],
  ['/snoozes', snoozesView],
  ['/config', configView],
  ['/playground', playgroundView],
  ['/redeliveries/new', dryRunView],
  ['/redeliveries/:id', redeliveryView],
];

/** Of every view, e.g. `/bots/:id`. */
export const VIEW_PATHS = VIEWS.map(([path]) => path);

export interface Pages {
  /** Answers every path that no API has; behind the guards. */
  readonly page: Middleware;
  /** Whoever asks for a page gets one, whatever goes wrong, in the guards and behind them. */
  readonly drawFaults: Middleware;
}

export function createPages(services: AdminServices): Pages {
  const { surroundings, onUnforeseen } = services;
  const assets = readAssets();
  const answerView = async (ctx: RouterContext, view: View, query = ctx.URL.searchParams) => {
    const reader = readerOf(ctx, surroundings);
    const shown = await view({ params: ctx.params, query, reader, services });
    if (shown === undefined) throw notFound();
    answerShown(ctx, shown, reader, { assets, facts: await factsFor(ctx, services, reader) });
  };

  const router = new Router();
  for (const asset of [assets.style, assets.script]) router.get(asset.path, (ctx) => answerAsset(ctx, asset));
  for (const [path, view] of VIEWS) router.get(path, (ctx) => answerView(ctx, view));
  router.get('/deliveries/:id/message', (ctx) => answerDelivery(ctx, services));
  router.get('/playground/message', (ctx) => answerTriedMessage(ctx, services));
  router.post('/act/preferences', keepPreferences);
  // What is pasted is too long for an address.
  router.post('/playground', (ctx) => answerView(ctx, playgroundView, formOf(ctx)));
  routeActs(router, services);

  return {
    page: routed(router),
    drawFaults: async (ctx, next) => {
      try {
        await next();
        if (ctx.status === 404 && ctx.body === undefined) throw notFound();
      } catch (error) {
        if (ctx.accepts('json', 'html') !== 'html') throw error;
        if (error instanceof HttpProblem) ctx.set(error.details.headers ?? {});
        else if (!(error instanceof LedgerUnavailable)) onUnforeseen(error);
        const reader = readerOf(ctx, surroundings);
        // To whoever has passed no guard, nothing of ours is shown.
        const facts = formTokenOf(ctx) === undefined ? undefined : await factsFor(ctx, services, reader);
        answerShown(ctx, faultPage(error, reader), reader, { assets, facts });
      }
    },
  };
}

async function factsFor(ctx: Context, services: AdminServices, reader: Reader): Promise<ShellFacts> {
  const { surroundings, reloading, archive } = services;
  // A page that says that the ledger cannot be read needs no count.
  const open = await archive.openWork().catch(() => undefined);
  return {
    version: surroundings.version,
    processName: surroundings.processName,
    configHash: reloading.status.configHash,
    isConfigRefused: reloading.status.failure !== undefined,
    dead: open === undefined || open.dead.count === 0 ? undefined : countedText(open.dead, reader),
    flash: takeFlash(ctx),
  };
}

interface Frame {
  readonly assets: Assets;
  readonly facts: ShellFacts | undefined;
}

function answerShown(ctx: Context, shown: Shown, reader: Reader, { assets, facts }: Frame): void {
  ctx.status = shown.status ?? 200;
  ctx.set({ 'Content-Security-Policy': POLICY, Vary: 'Accept-Language, Cookie' });
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
