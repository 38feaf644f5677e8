/** Durations and sizes as people write them in a config, and durations as logs and errors say them. */

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1000 },
  { name: 'ms', ms: 1 },
] as const;

/** Largest unit first, each at most once. */
const DURATION = new RegExp(`^(?=\\d)${UNITS.map(({ name }) => `(?:(\\d+)${name})?`).join('')}$`);

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** `8s`, `250ms`, `2m`, `24h`, `30d`, `1h30m` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const counts = DURATION.exec(text)?.slice(1);
  if (counts === undefined) return undefined;
  const ms = UNITS.reduce((sum, unit, index) => sum + Number(counts[index] ?? 0) * unit.ms, 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** `8s`, `1h 1m 1s`, `1s 500ms`: largest unit first, none that is zero; milliseconds are rounded. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms < 0) return `-${formatDuration(-ms)}`;
  let rest = Math.round(ms);
  const parts: string[] = [];
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.ms);
    rest -= count * unit.ms;
    if (count > 0) parts.push(`${count}${unit.name}`);
  }
  return parts.join(' ') || '0s';
}

/** `8mb`, `512kb`, `1gb`, `100b` (1024-based, any case) or a bare number of bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = /^(\d+)(b|kb|mb|gb)?$/i.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Number(count) * (BYTES_PER_UNIT[unit?.toLowerCase() ?? 'b'] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
