/** Requests the heartbeat URL at an interval while the ledger can be written and somebody can be alerted, so that a watcher reports when Botbell is gone. */
import { networkErrorOf } from '../channels/network-error.ts';
import type { Chore } from '../deliver/chores.ts';
import type { Delivering } from '../deliver/delivering.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Logger } from '../observe/logger.ts';
import { poolsThrough, exchange, type OpenPool } from '../outbound/exchange.ts';
import type { Clock } from '../time/clock.ts';
import { loginOf } from '../outbound/login.ts';
import { NO_ANSWER } from '../incident/store-trouble.ts';

/** Timeout of one request. */
const ASKED_FOR_MS = 5000;

/** While the config has no URL: how often to look for one. */
const LOOK_MS = 60_000;

/** Longest time since the last write to the ledger; `Pipeline` writes every 5 s. */
const WRITTEN_WITHIN_MS = 15_000;

type Parts = Pick<Delivering, 'clock' | 'ledger' | 'settings'>;

export function heartbeatChore(
  { clock, logger, ledger, settings }: Parts & { readonly logger: Logger },
  ask = askUrl,
): Chore {
  let said = '';
  /** Logs a line only when it differs from the last one. */
  const say = (level: 'info' | 'warn', line: string, why: object = {}) => {
    if (line !== said) logger[level](why, line);
    said = line;
  };
  const fail = (reason: string) =>
    say('warn', 'the heartbeat fails: whoever waits for it may report that Botbell is gone', { reason });
  const isNobodyTold = async () => {
    const { alerts } = settings.current.config.delivery;
    if (alerts.length === 0) return false;
    const open = await ledger.archive.openIncidents();
    return alerts.every(({ destination }) =>
      open.some(({ kind, subject }) => kind === 'destination' && subject === destination),
    );
  };
  const beat = async (url: string) => {
    if (storeTroubleOf({ clock, ledger, settings }) !== undefined)
      return say('warn', 'no heartbeat is sent: the store cannot be used');
    try {
      if (await isNobodyTold())
        return say('warn', 'no heartbeat is sent: no destination of delivery.alerts works');
      const status = await ask(url, ASKED_FOR_MS, poolsThrough(settings.current.config.proxies));
      if (status < 200 || status > 299) fail(`it answered ${status}`);
      else say('info', 'the heartbeat is taken');
    } catch (error) {
      fail(networkErrorOf(error).words.en);
    }
  };
  return {
    get everyMs() {
      return settings.current.config.heartbeat?.everyMs ?? LOOK_MS;
    },
    work: async () => {
      const { heartbeat } = settings.current.config;
      if (heartbeat !== undefined) void beat(heartbeat.url);
      return Promise.resolve();
    },
  };
}

/** Whether the store counts as ready: outcomes can be written, even if it is too full for new callbacks. */
export function isWritten(
  { writtenAt }: Pick<DatabaseLedger, 'writtenAt'>,
  clock: Pick<Clock, 'monotonic'>,
): boolean {
  return writtenAt !== undefined && clock.monotonic() - writtenAt <= WRITTEN_WITHIN_MS;
}

/** Why callbacks are answered 503, without secrets; undefined: they are not. */
export function storeTroubleOf({ clock, ledger, settings }: Parts) {
  if (isWritten(ledger, clock) && ledger.trouble === undefined) return undefined;
  return settings.current.redact(ledger.trouble ?? ledger.lock ?? NO_ANSWER);
}

/**
 * GET on a connection of its own. Follows no redirect.
 * @param url http or https; may hold a user and a password
 * @returns the answer's status @throws {Error} an error of the network or a proxy, or a timeout
 */
export async function askUrl(url: string, timeoutMs: number, open: OpenPool): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    return (await exchange(pool, { method: 'GET', path: pathname + search, headers, deadline })).status;
  } finally {
    void pool.destroy().catch(() => undefined);
  }
}
