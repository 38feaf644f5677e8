/** Handles the page's forms: performs the action and redirects, by default to the form's page, with the result as a message. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { Actor } from '../../../ledger/history.ts';
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import { readRedelivery, wholeNumberIn } from '../../filters.ts';
import { formOf } from '../../form-token.ts';
import { actorOf } from '../../password.ts';
import type { AdminServices } from '../../services.ts';
import { readSnooze } from '../../snooze-request.ts';
import { leaveFlash, returnTo } from '../cookies.ts';
import { pathTo } from '../parts/text.tsx';
import { type Reader, readerOf } from '../reader.ts';

/** The result, and the page to show it on; by default the form's page. */
type Outcome = readonly [isDone: boolean, text: string, to?: string];

interface ActRequest extends Pick<AdminServices, 'operations' | 'reloading'> {
  readonly form: URLSearchParams;
  /** The form's `id`; 0, which is no row's id, if it is missing or invalid. */
  readonly id: number;
  readonly actor: Actor;
  readonly reader: Reader;
}

type Act = (act: ActRequest) => Promise<Outcome>;

/** Actions by the last part of their paths. */
const ACTS: Readonly<Record<string, Act>> = {
  async redeliver({ form, id, actor, reader: { t }, operations }) {
    const result = await operations.redeliver(id, actor, form.get('again') === '1');
    if (result === 'unknown') return [false, t('act.unknown')];
    return [result === 'accepted', t(`act.redeliver.${result}`)];
  },
  async dismiss({ id, actor, reader: { t }, operations }) {
    const result = await operations.dismiss(id, actor);
    if (result === 'unknown') return [false, t('act.unknown')];
    return [result === 'dismissed', t(`act.dismiss.${result}`)];
  },
  async route({ id, actor, reader: { t }, operations }) {
    const routed = await operations.routeAnew(id, actor);
    if (routed === undefined) return [false, t('act.unknown')];
    if (routed === 'superseded') return [false, t('act.redeliver.superseded')];
    const destinations = routed.told.join(', ');
    return destinations === ''
      ? [false, t('act.route.nobody')]
      : [true, t('act.route.told', { destinations })];
  },
  async 'redeliver-all'({ form, actor, reader, operations }) {
    const what = form.get('what') === 'dismissed' ? 'dismissed' : 'redelivered';
    form.delete('what');
    const { filter } = readRedelivery(form, reader, {});
    await operations.startBulk(filter, actor, what);
    return [true, reader.t(`act.bulk.${what}`), '/dead'];
  },
  async stop({ id, actor, reader: { t }, operations }) {
    const bulk = await operations.stopBulk(id, actor);
    if (bulk === undefined) return [false, t('act.unknown')];
    return [true, t('act.bulk.stopped')];
  },
  async 'see-refused'({ id, actor, reader: { t }, operations }) {
    await operations.seeRefused(id, actor);
    return [true, t('act.seen')];
  },
  /** On an error, the form is shown again with its values. */
  async snooze({ form, actor, reader, operations }) {
    const textOf = (name: string) => form.get(name) ?? '';
    const [bot_id, destination, because] = [textOf('bot_id'), textOf('destination'), textOf('because')];
    const until = textOf('time') || textOf('until');
    const asked = readSnooze({ bot_id, destination, because, until }, reader);
    const again = pathTo(['snoozes'], Object.fromEntries(form));
    if (typeof asked === 'string') return [false, reader.t(`act.snooze.${asked}`), again];
    if (operations.unknownDestination(asked.destination) !== undefined)
      return [false, reader.t('act.unknown destination'), again];
    await operations.snooze({ ...asked, actor });
    return [true, reader.t('act.snooze.begun'), '/snoozes'];
  },
  async 'end-snooze'({ id, actor, reader: { t }, operations }) {
    const hasEnded = await operations.endSnooze(id, actor);
    return [hasEnded, t(hasEnded ? 'act.snooze.ended' : 'act.unknown')];
  },
  async test({ form, actor, reader, operations }) {
    const { t, language, formats } = reader;
    const result = await operations.test(form.get('destination') ?? '', actor, language);
    if (result === undefined) return [false, t('act.unknown destination')];
    const { destination, words, isDelivered, durationMs } = result;
    if (!isDelivered) return [false, t('act.test.failed', { destination, words })];
    return [true, t('act.test.delivered', { destination, words, time: formats.duration(durationMs) })];
  },
  async reload({ actor, reader: { t }, reloading }) {
    const { user, from } = actor;
    const result = await reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
    if (!result.isLoaded) return [false, t('config refused')];
    if (!result.hasChanged) return [true, t('act.reload.same')];
    return [true, t('act.reload.loaded', { hash: result.configHash.slice(0, 12) })];
  },
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
  const back = form.get('back');
  form.delete('back');
  const id = wholeNumberIn(form.get('id')) ?? 0;
  const [isDone, text, to] = await act({ form, id, actor, reader, operations, reloading }).catch(
    (error: unknown): Outcome => {
      if (!(error instanceof LedgerUnavailable)) throw error;
      return [false, reader.t('act.unavailable')];
    },
  );
  leaveFlash(ctx, { kind: isDone ? 'done' : 'failed', text });
  returnTo(ctx, to ?? back);
}
