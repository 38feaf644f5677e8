/** Figures as Markdown tables, aligned as this repository's formatter aligns them. */
import { FIXED_RATE, type Figures } from './measure.ts';
import type { Together } from './replicas.ts';
import { FLUSH_MS, RATE, type Waited } from './slow-disk.ts';
import { SOAK_RATE, type Soaked } from './soak.ts';
import { LARGE_BYTES, SMALL_BYTES, type Stall } from './stalls.ts';
import { median } from './statistics.ts';

/** A subject's figures, round by round. */
export interface Measured {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const COLUMNS: readonly (readonly [head: string, key: keyof Figures, digits: number])[] = [
  ['answered/s', 'perSecond', 0],
  ['CPU µs', 'cpuMicros', 0],
  ['20 kB: answered/s', 'perSecondLarge', 0],
  ['20 kB: CPU µs', 'cpuMicrosLarge', 0],
  ['300/s: CPU µs', 'cpuMicrosAtRate', 0],
  ['p50 ms', 'p50', 2],
  ['p99 ms', 'p99', 2],
  ['idle MB', 'idleMb', 0],
  ['peak MB', 'peakMb', 0],
  ['first answer ms', 'firstAnswerMs', 0],
];

/** Medians over the rounds. Ratios to the first subject are taken per round, since what slows a round slows both. */
export function comparisonTable(subjects: readonly Measured[]): string {
  const [base] = subjects;
  const ratioOf = (figures: Figures, round: number, key: keyof Figures) =>
    figures[key] / (base?.rounds[round]?.[key] ?? Number.NaN);
  const rows = subjects.map(({ name, rounds }) => [
    name,
    ...COLUMNS.map(([, key, digits]) => {
      const value = median(rounds.map((figures) => figures[key]));
      const ratio = median(rounds.map((figures, round) => ratioOf(figures, round, key)));
      return `${ratio.toFixed(2)}× (${value.toFixed(digits)})`;
    }),
  ]);
  const explained = `Ratios to ${base?.name}, the figures in brackets; CPU of each notification; latencies at ${FIXED_RATE} callbacks a second. Each callback arrived exactly once.`;
  return `${table(['subject', ...COLUMNS.map(([head]) => head)], rows)}\n\n${explained}`;
}

export function diskTable(waited: readonly Waited[]): string {
  const head = [`a flush takes ${FLUSH_MS} ms, ${RATE}/s`, 'p50 ms', 'p99 ms', 'longest turn ms'];
  const rows = waited.map(({ answerWhen, ...ms }) => [
    answerWhen,
    ...[ms.p50, ms.p99, ms.longestTurn].map((each) => each.toFixed(1)),
  ]);
  return table(head, rows);
}

export function replicaTable(all: readonly Together[]): string {
  const rows = all.map(({ replicas, perSecond }) => {
    const ratio = perSecond / (all[0]?.perSecond ?? Number.NaN);
    return [String(replicas), `${ratio.toFixed(2)}× (${perSecond.toFixed(0)})`];
  });
  return table(['replicas over one PostgreSQL', 'answered/s by all'], rows);
}

export function soakTable(all: readonly Soaked[]): string {
  const rows = all.map(({ store, first, middle, last }) => {
    const pair = (one: number, other: number, digits = 0) =>
      `${one.toFixed(digits)} / ${other.toFixed(digits)}`;
    return [
      store,
      pair(first.p99, last.p99, 1),
      (last.p99 / first.p99).toFixed(2),
      pair(first.heapMb, last.heapMb, 1),
      pair(first.residentMb, last.residentMb),
      pair(middle.storeMb, last.storeMb),
    ];
  });
  const head = [
    `${SOAK_RATE}/s, ${all[0]?.minutes} min`,
    'p99 ms',
    'ratio',
    'heap MB',
    'resident MB',
    'store MB',
  ];
  return `${table(head, rows)}\n\nOf the first and the last minute; of the store, of the middle one and the last.`;
}

/** How many of the worst shapes are shown. */
const SHOWN = 15;

/** The worst shapes; an answer other than 200, 400 or 422 is shown beside its time. */
export function stallTable(stalls: readonly Stall[]): string {
  const rows = stalls
    .toSorted((one, other) => other.large.ms - one.large.ms)
    .slice(0, SHOWN)
    .map(({ shape, small, large }) => [shape, ...[small, large].map(cellOf)]);
  return table(['longest turn of the event loop, ms', `${SMALL_BYTES} bytes`, `${LARGE_BYTES} bytes`], rows);
}

function cellOf({ ms, status }: Stall['small']): string {
  return [200, 400, 422].includes(status) ? ms.toFixed(1) : `${ms.toFixed(1)} (answered ${status})`;
}
