/** What people do from the page: each form is answered by the way back to where it stood, with what came of it. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { ActionRequest } from '../../../ledger/actions/actions.ts';
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import { actorOf } from '../../actor.ts';
import { refusalOf } from '../../parameters.ts';
import { formOf } from '../../form-token.ts';
import type { AdminServices } from '../../services.ts';
import { type Flash, leaveFlash, returnTo } from '../cookies.ts';
import { type Reader, readerOf } from '../reader.ts';
import { idIn } from '../view.ts';
import { bulkFilterIn, bulkKindIn } from './bulk-request.ts';

/** What came of it; `to`: where that is shown, default: where the form stood. */
type Outcome = Flash & { readonly to?: string };

interface ActRequest {
  readonly form: URLSearchParams;
  /** The number that the form names what is meant by; 0, which nothing has: none. */
  readonly id: number;
  readonly request: ActionRequest;
  readonly reader: Reader;
  readonly services: AdminServices;
}

type Act = (act: ActRequest) => Promise<Outcome>;

/** By their paths, and the field that names what is meant. */
const ACTS: readonly (readonly [path: string, act: Act, subject: string])[] = [
  ['redeliver', redeliver, 'delivery'],
  ['dismiss', dismiss, 'delivery'],
  ['route', routeAnew, 'callback'],
  ['redeliver-all', redeliverAll, ''],
  ['stop', stop, 'bulk'],
  ['see-refused', seeRefused, 'refused'],
  ['test', test, ''],
  ['reload', reload, ''],
];

const LONGEST_NOTE = 500;

export function routeActs(router: Router, services: AdminServices): void {
  for (const [path, act, subject] of ACTS) {
    router.post(`/act/${path}`, (ctx) => answerAct(ctx, { act, subject }, services));
  }
}

async function answerAct(
  ctx: Context,
  { act, subject }: { readonly act: Act; readonly subject: string },
  services: AdminServices,
): Promise<void> {
  const form = formOf(ctx);
  const reader = readerOf(ctx, services.surroundings);
  const request: ActionRequest = {
    actor: actorOf(ctx, 'page'),
    note: form.get('note')?.trim().slice(0, LONGEST_NOTE) || undefined,
  };
  const id = idIn(form.get(subject)) ?? 0;
  const outcome = await act({ form, id, request, reader, services }).catch((error: unknown): Outcome => {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return { kind: 'failed', text: reader.t('act.unavailable') };
  });
  leaveFlash(ctx, outcome);
  returnTo(ctx, outcome.to ?? form.get('back'));
}

async function redeliver({ form, id, request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  const result = await services.operations.redeliver(id, request, form.get('again') === '1');
  if (result === 'unknown') return { kind: 'failed', text: t('act.unknown') };
  return { kind: result === 'accepted' ? 'done' : 'failed', text: t(`act.redeliver.${result}`) };
}

async function dismiss({ id, request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  const result = await services.operations.dismiss(id, request);
  if (result === 'unknown') return { kind: 'failed', text: t('act.unknown') };
  return { kind: result === 'dismissed' ? 'done' : 'failed', text: t(`act.dismiss.${result}`) };
}

async function routeAnew({ id, request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  const routed = await services.operations.routeAnew(id, request);
  if (routed === undefined) return { kind: 'failed', text: t('act.unknown') };
  if (routed === 'superseded') return { kind: 'failed', text: t('act.redeliver.superseded') };
  const [told, untouched] = [routed.told, routed.untouched].map((names) => names.join(', '));
  if (told) return { kind: 'done', text: t('act.route.told', { destinations: told }) };
  if (untouched) return { kind: 'done', text: t('act.route.untouched', { destinations: untouched }) };
  return { kind: 'failed', text: t('act.route.nobody') };
}

async function redeliverAll({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const read = bulkFilterIn(form, reader);
  if (!read.isGood) throw refusalOf(read.problems);
  const what = bulkKindIn(form);
  const bulk = await services.operations.startBulk(read.filter, request, what);
  return { kind: 'done', text: reader.t(`act.bulk.${bulk.what}`), to: `/redeliveries/${bulk.id}` };
}

async function stop({ id, request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  const bulk = await services.operations.stopBulk(id, request);
  if (bulk === undefined) return { kind: 'failed', text: t('act.unknown') };
  return bulk.state === 'stopped'
    ? { kind: 'done', text: t('act.bulk.stopped') }
    : { kind: 'failed', text: t('act.bulk.over') };
}

async function seeRefused({ id, request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  await services.operations.seeRefused(id, request);
  return { kind: 'done', text: t('act.seen') };
}

async function test({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const { t, language, formats } = reader;
  const asked = form.get('destination') ?? '';
  const result = await services.operations.test(asked, request.actor, language);
  if (result === undefined) return { kind: 'failed', text: t('act.test.unknown') };
  const { destination, words, isDelivered, durationMs } = result;
  if (!isDelivered) return { kind: 'failed', text: t('act.test.failed', { destination, words }) };
  const time = formats.duration(durationMs);
  return { kind: 'done', text: t('act.test.delivered', { destination, words, time }) };
}

async function reload({ request, reader: { t }, services }: ActRequest): Promise<Outcome> {
  const { user, from } = request.actor;
  const result = await services.reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
  if (!result.isLoaded) {
    const number = result.problems.filter(({ severity }) => severity === 'error').length;
    return { kind: 'failed', text: t('act.reload.refused', { number }) };
  }
  if (!result.hasChanged) return { kind: 'done', text: t('act.reload.same') };
  const loaded = t('act.reload.loaded', { hash: result.configHash.slice(0, 12) });
  const what = result.unchanged.join(', ');
  return { kind: 'done', text: what ? `${loaded} ${t('act.reload.unchanged', { what })}` : loaded };
}
