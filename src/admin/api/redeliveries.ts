/** `/api/redeliver`, `/api/dismiss` and `/api/redeliveries`: all that a filter matches, and how far that is. */
import type { Router, RouterContext } from '@koa/router';
import type { BulkKind, BulkRedelivery } from '../../ledger/actions/actions.ts';
import { readRedelivery } from '../filters.ts';
import { actorOf } from '../password.ts';
import type { ApiServices } from '../services.ts';
import { filterContext, FLAG, idIn, parametersIn, unknownId } from './asked.ts';
import { bulkShape, tallyShape } from './shapes.ts';

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
    answer(ctx, 202, await operations.stopBulk(id, actorOf(ctx, 'api')));
  });
}

async function start(
  ctx: RouterContext,
  what: BulkKind,
  { operations, surroundings }: ApiServices,
): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const { filter, values } = readRedelivery(query, filterContext(surroundings), { dry_run: FLAG });
  if (values.dry_run === true) {
    ctx.body = tallyShape(await operations.tally(filter), surroundings.now());
    return;
  }
  const bulk = await operations.startBulk(filter, actorOf(ctx, 'api'), what);
  ctx.set('Location', `/api/redeliveries/${bulk.id}`);
  answer(ctx, 202, bulk);
}

function answer(ctx: RouterContext, status: 200 | 202, bulk: BulkRedelivery | undefined): void {
  if (bulk === undefined) throw unknownId();
  ctx.status = status;
  ctx.body = bulkShape(bulk);
}
