/** What a page hands out as a file: a callback as it came, and the figures of its plots. */
import type { Context } from 'koa';
import type { AdminServices } from '../services.ts';
import { csvOf } from './plots/csv.ts';
import { readPlots } from './plots/plots.tsx';
import { readerOf } from './reader.ts';
import { idIn } from './view.ts';

/** Left as a 404 where it is not there. */
export async function downloadBody(
  ctx: Context,
  id: string | undefined,
  { archive }: AdminServices,
): Promise<void> {
  const known = idIn(id);
  const body = known === undefined ? undefined : await archive.body(known);
  if (body === undefined) return;
  ctx.attachment(`callback-${known}.json`);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = Buffer.from(body);
}

/** By names that no language changes, in seconds. */
const COLUMNS = ['day', 'succeeded', 'failed', 'started', 'mean_s', 'running_s', 'retries', 'retries_s'];

export async function downloadFigures(ctx: Context, services: AdminServices): Promise<void> {
  const reader = readerOf(ctx, services.surroundings);
  const { figures } = await readPlots({ query: ctx.URL.searchParams, reader, services });
  const rows = figures.map((each) => [
    each.day,
    each.succeeded,
    each.failed,
    each.started,
    each.meanSeconds === undefined ? '' : Math.round(each.meanSeconds),
    each.spentSeconds,
    each.retries,
    each.retrySeconds,
  ]);
  ctx.attachment('botbell-days.csv');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = csvOf([COLUMNS, ...rows]);
}
