/** Growth as Markdown: cost by size, each with its limit. */
import type { Growth, Variant } from './growth.ts';
import { grouped, table } from './markdown.ts';
import { verdict } from './report-comparison.ts';
import { median } from './statistics.ts';

/** How much more a notification may cost than with the smallest size. */
const MOST = { ledger: [1.1], routes: [1.1, 1.25] } as const;

export function growthTables({ ages, ledgers, routes }: Growth): string {
  return [
    sizeTable('callbacks in the ledger', ledgers, MOST.ledger),
    sizeTable('routes', routes, MOST.routes),
    table(
      ['callbacks taken by one process', 'resident MB'],
      ages.map(({ callbacks, residentMb }) => [grouped(callbacks), grouped(residentMb)]),
    ),
  ].join('\n\n');
}

function sizeTable(what: string, [first, ...others]: readonly Variant[], most: readonly number[]): string {
  if (first === undefined) return '';
  const head = [
    what,
    'CPU µs per notification',
    'growth',
    'limit',
    'verdict',
    'resident MB',
    'first answer ms',
  ];
  const rows = [
    row(first, []),
    ...others.map((each, index) => row(each, growthCells(each, first, most[index] ?? 1))),
  ];
  return table(head, rows);
}

function row({ size, windows, residentMb, firstAnswerMs }: Variant, growth: readonly string[]): string[] {
  const [ratio = '', limit = '', reached = ''] = growth;
  const memory = [grouped(median(residentMb)), grouped(median(firstAnswerMs))];
  return [grouped(size), grouped(median(windows)), ratio, limit, reached, ...memory];
}

/** The median of the ratios within one turn: what slows a turn down slows both. */
function growthCells(variant: Variant, first: Variant, most: number): string[] {
  const ratio = median(variant.windows.map((cost, turn) => cost / (first.windows[turn] ?? Number.NaN)));
  return [`${ratio.toFixed(2)}×`, `${most.toFixed(2)}×`, verdict(ratio <= most)];
}
