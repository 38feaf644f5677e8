/** `/api/redeliver`, `/api/dismiss` and `/api/redeliveries`: all that a filter matches, and how far that is. */
import type { Router, RouterContext } from '@koa/router';
import type { BulkKind, BulkRedelivery } from '../../ledger/actions/actions.ts';
import { readRedeliveryFilter } from '../filters.ts';
import { refuseParameters } from '../parameters.ts';
import type { ApiServices } from '../services.ts';
import { actionRequestIn, filterContext, FLAG, idIn, parametersIn, unknownId } from './asked.ts';
import { bulkShape, tallyShape } from './shapes.ts';

const DRY_RUN = 'dry_run';

export function addRedeliveries(router: Router, services: ApiServices): void {
  const { operations } = services;
  router.post('/api/redeliver', (ctx) => start(ctx, 'redelivered', services));
  router.post('/api/dismiss', (ctx) => start(ctx, 'dismissed', services));
  router.get('/api/redeliveries', async (ctx) => {
    parametersIn(ctx, {});
    ctx.body = { items: (await operations.bulks()).map(bulkShape) };
  });
  router.get('/api/redeliveries/:id', async (ctx) => {
    parametersIn(ctx, {});
    answer(ctx, 200, await operations.bulk(idIn(ctx.params['id'])));
  });
  router.post('/api/redeliveries/:id/stop', async (ctx) => {
    parametersIn(ctx, {});
    const id = idIn(ctx.params['id']);
    answer(ctx, 202, await operations.stopBulk(id, await actionRequestIn(ctx)));
  });
}

async function start(
  ctx: RouterContext,
  what: BulkKind,
  { operations, surroundings }: ApiServices,
): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const asked = readRedeliveryFilter(query, { ...filterContext(surroundings), besides: [DRY_RUN] });
  const isDryRun = FLAG.read(query.get(DRY_RUN)?.trim() ?? 'false');
  const wrongFlag = isDryRun === undefined ? [{ parameter: DRY_RUN, detail: FLAG.rule }] : [];
  refuseParameters([...(asked.isGood ? [] : asked.problems), ...wrongFlag]);
  if (!asked.isGood) return;
  const request = await actionRequestIn(ctx);
  if (isDryRun === true) {
    ctx.body = tallyShape(await operations.tally(asked.filter), surroundings.now());
    return;
  }
  const bulk = await operations.startBulk(asked.filter, request, what);
  ctx.set('Location', `/api/redeliveries/${bulk.id}`);
  answer(ctx, 202, bulk);
}

function answer(ctx: RouterContext, status: 200 | 202, bulk: BulkRedelivery | undefined): void {
  if (bulk === undefined) throw unknownId();
  ctx.status = status;
  ctx.body = bulkShape(bulk);
}
