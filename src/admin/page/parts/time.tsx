/** When something happened, for people and for machines. */
import { PAGE_WORDS } from '../words/page.ts';
import { useReader } from '../use-reader.ts';

interface TimeProps {
  /** Milliseconds since the epoch; undefined: never. */
  readonly at: number | undefined;
}

/** The range of JavaScript's dates. */
const LATEST_MS = 8.64e15;

function isDate(ms: number): boolean {
  return Math.abs(ms) <= LATEST_MS;
}

/** `10:42`, and beneath it how long ago. */
export function Time({ at }: TimeProps) {
  const reader = useReader();
  if (at === undefined || !isDate(at)) return <span class="quiet">{PAGE_WORDS[reader.language].never}</span>;
  const { formats } = reader;
  return (
    <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
      {formats.short(at)} <span class="quiet">{formats.relative(at)}</span>
    </time>
  );
}

/** `3 h ago` alone. */
export function Ago({ at }: TimeProps) {
  const reader = useReader();
  if (at === undefined || !isDate(at)) return <span class="quiet">{PAGE_WORDS[reader.language].never}</span>;
  const { formats } = reader;
  return (
    <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
      {formats.relative(at)}
    </time>
  );
}

/** `22 Nov 2026, 10:42:05 (GMT+9)` */
export function Instant({ at }: TimeProps) {
  const reader = useReader();
  if (at === undefined || !isDate(at)) return <span class="quiet">{PAGE_WORDS[reader.language].never}</span>;
  return <time dateTime={new Date(at).toISOString()}>{reader.formats.instant(at)}</time>;
}
