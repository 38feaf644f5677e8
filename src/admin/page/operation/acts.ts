/** What people do from the page: each form is answered by the way back to where it stood, with what came of it. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import type { ActionRequest } from '../../../ledger/actions/actions.ts';
import { actorOf } from '../../actor.ts';
import { formOf } from '../../form-token.ts';
import type { AdminServices } from '../../services.ts';
import { type Flash, leaveFlash } from '../cookies.ts';
import { returnTo } from '../posted-form.ts';
import { type Reader, readerOf } from '../reader.ts';
import { idIn } from '../view.ts';
import { ACT_WORDS } from '../words/acts.ts';
import { bulkFilterIn, bulkKindIn, dryRunPath } from './bulk-request.ts';

/** What came of it, and where that is shown; undefined: where the form stood. */
interface Outcome {
  readonly flash: Flash | undefined;
  readonly to?: string;
}

interface ActRequest {
  readonly form: URLSearchParams;
  readonly request: ActionRequest;
  readonly reader: Reader;
  readonly services: AdminServices;
}

type Act = (act: ActRequest) => Promise<Outcome>;

const ACTS: Readonly<Record<string, Act>> = {
  redeliver,
  dismiss,
  route: routeAnew,
  'redeliver-all': redeliverAll,
  stop,
  test,
  reload,
};

const LONGEST_NOTE = 500;

export function routeActs(router: Router, services: AdminServices): void {
  for (const [name, act] of Object.entries(ACTS)) {
    router.post(`/act/${name}`, (ctx) => answerAct(ctx, act, services));
  }
}

async function answerAct(ctx: Context, act: Act, services: AdminServices): Promise<void> {
  const form = formOf(ctx);
  const reader = readerOf(ctx, services.surroundings);
  const note = form.get('note')?.trim() ?? '';
  const request: ActionRequest = {
    actor: actorOf(ctx, 'page'),
    note: note === '' ? undefined : note.slice(0, LONGEST_NOTE),
  };
  const outcome = await act({ form, request, reader, services }).catch((error: unknown): Outcome => {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return failed(ACT_WORDS[reader.language].unavailable);
  });
  if (outcome.flash !== undefined) leaveFlash(ctx, outcome.flash);
  returnTo(ctx, outcome.to ?? form.get('back'));
}

function done(text: string, to?: string): Outcome {
  return { flash: { kind: 'done', text }, ...(to !== undefined && { to }) };
}

function failed(text: string, to?: string): Outcome {
  return { flash: { kind: 'failed', text }, ...(to !== undefined && { to }) };
}

async function redeliver({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language];
  const id = idIn(form.get('delivery'));
  if (id === undefined) return failed(words.unreadable);
  const result = await services.operations.redeliver(id, request, form.get('again') === '1');
  if (result !== 'accepted' && result !== 'delivered') return failed(words.redeliver[result]);
  const found = await services.archive.delivery(id).catch(() => undefined);
  const text = words.redeliver[result](found?.delivery.destination ?? words.thisDestination);
  return result === 'accepted' ? done(text) : failed(text);
}

async function dismiss({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language];
  const id = idIn(form.get('delivery'));
  if (id === undefined) return failed(words.unreadable);
  const result = await services.operations.dismiss(id, request);
  return result === 'dismissed' ? done(words.dismiss.dismissed) : failed(words.dismiss[result]);
}

async function routeAnew({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language];
  const id = idIn(form.get('callback'));
  if (id === undefined) return failed(words.unreadable);
  const routed = await services.operations.routeAnew(id, request);
  if (routed === undefined) return failed(words.route.unknown);
  if (routed === 'superseded') return failed(words.route.superseded);
  if (routed.told.length > 0) return done(words.route.told(routed.told.join(words.and)));
  if (routed.untouched.length === 0) return failed(words.route.nobody);
  return done(words.route.untouched(routed.untouched.join(words.and)));
}

/** Without being confirmed, it leads to what it would come to. */
async function redeliverAll({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language];
  const read = bulkFilterIn(form, reader);
  const what = bulkKindIn(form.get('what'));
  if (!read.isGood || what === undefined || form.get('confirmed') !== '1')
    return { flash: undefined, to: dryRunPath(form) };
  const bulk = await services.operations.startBulk(read.filter, request, what);
  return done(words.bulk[bulk.what], `/redeliveries/${bulk.id}`);
}

async function stop({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language];
  const id = idIn(form.get('bulk'));
  const bulk = id === undefined ? undefined : await services.operations.stopBulk(id, request);
  if (bulk === undefined) return failed(words.bulk.unknown);
  return bulk.state === 'done' ? failed(words.bulk.over) : done(words.bulk.stopped);
}

async function test({ form, request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language].test;
  const result = await services.operations.test(
    form.get('destination') ?? '',
    request.actor,
    reader.language,
  );
  if (result === undefined) return failed(words.unknown);
  const { destination, durationMs } = result;
  return result.isDelivered
    ? done(words.delivered(destination, result.words, reader.formats.duration(durationMs)))
    : failed(words.failed(destination, result.words));
}

async function reload({ request, reader, services }: ActRequest): Promise<Outcome> {
  const words = ACT_WORDS[reader.language].reload;
  const { user, from } = request.actor;
  const result = await services.reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
  if (!result.isLoaded) {
    const errors = result.problems.filter(({ severity }) => severity === 'error');
    return failed(words.refused(errors.length));
  }
  if (!result.hasChanged) return done(words.same);
  const unchanged = result.unchanged.length === 0 ? '' : words.unchanged(result.unchanged.join(', '));
  return done(words.loaded(result.configHash.slice(0, 12)) + unchanged);
}
