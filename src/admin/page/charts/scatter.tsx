/** The runs of a BOT over time: each a mark as high as it took long, whose shape and colour are its status. */
import { statusNameOf } from '../../../callback/callback.ts';
import type { Run } from '../../../ledger/archive/archive.ts';
import { RUN_TONES } from '../parts/status.tsx';
import { Axes, DURATION_STEPS, linesUpTo, xOf, yOf } from './axes.tsx';
import { useReader } from '../use-reader.ts';

const DAY_MS = 86_400_000;
const DAYS_A_LABEL = 7;
const MARK = 4;

interface ScatterProps {
  readonly runs: readonly Run[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly title: string;
}

export function Scatter({ runs, from, to, title }: ScatterProps) {
  const reader = useReader();
  const { formats } = reader;
  const longest = Math.max(1, ...runs.map(({ elapsedSeconds = 0 }) => elapsedSeconds));
  const values = linesUpTo(longest, DURATION_STEPS);
  const most = values.at(-1) ?? 1;
  const lines = values.map((value) => ({ value, label: value === 0 ? '0' : formats.elapsed(value) }));
  const shareOf = (at: number) => Math.max(0, Math.min(1, (at - from) / (to - from)));
  const count = Math.floor((to - from) / (DAYS_A_LABEL * DAY_MS));
  const days = Array.from({ length: count + 1 }, (_, index) => to - index * DAYS_A_LABEL * DAY_MS).map(
    (at) => ({
      share: shareOf(at),
      label: formats.day(formats.dayOf(at)),
    }),
  );
  return (
    <Axes title={title} lines={lines} days={days}>
      {runs.map((run) => (
        <Mark
          key={run.callbackId}
          run={run}
          x={xOf(shareOf(run.receivedAt))}
          y={yOf(run.elapsedSeconds ?? 0, most)}
        />
      ))}
    </Axes>
  );
}

/** A success is a dot, an error a cross, what goes on a ring. */
function Mark({ run, x, y }: { readonly run: Run; readonly x: number; readonly y: number }) {
  const tone = RUN_TONES[statusNameOf(run)];
  const [left, top] = [x.toFixed(1), y.toFixed(1)];
  if (tone === 'bad') {
    const size = 2 * MARK;
    return (
      <path
        class="bad"
        d={`M${(x - MARK).toFixed(1)} ${(y - MARK).toFixed(1)}l${size} ${size}m0 -${size}l-${size} ${size}`}
      />
    );
  }
  return <circle class={tone} cx={left} cy={top} r={tone === 'busy' ? MARK : MARK - 0.5} />;
}
