/** Begins each metric's series at 0, so that Prometheus sees the first event as an increase, and reads the gauges at each scrape. */
import { ALL_STATUSES } from '../callback/callback.ts';
import { FAILURE_CLASSES } from '../channels/failure.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import { budgetStanding } from '../deliver/reports.ts';
import { CALLBACK_RESULTS } from '../ledger/ledger.ts';
import type { Figures, Metrics } from '../observe/metrics.ts';
import { dayOf } from '../signal/calendar.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';
import type { AppSettings } from './settings.ts';

export function beginSeries(
  { callbacks, deliveries, deliverySeconds, storeMaxBytes, configInForce }: Metrics,
  settings: RunningSettings<AppSettings>,
): void {
  const { config, configHash, channels } = settings.current;
  configInForce(configHash);
  storeMaxBytes.set(config.store.url.startsWith('sqlite:') ? config.store.maxSizeBytes : Infinity);
  for (const status of ALL_STATUSES)
    for (const result of CALLBACK_RESULTS) callbacks.inc({ status, result }, 0);
  for (const result of ['refused', 'unavailable']) callbacks.inc({ status: 'none', result }, 0);
  const expectAttempts = (channel: string) => {
    for (const outcome of ['delivered', ...FAILURE_CLASSES]) deliveries.inc({ channel, outcome }, 0);
    deliverySeconds.zero({ channel });
  };
  for (const name of channels.keys()) expectAttempts(name);
  settings.onSwap((next, previous) => {
    // Only new channels: `zero` would reset the histogram of an existing one.
    for (const name of next.channels.keys()) if (!previous.channels.has(name)) expectAttempts(name);
  });
}

export async function figuresOf({
  ledger: { archive },
  pipeline,
  settings,
  clock,
}: Pick<PipelineParts, 'ledger' | 'settings' | 'clock'> & { readonly pipeline: Pipeline }): Promise<Figures> {
  const unknown = () => undefined;
  const { budget = NO_BUDGET, display } = settings.current.config;
  const today = dayOf(clock.now(), display.timezone);
  const [open, incidents, storeBytes, month] = await Promise.all([
    archive.countOpen().catch(unknown),
    archive.countIncidents().catch(unknown),
    archive.storeBytes().catch(unknown),
    budgetStanding(archive, { budget, display }, today).catch(unknown),
  ]);
  const { loop, outage } = pipeline;
  // The store has an incident about an outage only once it can be written again.
  if (incidents !== undefined && outage.isOpen) incidents.botbell += 1;
  // A destination that was down when it was taken out of the config stays down in the store for good.
  const down = loop.failing.down.filter((destination) => settings.current.destinations.has(destination));
  return {
    pending: open?.pending,
    dead: open?.dead,
    held: open?.held,
    oldestDue: open && open.oldestDueMs / 1000,
    storeBytes,
    monthSeconds: month && month.usedMs / 1000,
    budgetSeconds: month && month.budgetMs / 1000,
    incidents,
    paused: open?.paused,
    down: down.length,
  };
}

/** Without a budget, a month is the calendar's. */
const NO_BUDGET = { hours: 0, fromDay: 1, calendar: undefined };
