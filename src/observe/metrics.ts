/** Creates the metrics for Prometheus. Names and labels must not change: operators' dashboards use them. */
import { setImmediate } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds: from a cached duplicate to the longest answer that a config can ask for. */
const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Rules that can hold a delivery back or let it go. */
const HOLDING_RULES = ['when', 'after_failures', 'repeat', 'mute', 'snooze', 'burst'];

const INCIDENT_KINDS = ['bot', 'destination', 'botbell'] as const;

/** Rejections of the admin listener that are reported, since they may be attacks: a wrong password, too many, another site or host. */
export const ADMIN_REFUSALS: readonly number[] = [401, 403, 429];

/** The service retries after 30 s at the earliest, and the BOT's running time goes on (callback interface, "Limits"). */
const RETRY_COST_S = 30;

export type Metrics = ReturnType<typeof createMetrics>;

/** The gauges that are read at each scrape. */
const READ = [
  ...(['pending', 'dead', 'held', 'oldestDue', 'storeBytes'] as const),
  ...(['monthSeconds', 'budgetSeconds', 'paused', 'down'] as const),
];

/** Unknown figures are left out, such as those of a store that cannot be read. `incidents`: by kind, the open ones that somebody is told of. */
export interface Figures extends Readonly<Partial<Record<(typeof READ)[number], number | undefined>>> {
  readonly incidents?: Readonly<Record<(typeof INCIDENT_KINDS)[number], number>> | undefined;
}

let ownMetrics: Registry | undefined;

/** Made once, however many services a process runs: the observers of its event loop and garbage collection are never removed. */
function ofProcess(): Registry {
  if (ownMetrics !== undefined) return ownMetrics;
  ownMetrics = new Registry();
  collectDefaultMetrics({ register: ownMetrics });
  return ownMetrics;
}

export function createMetrics(version: string) {
  const registry = new Registry();
  const meters = createMeters(registry);
  meters.buildInfo.set({ version }, 1);
  meters.reloadOk.set(1);
  for (const cause of ['answer', 'retry']) meters.botSeconds.inc({ cause }, 0);
  for (const rule of HOLDING_RULES) meters.heldTotal.inc({ rule }, 0);
  for (const status of ADMIN_REFUSALS) meters.adminRefused.inc({ status }, 0);
  // Collects from now on, not from the first scrape.
  ofProcess();
  return {
    ...meters,
    /** Counts an answered POST to the callback path. */
    answered({ httpStatus, seconds, ...of }: Answered): void {
      meters.callbacks.inc(of);
      meters.answerSeconds.observe(seconds);
      meters.botSeconds.inc({ cause: 'answer' }, seconds);
      if (httpStatus < 200 || httpStatus > 299) meters.botSeconds.inc({ cause: 'retry' }, RETRY_COST_S);
    },
    /** @param hash of the config in force */
    configInForce: (hash: string): void => {
      meters.configInfo.reset();
      meters.configInfo.set({ hash }, 1);
    },
    contentType: registry.contentType,
    /** Prometheus text format. */
    async text(find: () => Promise<Figures>): Promise<string> {
      // The receiver counts an answer in the turn after it was sent, so earlier answers may not be counted yet.
      await setImmediate();
      const { incidents, ...figures } = await find();
      for (const name of READ) meters[name].set(figures[name] ?? Number.NaN);
      for (const kind of INCIDENT_KINDS) meters.incidents.set({ kind }, incidents?.[kind] ?? Number.NaN);
      return `${await registry.metrics()}\n${await ofProcess().metrics()}`;
    },
  };
}

interface Answered {
  readonly status: string;
  readonly result: string;
  readonly httpStatus: number;
  readonly seconds: number;
}

function createMeters(registry: Registry) {
  const on = <Name extends string>(name: string, help: string, labelNames: readonly Name[] = []) => ({
    name: `botbell_${name}`,
    help,
    labelNames,
    registers: [registry],
    buckets: BUCKETS_S,
  });
  return {
    callbacks: new Counter(on('callbacks_total', 'POSTs to the callback path', ['status', 'result'])),
    deliveries: new Counter(on('deliveries_total', 'Attempts to deliver', ['channel', 'outcome'])),
    deliverySeconds: new Histogram(on('delivery_seconds', 'Duration of an attempt to deliver', ['channel'])),
    answerSeconds: new Histogram(on('answer_seconds', 'Time until a callback was answered')),
    botSeconds: new Counter(on('bot_seconds_total', 'Running time that callbacks cost the BOTs', ['cause'])),
    adminRefused: new Counter(
      on('admin_refused_total', 'Requests to the admin listener that may be attacks', ['status']),
    ),
    templateErrors: new Counter(on('template_errors_total', 'Templates that failed, the built-in one used')),
    storeBytes: new Gauge(on('store_bytes', 'What the store takes: of a SQLite file, pages in use and log')),
    storeMaxBytes: new Gauge(on('store_max_bytes', 'Most that it may take; +Inf: nothing limits it')),
    reloadOk: new Gauge(on('config_reload_ok', '1: the latest config was taken, 0: it was refused')),
    configInfo: new Gauge(on('config_info', 'The config in force, by the hash of its file', ['hash'])),
    buildInfo: new Gauge(on('build_info', 'The running version', ['version'])),
    pending: new Gauge(on('deliveries_pending', 'Deliveries not yet made')),
    dead: new Gauge(on('deliveries_dead', 'Deliveries given up')),
    paused: new Gauge(on('destinations_paused', 'Destinations and channels that asked to be left alone')),
    down: new Gauge(on('destinations_down', 'Destinations that have failed for two minutes and more')),
    monthSeconds: new Gauge(on('month_seconds', 'Running time of all BOTs in this month of the plan')),
    budgetSeconds: new Gauge(
      on('budget_seconds', 'Running time that a month of the plan includes; 0: not set'),
    ),
    oldestDue: new Gauge(
      on('oldest_due_seconds', 'How long the oldest delivery that waits for nothing has been due'),
    ),
    incidents: new Gauge(
      on('incidents_open', 'Troubles that are not over, of which somebody is told', ['kind']),
    ),
    held: new Gauge(
      on('deliveries_held', 'Deliveries held back: by a rule until it ends, or no longer routed'),
    ),
    heldTotal: new Counter(on('held_total', 'Deliveries that a rule held back or let go', ['rule'])),
  };
}
