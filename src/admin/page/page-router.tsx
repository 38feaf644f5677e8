/** Maps paths to views, forms to actions, and errors to error pages. */
import { setImmediate } from 'node:timers/promises';
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { renderToString } from 'preact-render-to-string';
import { faultIn } from '../../callback/fault-words.ts';
import { HttpProblem, notFound } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import type { Actor } from '../../ledger/callbacks/history.ts';
import { readRedelivery, wholeNumberIn } from '../../people/filters.ts';
import {
  isDone,
  type Outcome,
  outcomeInWords,
  Refused,
  refusedOutcome,
  statusOf,
} from '../../people/outcomes.ts';
import { readForm } from '../body.ts';
import { actorOf } from '../password.ts';
import { routed } from '../routed.ts';
import type { AdminServices } from '../services.ts';
import { answerAsset, type Assets, readAssets } from './assets.ts';
import { showBot } from './bots/bot.tsx';
import { showBots } from './bots/bots.tsx';
import { showCallback } from './callbacks/callback.tsx';
import { showCallbacks } from './callbacks/callbacks.tsx';
import { type Flash, keepLanguage, keepName, leaveFlash, ownPath, returnTo, takeFlash } from './cookies.ts';
import { type Reader, ReaderContext, readerOf, type Shown, type View } from './reader.ts';
import { answerDelivery } from './message.tsx';
import { configView } from './operation/config.tsx';
import { incidentView } from './incidents/incidents.tsx';
import { deadView, dryRunView } from './operation/dead.tsx';
import { destinationsView } from './operation/destinations.tsx';
import { refusedView } from './operation/refused.tsx';
import { snoozesView } from './operation/snoozes.tsx';
import { answerTriedMessage, playgroundView } from './playground/playground.tsx';
import { Foreign } from './parts/text.tsx';
import { reportsView } from './reports/reports.tsx';
import { factsFor, numberNeeding, type OpenNow, type Section, Shell } from './shell.tsx';

/** No external resources, no script or style but Botbell's two files, no framing by other pages. */
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
  // A BOT may be called `..`, which no path can name.
  ['/bots', 'bots', showBot],
  ['/incidents/:id', 'bots', incidentView],
  ['/callbacks', 'callbacks', showCallbacks],
  ['/callbacks/:id', 'callbacks', showCallback],
  ['/reports', 'reports', reportsView],
  ['/dead', 'dead', deadView],
  ['/refused', 'refused', refusedView],
  ['/destinations', 'destinations', destinationsView],
  ['/snoozes', 'snoozes', snoozesView],
  ['/config', 'config', configView],
  ['/playground', 'playground', playgroundView],
  ['/redeliveries/new', 'dead', dryRunView],
];

/** Path patterns of all views, e.g. `/incidents/:id`. */
export const VIEW_PATHS = VIEWS.map(([path]) => path);

interface Asked extends Pick<AdminServices, 'people' | 'reloading'> {
  readonly form: URLSearchParams;
  /** A field of the form; '' if it is missing. */
  readonly text: (name: string) => string;
  /** The form's `id`; 0, which is no row's id, if it is missing or invalid. */
  readonly id: number;
  /** The form's `ids`, separated by blanks. */
  readonly ids: readonly number[];
  readonly actor: Actor;
  readonly reader: Reader;
}

/** @throws {Refused} */
type Act = (asked: Asked) => Promise<Outcome>;

const ACTS: Readonly<Record<string, Act>> = {
  redeliver: ({ id, text, actor, people }) => people.redeliver(id, actor, text('again') === '1'),
  dismiss: ({ id, actor, people }) => people.dismiss(id, actor),
  route: ({ id, actor, people }) => people.routeAnew(id, actor),
  async 'redeliver-all'({ form, text, actor, reader, people }) {
    const what = text('what') === 'dismissed' ? 'dismissed' : 'redelivered';
    const asOf = wholeNumberIn(text('as_of'));
    for (const name of ['what', 'as_of']) form.delete(name);
    return people.startBulk({ ...readRedelivery(form, reader).filter, asOf }, actor, what);
  },
  stop: ({ id, actor, people }) => people.stopBulk(id, actor),
  snooze({ text, actor, people }) {
    const until = text('time') || text('until');
    const of = { bot_id: text('bot_id'), destination: text('destination') };
    return people.snooze({ ...of, by: text('by'), because: text('because'), until }, actor);
  },
  'take-up': ({ ids, text, actor, people }) => {
    const fields = { by: text('by'), because: text('because'), quiet: text('quiet') === '1' };
    return people.takeUp(ids, fields, actor);
  },
  'give-back': ({ ids, actor, people }) => people.giveBack(ids, actor),
  close: ({ ids, actor, people }) => people.closeIncidents(ids, actor),
  'end-snooze': ({ id, actor, people }) => people.endSnooze(id, actor),
  test: ({ text, actor, reader, people }) => people.test(text('destination'), actor, reader.language),
  async reload({ actor: { user, from }, reloading }) {
    const result = await reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
    if (!result.isLoaded) throw new Refused({ name: 'not loaded' });
    const hash = result.configHash.slice(0, 12);
    return result.hasChanged ? { name: 'loaded', values: { hash } } : { name: 'unchanged' };
  },
};

/** Handles every path outside the API. A request that prefers HTML gets errors as pages, too. */
export function createPages(services: AdminServices): Middleware {
  const { surroundings, onUnforeseen } = services;
  const assets = readAssets();
  const answers = answering(services, assets);
  const routes = routed(createPageRouter(services, assets, answers));
  return async (ctx, next) => {
    try {
      await routes(ctx, next);
      if (ctx.status === 404 && ctx.body === undefined) throw notFound();
    } catch (error) {
      if (ctx.accepts('json', 'html') !== 'html') throw error;
      if (error instanceof HttpProblem) ctx.set(error.details.headers ?? {});
      else if (!(error instanceof LedgerUnavailable || error instanceof Refused)) onUnforeseen(error);
      const reader = readerOf(ctx, surroundings);
      await answers.answer(ctx, faultPage(error, reader), { reader, now: await openNow(services) });
    }
  };
}

function createPageRouter(services: AdminServices, assets: Assets, { show, act }: Answers): Router {
  const router = new Router();
  for (const asset of [assets.style, assets.script]) router.get(asset.path, (ctx) => answerAsset(ctx, asset));
  for (const [path, section, view] of VIEWS)
    router.get(path, (ctx) => show(ctx, view, section, ctx.URL.searchParams));
  router.get('/deliveries/:id/message', (ctx) => answerDelivery(ctx, services));
  router.get('/playground/message', (ctx) => answerTriedMessage(ctx, services));
  router.get('/language/:language', keepLanguage);
  // A callback pasted into the playground is too long for a URL.
  router.post('/playground', async (ctx) => show(ctx, playgroundView, 'playground', await readForm(ctx)));
  for (const each of Object.entries(ACTS)) {
    router.post(`/act/${each[0]}`, async (ctx) => act(ctx, each, await readForm(ctx)));
    // What was refused is shown under the act's address, which may be opened anew.
    router.get(`/act/${each[0]}`, (ctx) => returnTo(ctx, '/'));
  }
  return router;
}

type Answers = ReturnType<typeof answering>;

interface Around {
  readonly reader: Reader;
  readonly now: OpenNow;
  readonly section?: Section;
  readonly flash?: Flash | undefined;
}

let lastTurn: Promise<void> = Promise.resolve();

/** Gives each call its own turn of the event loop, so that callbacks are answered between pages, however many are drawn at once. */
function turn(): Promise<void> {
  return (lastTurn = lastTurn.then(() => setImmediate()));
}

/** If the ledger cannot be read, the view that needs it says so. */
async function openNow({ archive }: AdminServices) {
  const open = archive.openIncidents();
  const needing = await open.then(numberNeeding, () => 0);
  return { open, needing, counts: await archive.countOpen().catch(() => undefined) };
}

function answering(services: AdminServices, assets: Assets) {
  const { surroundings } = services;
  const answer = async (ctx: Context, shown: Shown, { reader, now, section, flash }: Around) => {
    await turn();
    const facts = factsFor(services, now);
    const props = { shown, section, assets, facts, flash: flash ?? takeFlash(ctx) };
    const page = <ReaderContext.Provider value={reader}>{<Shell {...props} />}</ReaderContext.Provider>;
    ctx.status = shown.status ?? 200;
    ctx.set({ 'Content-Security-Policy': POLICY, Vary: 'Accept-Language, Cookie' });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = `<!doctype html>${renderToString(page)}`;
  };
  const show = async (
    ctx: RouterContext,
    view: View,
    section: Section,
    query: URLSearchParams,
    flash?: Flash,
  ) => {
    const reader = readerOf(ctx, surroundings);
    const now = await openNow(services);
    const shown = await view({ params: ctx.params, query, reader, services, ...now });
    if (shown === undefined) throw notFound();
    const still = flash === undefined ? shown : { ...shown, isStill: true };
    await answer(ctx, still, { reader, now, section, flash });
  };
  /** Redirects, by default to the form's page, with the outcome as a message; a snooze that fails shows its form again as it was filled in. */
  const act = async (ctx: RouterContext, [name, action]: readonly [string, Act], form: URLSearchParams) => {
    const reader = readerOf(ctx, surroundings);
    // A page shown at once, with the form or an error, leads back to where the form stands.
    const back = (ctx.url = ownPath(form.get('back')));
    keepName(ctx, form.get('by'));
    form.delete('back');
    const text = (name: string) => form.get(name) ?? '';
    const id = wholeNumberIn(text('id')) ?? 0;
    const ids = text('ids')
      .split(' ')
      .flatMap((each) => wholeNumberIn(each) ?? []);
    const actor = actorOf(ctx, 'page');
    const acting = action({ ...services, form, text, id, ids, actor, reader });
    const subject = id || ids.join(' ');
    const outcome = await services.people.confirmed(name, actor, subject, acting).catch(failedOutcome);
    const kind = isDone(outcome) ? 'done' : 'failed';
    const flash = { kind, text: outcomeInWords(outcome, reader.language) } as const;
    if (kind === 'failed' && name === 'snooze') return show(ctx, snoozesView, 'snoozes', form, flash);
    leaveFlash(ctx, flash);
    returnTo(ctx, back);
  };
  return { answer, show, act };
}

/** @throws errors that no form of the page can cause */
function failedOutcome(error: unknown): Outcome {
  if (error instanceof LedgerUnavailable) return { name: 'store unwritten' };
  if (error instanceof Refused && error.outcome.name === 'query wrong') throw error;
  return refusedOutcome(error);
}

/** An error page: not found, an invalid request, an unavailable ledger, an unforeseen error. */
function faultPage(error: unknown, { t, here, language }: Reader): Shown {
  if (error instanceof LedgerUnavailable) {
    const again = <a href={here}>{t('unreadable.again')}</a>;
    return { status: 503, title: t('unreadable.title'), lead: t('unreadable.text'), facts: again };
  }
  if (error instanceof Refused) {
    const why = <Foreign text={outcomeInWords(error.outcome, language)} />;
    return { status: statusOf(error.outcome), title: t('refusedRequest'), facts: why };
  }
  if (!(error instanceof HttpProblem))
    return { status: 500, title: t('unforeseen.title'), lead: t('unforeseen.text') };
  const { status, detail } = error.details;
  if (status !== 404)
    return { status, title: t('refusedRequest'), facts: <Foreign text={faultIn(detail, language)} /> };
  const home = <a href="/">{t('notFound.home')}</a>;
  return { status, title: t('notFound.title'), lead: t('notFound.text'), facts: home };
}
