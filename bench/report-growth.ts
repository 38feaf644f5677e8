/** Growth as Markdown: cost by size, each with its limit. */
import type { Forgetting, Growth, Variant } from './growth.ts';
import type { JobCost } from './long-jobs.ts';
import { grouped, table } from './markdown.ts';
import { verdict } from './report-comparison.ts';
import { median } from './statistics.ts';
import { MOST_GROWTH } from './targets.ts';

export function growthTables({ ages, ledgers, routes, forgetting, jobs }: Growth): string {
  return [
    sizeTable('callbacks in the ledger', ledgers, MOST_GROWTH.ledger),
    startTable(ledgers),
    forgettingTable(forgetting),
    jobTable(jobs),
    sizeTable('routes', routes, MOST_GROWTH.routes),
    table(
      ['callbacks taken by one process', 'resident MB'],
      ages.map(({ callbacks, residentMb }) => [grouped(callbacks), grouped(residentMb)]),
    ),
  ].join('\n\n');
}

const RATIO = ['growth', 'limit', 'verdict'];

function startTable(ledgers: readonly Variant[]): string {
  const times = ledgers.map(({ size, firstAnswerMs }) => [size, firstAnswerMs] as const);
  return ratioTable(['callbacks in the ledger', 'first answer ms', ...RATIO], times, MOST_GROWTH.start);
}

function forgettingTable(forgetting: readonly Forgetting[]): string {
  const costs = forgetting.map(({ callbacks, micros }) => [callbacks, micros] as const);
  const head = ['callbacks in the ledger', 'CPU µs for each that is forgotten', ...RATIO];
  return ratioTable(head, costs, MOST_GROWTH.retention);
}

function jobTable(jobs: readonly JobCost[]): string {
  const costs = jobs.map(({ place, cpuMicros }) => [place, [cpuMicros]] as const);
  return ratioTable(['callback of its job', 'CPU µs per notification', ...RATIO], costs, MOST_GROWTH.job);
}

/** Figures round by round; the median of the ratios within one round. */
function ratioTable(
  head: readonly string[],
  sizes: readonly (readonly [size: number, figures: readonly number[]])[],
  most: number,
): string {
  const [, first = []] = sizes[0] ?? [];
  const rows = sizes.map(([size, figures], index) => {
    const cells = [grouped(size), grouped(median(figures))];
    return index === 0 ? cells : [...cells, ...ratioCells(figures, first, most)];
  });
  return table(head, rows);
}

function ratioCells(figures: readonly number[], first: readonly number[], most: number): string[] {
  const ratio = median(figures.map((figure, round) => figure / (first[round] ?? Number.NaN)));
  return [`${ratio.toFixed(2)}×`, `${most.toFixed(2)}×`, verdict(ratio <= most)];
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
    ...others.map((each, index) => row(each, ratioCells(each.windows, first.windows, most[index] ?? 1))),
  ];
  return table(head, rows);
}

function row({ size, windows, residentMb, firstAnswerMs }: Variant, growth: readonly string[]): string[] {
  const [ratio = '', limit = '', reached = ''] = growth;
  const memory = [grouped(median(residentMb)), grouped(median(firstAnswerMs))];
  return [grouped(size), grouped(median(windows)), ratio, limit, reached, ...memory];
}
