/** What people do from the page: each form is answered by the way back to where it stood, with what came of it. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { Actor } from '../../../ledger/history.ts';
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import { readSnoozeEnd } from '../../../signal/snooze.ts';
import { cleanText } from '../../../text/clean.ts';
import { shortText } from '../../../text/cut.ts';
import { wholeNumberIn } from '../../filters.ts';
import { formOf } from '../../form-token.ts';
import { actorOf } from '../../password.ts';
import type { AdminServices } from '../../services.ts';
import { type Flash, leaveFlash, returnTo } from '../cookies.ts';
import { pathTo } from '../parts/text.tsx';
import { type Reader, readerOf } from '../reader.ts';
import { bulkIn } from './redeliver.tsx';

/** What came of it; `to`: where that is shown, default: where the form stood. */
type Outcome = Flash & { readonly to?: string };

interface ActRequest extends Pick<AdminServices, 'operations' | 'reloading'> {
  readonly form: URLSearchParams;
  /** What the form is about; 0, which nothing has: none. */
  readonly id: number;
  readonly actor: Actor;
  readonly reader: Reader;
}

type Act = (act: ActRequest) => Promise<Outcome>;

/** Characters of a field. */
const LONGEST_TEXT = 1000;

/** By the last part of their paths. */
const ACTS: Readonly<Record<string, Act>> = {
  redeliver,
  dismiss,
  route,
  'redeliver-all': redeliverAll,
  stop,
  'see-refused': seeRefused,
  snooze,
  'end-snooze': endSnooze,
  test,
  reload,
};

export function routeActs(router: Router, services: AdminServices): void {
  for (const [name, act] of Object.entries(ACTS))
    router.post(`/act/${name}`, (ctx) => answerAct(ctx, act, services));
}

async function answerAct(ctx: Context, act: Act, services: AdminServices): Promise<void> {
  const { operations, reloading, surroundings } = services;
  const form = formOf(ctx);
  const reader = readerOf(ctx, surroundings);
  const actor = actorOf(ctx, 'page');
  const id = wholeNumberIn(form.get('id')) ?? 0;
  const outcome = await act({ form, id, actor, reader, operations, reloading }).catch((error: unknown) => {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return failed(reader.t('act.unavailable'));
  });
  leaveFlash(ctx, outcome);
  returnTo(ctx, outcome.to ?? form.get('back'));
}

function done(text: string): Outcome {
  return { kind: 'done', text };
}

function failed(text: string): Outcome {
  return { kind: 'failed', text };
}

async function redeliver({ form, id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  const result = await operations.redeliver(id, actor, form.get('again') === '1');
  if (result === 'unknown') return failed(t('act.unknown'));
  return result === 'accepted' ? done(t('act.redeliver.accepted')) : failed(t(`act.redeliver.${result}`));
}

async function dismiss({ id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  const result = await operations.dismiss(id, actor);
  if (result === 'unknown') return failed(t('act.unknown'));
  return result === 'dismissed' ? done(t('act.dismiss.dismissed')) : failed(t(`act.dismiss.${result}`));
}

async function route({ id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  const routed = await operations.routeAnew(id, actor);
  if (routed === undefined) return failed(t('act.unknown'));
  if (routed === 'superseded') return failed(t('act.redeliver.superseded'));
  const [told, untouched] = [routed.told, routed.untouched].map((names) => names.join(', '));
  if (told) return done(t('act.route.told', { destinations: told }));
  if (untouched) return done(t('act.route.untouched', { destinations: untouched }));
  return failed(t('act.route.nobody'));
}

async function redeliverAll({ form, actor, reader, operations }: ActRequest): Promise<Outcome> {
  const { filter, what } = bulkIn(form, reader);
  const { id } = await operations.startBulk(filter, actor, what);
  return { ...done(reader.t(`act.bulk.${what}`)), to: `/redeliveries/${id}` };
}

async function stop({ id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  const bulk = await operations.stopBulk(id, actor);
  if (bulk === undefined) return failed(t('act.unknown'));
  return bulk.state === 'stopped' ? done(t('act.bulk.stopped')) : failed(t('act.bulk.over'));
}

async function seeRefused({ id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  await operations.seeRefused(id, actor);
  return done(t('act.seen'));
}

/** What was filled in wrongly is there again to be mended. */
async function snooze({ form, actor, reader, operations }: ActRequest): Promise<Outcome> {
  const { t, now, timezone } = reader;
  const fields = ['bot_id', 'destination', 'until', 'time', 'because'] as const;
  const given = fields.map(
    (name) => [name, shortText(cleanText(form.get(name) ?? '').trim(), LONGEST_TEXT)] as const,
  );
  const asked = Object.fromEntries(given);
  const [botId, destination] = [asked['bot_id'] || undefined, asked['destination'] || undefined];
  const to = pathTo(['snoozes'], asked);
  if ((botId ?? destination) === undefined) return { ...failed(t('act.snooze.nothing')), to };
  const end = readSnoozeEnd(asked['time'] || asked['until'] || '', { now, timezone });
  if (end === undefined) return { ...failed(t('act.snooze.past')), to };
  if (end.untilSuccess && botId === undefined) return { ...failed(t('act.snooze.whose')), to };
  const isUnknown = operations.unknownDestination(destination) !== undefined;
  if (isUnknown) return { ...failed(t('act.snooze.unknown')), to };
  await operations.snooze({ botId, destination, ...end, because: asked['because'] ?? '', actor });
  return { ...done(t('act.snooze.begun')), to: '/snoozes' };
}

async function endSnooze({ id, actor, reader: { t }, operations }: ActRequest): Promise<Outcome> {
  const hasEnded = await operations.endSnooze(id, actor);
  return hasEnded ? done(t('act.snooze.ended')) : failed(t('act.unknown'));
}

async function test({ form, actor, reader, operations }: ActRequest): Promise<Outcome> {
  const { t, language, formats } = reader;
  const result = await operations.test(form.get('destination') ?? '', actor, language);
  if (result === undefined) return failed(t('act.test.unknown'));
  const { destination, words, isDelivered, durationMs } = result;
  if (!isDelivered) return failed(t('act.test.failed', { destination, words }));
  return done(t('act.test.delivered', { destination, words, time: formats.duration(durationMs) }));
}

async function reload({ actor, reader: { t }, reloading }: ActRequest): Promise<Outcome> {
  const { user, from } = actor;
  const result = await reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
  if (!result.isLoaded) {
    const number = result.problems.filter(({ severity }) => severity === 'error').length;
    return failed(t('act.reload.refused', { number }));
  }
  if (!result.hasChanged) return done(t('act.reload.same'));
  const loaded = t('act.reload.loaded', { hash: result.configHash.slice(0, 12) });
  const what = result.unchanged.join(', ');
  return done(what ? `${loaded} ${t('act.reload.unchanged', { what })}` : loaded);
}
