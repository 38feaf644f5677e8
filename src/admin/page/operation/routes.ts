/** What the page answers beside its views: what people do, frames, downloads. */
import type { Router } from '@koa/router';
import type { AdminServices } from '../../services.ts';
import type { View } from '../view.ts';
import { answerTriedMessage, playgroundView } from '../playground/playground.tsx';
import { routeActs } from './acts.ts';
import { configView } from './config.tsx';
import { deadView } from './dead.tsx';
import { answerMessage } from './delivery.ts';
import { destinationsView } from './destinations.tsx';
import { dryRunView } from './dry-run.tsx';
import { redeliveriesView, redeliveryView } from './redeliveries.tsx';
import { answerRefusedBody, refusedView } from './refused.tsx';

export const OPERATION_VIEWS: readonly (readonly [path: string, view: View])[] = [
  ['/dead', deadView],
  ['/refused', refusedView],
  ['/destinations', destinationsView],
  ['/config', configView],
  ['/playground', playgroundView],
  ['/redeliveries', redeliveriesView],
  ['/redeliveries/new', dryRunView],
  ['/redeliveries/:id', redeliveryView],
];

export function routeOperations(router: Router, services: AdminServices): void {
  routeActs(router, services);
  router.get('/deliveries/:id/message', (ctx) => answerMessage(ctx, ctx.params['id'], services));
  router.get('/refused/:id/body', (ctx) => answerRefusedBody(ctx, services.archive, ctx.params['id']));
  router.get('/playground/message', (ctx) => answerTriedMessage(ctx, services));
}
