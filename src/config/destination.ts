/** Whom the config tells. */
import type { PerJob, TimeWindow } from '../signal/rules.ts';

/** One address on one channel. */
export interface Destination {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** When the option `mention_on_error` applies; undefined: always. */
  readonly mentionHours?: TimeWindow | undefined;
  readonly perJob: PerJob;
}

/** What a `notify` list names. */
export interface NotifyList {
  readonly told: readonly Destination[];
  readonly groups: readonly string[];
}
