/** The last runs of a BOT side by side: a bar each, as high as it took long, its shape and colour its status. */
import { statusNameOf } from '../../../callback/callback.ts';
import type { Run } from '../../../ledger/archive/archive.ts';
import { RUN_TONES } from '../parts/status.tsx';

const SLOT = 7;
const BAR = 5;
const HEIGHT = 30;
const LOWEST = 4;

interface StripProps {
  /** The newest first. */
  readonly runs: readonly Run[];
  /** How many there is room for. */
  readonly room: number;
  /** What a reader hears who does not see it. */
  readonly title: string;
}

export function Strip({ runs, room, title }: StripProps) {
  const longest = Math.max(1, ...runs.map(({ elapsedSeconds = 0 }) => elapsedSeconds));
  const oldestFirst = runs.slice(0, room).toReversed();
  const width = room * SLOT;
  return (
    <svg
      class="strip"
      role="img"
      aria-label={title}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
    >
      <title>{title}</title>
      {oldestFirst.map((run, index) => (
        <Bar
          key={run.callbackId}
          run={run}
          x={index * SLOT + 1}
          share={(run.elapsedSeconds ?? 0) / longest}
        />
      ))}
    </svg>
  );
}

interface BarProps {
  readonly run: Run;
  readonly x: number;
  /** Of the longest one. */
  readonly share: number;
}

/** An error has a cross on top, a run that goes on is hollow. */
function Bar({ run, x, share }: BarProps) {
  const tone = RUN_TONES[statusNameOf(run)];
  const room = HEIGHT - BAR - 2;
  // Long ones would make all others alike: the root keeps both apart.
  const height = Math.round(LOWEST + Math.sqrt(share) * (room - LOWEST));
  const y = HEIGHT - height;
  if (tone === 'busy') {
    return <rect class="busy" x={x + 0.75} y={y + 0.75} width={BAR - 1.5} height={height - 1.5} rx="1" />;
  }
  return (
    <g class={tone}>
      <rect x={x} y={y} width={BAR} height={height} rx="1" />
      {tone === 'bad' ? <path d={`M${x} ${y - BAR - 1}l${BAR} ${BAR}m0 -${BAR}l-${BAR} ${BAR}`} /> : null}
    </g>
  );
}
