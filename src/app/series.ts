/** Which series are counted from 0, so that the first event of each is seen as an increase. */
import { ALL_STATUSES } from '../callback/callback.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import { CALLBACK_RESULTS } from '../ledger/ledger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { AppSettings } from './settings.ts';

/** Of a POST that was not read as a callback. */
const UNREAD_RESULTS = ['refused', 'unavailable'];

const OUTCOMES = ['delivered', ...FAILURE_CLASSES];

export function beginSeries(metrics: Metrics, settings: RunningSettings<AppSettings>): void {
  metrics.configInForce(settings.current.configHash);
  for (const status of ALL_STATUSES)
    for (const result of CALLBACK_RESULTS) metrics.expectCallbacks(status, result);
  for (const result of UNREAD_RESULTS) metrics.expectCallbacks('none', result);
  const expectAttempts = ({ channels }: Pick<AppSettings, 'channels'>) => {
    for (const name of channels.keys()) metrics.expectAttempts(name, OUTCOMES);
  };
  expectAttempts(settings.current);
  settings.onSwap(expectAttempts);
}
