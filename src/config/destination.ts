/** Whom the config tells. */
import { MENTION_OPTION } from '../channels/mention-option.ts';
import { isWithin } from '../signal/hold.ts';
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

/** The destination's options at a time: outside its hours, it mentions nobody. */
export function optionsAt(
  { options, mentionHours }: Pick<Destination, 'options' | 'mentionHours'>,
  at: number,
  timezone: string,
): Destination['options'] {
  if (mentionHours === undefined || isWithin(mentionHours, at, timezone)) return options;
  return { ...options, [MENTION_OPTION]: undefined };
}

/** What a `notify` list names. */
export interface NotifyList {
  readonly told: readonly Destination[];
  readonly groups: readonly string[];
}
