/** Stalls as Markdown: the worst shapes, a column a size, and what was asked for. */
import { grouped, table } from './markdown.ts';
import { verdict } from './report-comparison.ts';
import type { Stall } from './stalls.ts';
import { LONGEST_STALL } from './targets.ts';

/** The rest would say no more than that they are shorter. */
const SHOWN = 15;

const WITHOUT_NEWS: ReadonlySet<number> = new Set([200, 400, 422]);

export function stallTables(stalls: readonly Stall[]): string {
  const sizes = [...new Set(stalls.map(({ bytes }) => bytes))].toSorted((a, b) => a - b);
  const shapes = [...new Set(stalls.map(({ shape }) => shape))]
    .map((name) => [name, stalls.filter(({ shape }) => shape === name)] as const)
    .toSorted(([, one], [, other]) => longestOf(other) - longestOf(one));
  const [worst, others] = [shapes.slice(0, SHOWN), shapes.slice(SHOWN).flatMap(([, each]) => each)];
  const rows = worst.map(([shape, each]) => [shape, ...sizes.map((bytes) => cellOf(each, bytes))]);
  if (others.length > 0) {
    const most = sizes.map((bytes) => cellOf(others.toSorted(longestFirst), bytes));
    rows.push([`each of ${shapes.length - SHOWN} other shapes, at most`, ...most]);
  }
  const head = ['longest turn of the event loop, ms', ...sizes.map((bytes) => `${grouped(bytes)} bytes`)];
  return [table(head, rows), targetTable(stalls)].join('\n\n');
}

function longestFirst(one: Stall, other: Stall): number {
  return other.longestTurn - one.longestTurn;
}

function longestOf(stalls: readonly Stall[]): number {
  return Math.max(...stalls.map(({ longestTurn }) => longestTurn));
}

/** An answer that is neither a success nor a refusal is shown beside its time. */
function cellOf(stalls: readonly Stall[], bytes: number): string {
  const stall = stalls.find((each) => each.bytes === bytes);
  if (stall === undefined) return '';
  const news = stall.statuses.filter((status) => !WITHOUT_NEWS.has(status));
  return `${stall.longestTurn.toFixed(1)}${news.length > 0 ? ` (answered ${news.join(', ')})` : ''}`;
}

function targetTable(stalls: readonly Stall[]): string {
  const { bytes, ms } = LONGEST_STALL;
  const longest = longestOf(stalls.filter((stall) => stall.bytes <= bytes));
  return table(
    ['target', 'limit', 'measured', 'verdict'],
    [
      [
        `longest stall by one callback of up to ${grouped(bytes)} bytes, ms`,
        `at most ${ms}`,
        longest.toFixed(1),
        verdict(longest <= ms),
      ],
    ],
  );
}
