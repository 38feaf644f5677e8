/** Charts of a BOT's runs: a strip of the last runs, and a scatter plot of a month. */
import { statusNameOf } from '../../../callback/callback.ts';
import type { Run } from '../../../ledger/archive/archive.ts';
import { DAY_MS } from '../../../signal/calendar.ts';
import { RUN_TONES } from '../parts/status.tsx';
import { type Reader, useReader } from '../reader.ts';

/** @param runs newest first. @returns the latest run that has ended; if none has, the latest */
export function latestOf(runs: readonly Run[]): Run | undefined {
  return runs.find(({ status }) => status !== 2) ?? runs[0];
}

export function countOf(runs: readonly Run[], { t }: Reader): string {
  return t('bots.strip', { runs: runs.length, failed: runs.filter(({ status }) => status === 1).length });
}

const SLOT = 7;
const BAR = 5;
const STRIP_HEIGHT = 30;
const LOWEST = 4;
const HIGHEST = STRIP_HEIGHT - BAR - 2;

/** One bar per run, newest at the right; its height shows the duration. Errors have a cross, unfinished runs are hollow. */
export function Strip({ runs }: { readonly runs: readonly Run[] }) {
  const title = countOf(runs, useReader());
  const longest = longestOf(runs);
  const width = runs.length * SLOT;
  const box = { viewBox: `0 0 ${width} ${STRIP_HEIGHT}`, width, height: STRIP_HEIGHT };
  return (
    <svg class="strip" role="img" aria-label={title} preserveAspectRatio="xMaxYMid slice" {...box}>
      {runs.map((run, index) => {
        const tone = RUN_TONES[statusNameOf(run)];
        const x = width - (index + 1) * SLOT + 1;
        // The square root keeps short runs distinguishable beside a very long one.
        const share = Math.sqrt((run.elapsedSeconds ?? 0) / longest);
        const height = Math.round(LOWEST + share * (HIGHEST - LOWEST));
        const y = STRIP_HEIGHT - height;
        return (
          <g key={run.callbackId} class={tone}>
            <rect x={x} y={y} width={BAR} height={height} rx="1" />
            {tone === 'bad' ? <path d={cross(x, y - BAR - 1, BAR)} /> : null}
          </g>
        );
      })}
    </svg>
  );
}

interface ScatterProps {
  /** Newest first; at least one. */
  readonly runs: readonly Run[];
  /** Milliseconds since the epoch: the end of the time that is shown, which begins with the oldest run. */
  readonly to: number;
  readonly title: string;
}

const WIDTH = 960;
const HEIGHT = 244;
/** Room for the label above the highest line. */
const TOP = 32;
/** Room for runs without a duration, and for the days below them. */
const BOTTOM = 44;
const MARK = 4;

/**
 * One mark per run by time and duration: a dot for a success, a cross for an error, a ring for an unfinished run. A run without a
 * duration stands below the line.
 */
export function Scatter({ runs, to, title }: ScatterProps) {
  const { formats } = useReader();
  const longest = longestOf(runs);
  const from = Math.min(to - DAY_MS, runs.at(-1)?.receivedAt ?? to);
  const x = (at: number) => MARK + (WIDTH - 2 * MARK) * Math.max(0, Math.min(1, (at - from) / (to - from)));
  const y = (seconds: number | undefined) =>
    seconds === undefined
      ? HEIGHT - BOTTOM + 2 * MARK
      : TOP + (HEIGHT - TOP - BOTTOM) * (1 - seconds / longest);
  return (
    <svg class="plot" role="img" aria-label={title} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      {[0, longest].map((seconds) => (
        <g key={seconds}>
          <line x1="0" x2={WIDTH} y1={y(seconds)} y2={y(seconds)} />
          <text y={y(seconds) - 4}>{seconds === 0 ? '0' : formats.elapsed(seconds)}</text>
        </g>
      ))}
      {[from, to].map((at) => (
        <text key={at} x={at === to ? WIDTH : 0} y={HEIGHT - 8} text-anchor={at === to ? 'end' : 'start'}>
          {formats.day(at)}
        </text>
      ))}
      {runs.map((run) => {
        const tone = RUN_TONES[statusNameOf(run)];
        const [left, top] = [x(run.receivedAt), y(run.elapsedSeconds)];
        if (tone === 'bad')
          return <path key={run.callbackId} class={tone} d={cross(left - MARK, top - MARK, 2 * MARK)} />;
        return <circle key={run.callbackId} class={tone} cx={left.toFixed(1)} cy={top.toFixed(1)} r={MARK} />;
      })}
    </svg>
  );
}

function cross(left: number, top: number, size: number): string {
  return `M${left.toFixed(1)} ${top.toFixed(1)}l${size} ${size}m0 -${size}l-${size} ${size}`;
}

function longestOf(runs: readonly Run[]): number {
  return Math.max(1, ...runs.map(({ elapsedSeconds = 0 }) => elapsedSeconds));
}
