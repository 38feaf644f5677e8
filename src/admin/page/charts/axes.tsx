/** What plots stand on: a box, lines at round values, days along its foot. */
import type { ComponentChildren } from 'preact';

export const PLOT = { width: 720, height: 220, left: 64, right: 8, top: 18, bottom: 30 } as const;

export const PLOT_WIDTH = PLOT.width - PLOT.left - PLOT.right;
export const PLOT_HEIGHT = PLOT.height - PLOT.top - PLOT.bottom;

const MOST_LINES = 5;

/** Where a value stands, from the top; `most` is what the highest line says. */
export function yOf(value: number, most: number): number {
  return PLOT.top + PLOT_HEIGHT * (1 - Math.min(1, value / most));
}

/** @param share of the width, 0 to 1 */
export function xOf(share: number): number {
  return PLOT.left + PLOT_WIDTH * share;
}

/** Round values from 0 to the first one that is not less than `most`. */
export function linesUpTo(most: number, steps: readonly number[]): readonly number[] {
  const step = steps.find((each) => each * (MOST_LINES - 1) >= most) ?? largestStep(most);
  const highest = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: highest + 1 }, (_, index) => index * step);
}

function largestStep(most: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, most / (MOST_LINES - 1))));
  return (
    [1, 2, 5, 10].map((factor) => factor * magnitude).find((step) => step * (MOST_LINES - 1) >= most) ?? most
  );
}

/** In seconds. */
export const DURATION_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

interface AxesProps {
  readonly title: string;
  /** From 0 to the highest. */
  readonly lines: readonly { readonly value: number; readonly label: string }[];
  /** At the foot, each at its share of the width. */
  readonly days: readonly { readonly share: number; readonly label: string }[];
  readonly children: ComponentChildren;
}

export function Axes({ title, lines, days, children }: AxesProps) {
  const most = lines.at(-1)?.value ?? 1;
  return (
    <svg class="plot" role="img" aria-label={title} viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}>
      <title>{title}</title>
      {lines.map(({ value, label }) => (
        <g key={value} class="line">
          <line x1={PLOT.left} x2={PLOT.width - PLOT.right} y1={yOf(value, most)} y2={yOf(value, most)} />
          <text x={PLOT.left - 8} y={yOf(value, most) + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {days.map(({ share, label }) => (
        <text key={share} x={xOf(share)} y={PLOT.height - 8} text-anchor={anchorAt(share)}>
          {label}
        </text>
      ))}
      {children}
    </svg>
  );
}

function anchorAt(share: number): 'middle' | 'end' {
  return share > 0.95 ? 'end' : 'middle';
}
