/** A comparison as Markdown: one row a subject, then which targets were reached. */
import type { Comparison } from './compare.ts';
import { grouped, table, times } from './markdown.ts';
import { FIXED_RATE, type Figures } from './measure.ts';

/** A figure, or its ratio to another subject's, that must not lie beyond the limit. */
export interface Target {
  readonly what: string;
  readonly key: keyof Figures;
  readonly limit: number;
  /** The subject that the ratio is to; without one the figure itself counts. */
  readonly of?: string;
  readonly isFloor?: boolean;
}

const COLUMNS: readonly { readonly head: string; readonly key: keyof Figures; readonly digits: number }[] = [
  { head: 'answered/s', key: 'perSecond', digits: 0 },
  { head: 'CPU µs per notification', key: 'cpuMicros', digits: 0 },
  { head: 'p50 ms', key: 'p50', digits: 2 },
  { head: 'p99 ms', key: 'p99', digits: 2 },
  { head: 'p99.9 ms', key: 'p999', digits: 2 },
  { head: 'idle MB', key: 'idleMb', digits: 0 },
  { head: 'peak MB', key: 'peakMb', digits: 0 },
  { head: 'first answer ms', key: 'firstAnswerMs', digits: 0 },
];

/** Ratios are to the base; with a floor, CPU is also told as a multiple of the floor's. */
export function comparisonTable(comparison: Comparison, base: string, floor?: string): string {
  const head = ['subject', ...COLUMNS.map((column) => column.head)];
  if (floor !== undefined) head.push(`CPU of ${floor}`);
  const rows = comparison.names().map((name) => {
    const cells = COLUMNS.map(({ key, digits }) => {
      const value = comparison.median(name, key);
      const text = digits === 0 ? grouped(value) : value.toFixed(digits);
      return `${text} ${times(comparison.ratio(name, base, key))}`;
    });
    if (floor !== undefined) cells.push(`${comparison.ratio(name, floor, 'cpuMicros').toFixed(2)}×`);
    return [name, ...cells];
  });
  return `${table(head, rows)}\n\n${explanation(comparison, base)}`;
}

function explanation(comparison: Comparison, base: string): string {
  const rounds = comparison.of(base).length;
  const latencies = `Latencies at ${FIXED_RATE} callbacks a second. In brackets: of ${base}.`;
  if (rounds === 1) return `One round. ${latencies}`;
  const [least, most] = comparison.range(base, 'cpuMicros').map(grouped);
  return (
    `Medians of ${rounds} rounds. ${latencies} ` +
    `How steady the machine was: ${base}'s CPU per notification was ${least} to ${most} µs.`
  );
}

export function targetTable(comparison: Comparison, subject: string, targets: readonly Target[]): string {
  const rows = targets.map(({ what, key, limit, of, isFloor = false }) => {
    const value = of === undefined ? comparison.median(subject, key) : comparison.ratio(subject, of, key);
    const isReached = isFloor ? value >= limit : value <= limit;
    const unit = of === undefined ? '' : `× ${of}`;
    const bound = isFloor ? 'at least' : 'at most';
    return [
      what,
      `${bound} ${limit}${unit}`,
      `${value.toFixed(of === undefined ? 1 : 2)}${unit}`,
      verdict(isReached),
    ];
  });
  return table(['target', 'limit', 'measured', 'verdict'], rows);
}

export function verdict(isReached: boolean): string {
  return isReached ? 'reached' : 'missed';
}
