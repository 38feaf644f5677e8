/** Charts of a BOT's runs: a strip of the last runs, and a scatter plot of a month. */
import { statusNameOf } from '../../../callback/callback.ts';
import type { Run } from '../../../ledger/archive/archive.ts';
import { RUN_TONES } from '../parts/status.tsx';
import { useReader } from '../reader.ts';

interface StripProps {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** How many runs fit. */
  readonly room: number;
  /** Text for screen readers. */
  readonly title: string;
}

const SLOT = 7;
const BAR = 5;
const STRIP_HEIGHT = 30;
const LOWEST = 4;
const HIGHEST = STRIP_HEIGHT - BAR - 2;

/** One bar per run, newest at the right; its height shows the duration. Errors have a cross, unfinished runs are hollow. */
export function Strip({ runs, room, title }: StripProps) {
  const longest = longestOf(runs);
  const width = room * SLOT;
  const box = { viewBox: `0 0 ${width} ${STRIP_HEIGHT}`, width, height: STRIP_HEIGHT };
  return (
    <svg class="strip" role="img" aria-label={title} preserveAspectRatio="xMaxYMid slice" {...box}>
      {runs.slice(0, room).map((run, index) => {
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
  readonly runs: readonly Run[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly title: string;
}

const WIDTH = 960;
const HEIGHT = 230;
const LEFT = 8;
const RIGHT = 8;
/** Room for the label above the highest line. */
const TOP = 32;
const BOTTOM = 30;
const MARK = 4;
const WEEK_MS = 7 * 86_400_000;

/** One mark per run by time and duration: a dot for a success, a cross for an error, a ring for an unfinished run. */
export function Scatter({ runs, from, to, title }: ScatterProps) {
  const { formats } = useReader();
  const longest = longestOf(runs);
  // The axis ends at a multiple of 2 s, 2 min or 2 h, so that its middle is a round number, too.
  const unit = [7200, 120].find((seconds) => longest > seconds) ?? 2;
  const most = Math.ceil(longest / unit) * unit;
  const x = (at: number) =>
    LEFT + (WIDTH - LEFT - RIGHT) * Math.max(0, Math.min(1, (at - from) / (to - from)));
  const y = (seconds = 0) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - seconds / most);
  const weeks = Math.floor((to - from) / WEEK_MS);
  return (
    <svg class="plot" role="img" aria-label={title} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      {[0, most / 2, most].map((seconds) => (
        <g key={seconds}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(seconds)} y2={y(seconds)} />
          <text x={LEFT} y={y(seconds) - 4}>
            {seconds === 0 ? '0' : formats.elapsed(seconds)}
          </text>
        </g>
      ))}
      {Array.from({ length: weeks + 1 }, (_, index) => to - index * WEEK_MS).map((at) => (
        <text key={at} x={x(at)} y={HEIGHT - 8} text-anchor={at === to ? 'end' : 'middle'}>
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
