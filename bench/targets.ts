/** What the product is held to: one Slack destination, or one mail, a 1 KB callback, everything on. */
import type { Target } from './report-comparison.ts';

export const SLACK_TARGETS: readonly Target[] = [
  { what: 'CPU per notification', key: 'cpuMicros', limit: 0.45, of: 'bare-slack' },
  { what: 'CPU per notification', key: 'cpuMicros', limit: 2.8, of: 'bare' },
  { what: 'throughput', key: 'perSecond', limit: 1.8, of: 'bare-slack', isFloor: true },
  { what: 'p50', key: 'p50', limit: 1.3, of: 'bare-slack' },
  { what: 'p99', key: 'p99', limit: 0.9, of: 'bare-slack' },
  { what: 'idle memory, MB', key: 'idleMb', limit: 90 },
  { what: 'memory at saturation', key: 'peakMb', limit: 0.85, of: 'bare-slack' },
  { what: 'start-up to first answer', key: 'firstAnswerMs', limit: 2, of: 'bare-slack' },
];

export const MAIL_TARGETS: readonly Target[] = [
  { what: 'CPU per mail', key: 'cpuMicros', limit: 1.2, of: 'bare-mail' },
];
