/** What the measured program runs with, and how much of it is measured. */
import type { SlackRateLimit } from '../../src/stand-ins/slack-rate-limit.ts';

export const STORES = ['sqlite', 'postgres'] as const;
export const MODES = ['delivered', 'accepted'] as const;

export interface Setup {
  readonly store: (typeof STORES)[number];
  readonly replicas: 1 | 2;
  readonly mode: (typeof MODES)[number];
  /** The folder of the built program. */
  readonly dist: string;
  readonly isQuick: boolean;
  readonly rateLimit: SlackRateLimit;
  readonly bots: number;
}
