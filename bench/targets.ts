/** What the product is held to: one Slack destination, or one mail, a 1 KB callback, everything on. */
import type { Target } from './report-comparison.ts';

export const SLACK_TARGETS: readonly Target[] = [
  { what: 'CPU per notification', key: 'cpuMicros', limit: 0.52, of: 'bare-slack' },
  { what: 'CPU per notification', key: 'cpuMicros', limit: 3.3, of: 'bare' },
  { what: 'throughput', key: 'perSecond', limit: 1.7, of: 'bare-slack', isFloor: true },
  { what: 'p50', key: 'p50', limit: 1.3, of: 'bare-slack' },
  { what: 'p99', key: 'p99', limit: 1.1, of: 'bare-slack' },
  { what: 'idle memory, MB', key: 'idleMb', limit: 95 },
  { what: 'memory at saturation', key: 'peakMb', limit: 0.9, of: 'bare-slack' },
  { what: 'start-up to first answer', key: 'firstAnswerMs', limit: 2, of: 'bare-slack' },
];

export const POSTGRES_TARGETS: readonly Target[] = [
  { what: 'throughput on PostgreSQL', key: 'perSecond', limit: 1, of: 'bare-slack', isFloor: true },
  { what: 'p99 on PostgreSQL', key: 'p99', limit: 2, of: 'bare-slack' },
];

export const MAIL_TARGETS: readonly Target[] = [
  { what: 'CPU per mail', key: 'cpuMicros', limit: 1.2, of: 'bare-mail' },
];

/** By any one callback, whatever its shape. */
export const LONGEST_STALL = { bytes: 1_000_000, ms: 50 } as const;

/** How much more it may cost than with the smallest size. */
export const MOST_GROWTH = {
  /** A notification, with ever more callbacks in the ledger. */
  ledger: [1.25],
  start: 1.25,
  retention: 1.25,
  /** A notification, of a late callback of its job. */
  job: 1.25,
  /** A notification, with ever more routes. */
  routes: [1.1, 1.25],
} as const;
