/** A bar a day, of one or two parts; the first one stands at the foot. */
import type { Reader } from '../reader.ts';
import type { Tone } from '../parts/status.tsx';
import { Axes, linesUpTo, PLOT_HEIGHT, PLOT_WIDTH, xOf, yOf } from './axes.tsx';

export interface Series {
  readonly name: string;
  readonly tone: Tone;
}

interface DayBarsProps {
  readonly title: string;
  /** `2026-01-31`, each day of the time that is shown. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Of a day, one for each series. */
  readonly valuesOf: (day: string) => readonly number[];
  /** Where lines may stand. */
  readonly steps: readonly number[];
  readonly labelOf: (value: number) => string;
  readonly reader: Reader;
}

const MOST_LABELS = 5;
const GAP = 0.25;

export function DayBars({ title, days, series, valuesOf, steps, labelOf, reader }: DayBarsProps) {
  const sums = days.map((day) => valuesOf(day).reduce((sum, value) => sum + value, 0));
  const values = linesUpTo(Math.max(0, ...sums), steps);
  const most = values.at(-1) ?? 1;
  const every = Math.ceil(days.length / MOST_LABELS);
  const labels = days.flatMap((day, index) =>
    (days.length - 1 - index) % every === 0
      ? [{ share: (index + 0.5) / days.length, label: reader.formats.day(day) }]
      : [],
  );
  const lines = values.map((value) => ({ value, label: labelOf(value) }));
  return (
    <figure>
      <Axes title={title} lines={lines} days={labels}>
        {days.map((day, index) => (
          <Day
            key={day}
            share={index / days.length}
            width={1 / days.length}
            values={valuesOf(day)}
            {...{ series, most }}
          />
        ))}
      </Axes>
      {series.length < 2 ? null : <Legend series={series} />}
    </figure>
  );
}

interface DayProps {
  /** Of the plot's width. */
  readonly share: number;
  readonly width: number;
  readonly values: readonly number[];
  readonly series: readonly Series[];
  readonly most: number;
}

function Day({ share, width, values, series, most }: DayProps) {
  const topOf = (index: number) => values.slice(0, index + 1).reduce((sum, value) => sum + value, 0);
  return (
    <g>
      {series.map(({ name, tone }, index) => {
        const value = values[index] ?? 0;
        if (value === 0) return null;
        return (
          <rect
            key={name}
            class={tone}
            x={xOf(share + (width * GAP) / 2).toFixed(1)}
            y={yOf(topOf(index), most).toFixed(1)}
            width={(PLOT_WIDTH * width * (1 - GAP)).toFixed(1)}
            height={Math.max(1, PLOT_HEIGHT * (value / most)).toFixed(1)}
          />
        );
      })}
    </g>
  );
}

function Legend({ series }: { readonly series: readonly Series[] }) {
  return (
    <figcaption class="legend">
      {series.map(({ name, tone }) => (
        <span key={name}>
          <svg class="plot" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <rect class={tone} width="12" height="12" rx="2" />
          </svg>
          {name}
        </span>
      ))}
    </figcaption>
  );
}
