/** What a scenario measured, and the table of it. */
import { grouped, table } from '../markdown.ts';
import { percentile } from '../statistics.ts';

export interface Figure {
  readonly name: string;
  /** Milliseconds, counts and shares are numbers; anything else is text. */
  readonly value: number | string;
  readonly unit: string;
  /** What is to be reached; undefined where the figure only informs. */
  readonly wanted: string | undefined;
  readonly isReached: boolean | undefined;
}

export function figure(name: string, value: number | string, unit = ''): Figure {
  return { name, value, unit, wanted: undefined, isReached: undefined };
}

export function atMost(name: string, value: number, limit: number, unit = ''): Figure {
  return {
    ...figure(name, value, unit),
    wanted: `at most ${limit.toLocaleString('en')}`,
    isReached: value <= limit,
  };
}

export function atLeast(name: string, value: number, limit: number, unit = ''): Figure {
  return {
    ...figure(name, value, unit),
    wanted: `at least ${limit.toLocaleString('en')}`,
    isReached: value >= limit,
  };
}

/** p50, p90, p99 and the longest, in milliseconds, the limit being on one of them. */
export function latencies(
  name: string,
  values: readonly number[],
  limits: {
    readonly p50?: number;
    readonly p90?: number;
    readonly p99?: number;
    readonly longest?: number;
  } = {},
): Figure[] {
  const named = (label: string, value: number, limit: number | undefined) =>
    limit === undefined
      ? figure(`${name}: ${label}`, value, 'ms')
      : atMost(`${name}: ${label}`, value, limit, 'ms');
  return [
    named('p50', percentile(values, 0.5), limits.p50),
    named('p90', percentile(values, 0.9), limits.p90),
    named('p99', percentile(values, 0.99), limits.p99),
    named('longest', Math.max(...values), limits.longest),
  ];
}

export function figureTable(figures: readonly Figure[]): string {
  return table(
    ['figure', 'measured', 'wanted', ''],
    figures.map(({ name, value, unit, wanted = '', isReached }) => [
      name,
      `${typeof value === 'number' ? rounded(value) : value} ${unit}`.trim(),
      wanted,
      isReached === undefined ? '' : isReached ? 'reached' : 'MISSED',
    ]),
  );
}

function rounded(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) < 100 && !Number.isInteger(value) ? value.toFixed(1) : grouped(value);
}

/** `3 × 200 delivered, 1 × 502` */
export function tallied(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([value, count]) => `${grouped(count)} × ${value}`).join(', ') || 'none';
}
