/** When something happened, for people and for machines. */
import { useReader } from '../reader.ts';

interface TimeProps {
  /** Milliseconds since the epoch; undefined: never. */
  readonly at: number | undefined;
  /** `both`: 10:42, and how long ago; `ago`: that alone; `instant`: date, time and zone. */
  readonly as?: 'both' | 'ago' | 'instant';
}

/** The range of JavaScript's dates. */
const LATEST_MS = 8.64e15;

export function Time({ at, as = 'both' }: TimeProps) {
  const { formats, t } = useReader();
  if (at === undefined || Math.abs(at) > LATEST_MS) return <span class="quiet">{t('never')}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={as === 'instant' ? undefined : formats.instant(at)}>
      {as === 'instant' ? formats.instant(at) : null}
      {as === 'ago' ? formats.relative(at) : null}
      {as === 'both' ? (
        <>
          {formats.short(at)} <span class="quiet">{formats.relative(at)}</span>
        </>
      ) : null}
    </time>
  );
}
