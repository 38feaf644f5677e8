/** Views and POSTs as Markdown. */
import { grouped, table } from '../markdown.ts';
import { verdict } from '../report-comparison.ts';
import type { InUse, PostFigures } from './in-use.ts';
import type { VisitFigures } from './visits.ts';

/** What a view may take, in milliseconds. */
export const LONGEST_VIEW_MS = 100;

export function visitTable(visits: readonly VisitFigures[]): string {
  const head = [
    'view',
    'median ms',
    'p95 ms',
    'longest turn of the event loop, ms',
    'KB',
    `p95 below ${LONGEST_VIEW_MS} ms`,
  ];
  return table(
    head,
    visits.map(({ what, path, median, p95, longestTurn, bytes, status }) => [
      `${what} \`${path}\``,
      median.toFixed(1),
      p95.toFixed(1),
      longestTurn.toFixed(1),
      grouped(bytes / 1000),
      status === 200 ? verdict(p95 < LONGEST_VIEW_MS) : `answered ${status}`,
    ]),
  );
}

export function inUseTable({ alone, inUse, views }: InUse): string {
  const row = (what: string, { p50, p99, p999 }: PostFigures) => [
    what,
    ...[p50, p99, p999].map((ms) => ms.toFixed(1)),
  ];
  return table(
    ['POSTs at 300 a second', 'p50 ms', 'p99 ms', 'p99.9 ms'],
    [
      row('nobody at the page', alone),
      row(`somebody at the page (${grouped(views)} views meanwhile)`, inUse),
    ],
  );
}
