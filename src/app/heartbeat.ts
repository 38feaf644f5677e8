/** Tells a watcher elsewhere, at an interval and while all is well, that Botbell is there, so that it reports when it is gone. */
import { networkErrorOf } from '../channels/network-error.ts';
import type { Config } from '../config/config.ts';
import type { Chore } from '../deliver/chores.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Logger } from '../observe/logger.ts';
import { exchange, type OpenPool, poolsThrough } from '../outbound/exchange.ts';
import { loginOf } from '../outbound/login.ts';
import type { Clock } from '../time/clock.ts';

/** A watcher that takes longer to say yes is asked again next time. */
const ASKED_FOR_MS = 5000;

/** How often it is looked whether the config has a URL. */
const LOOK_MS = 60_000;

/** Every five seconds this process is written down (`Pipeline`). */
const WRITTEN_WITHIN_MS = 15_000;

export interface HeartbeatParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  readonly ledger: Pick<DatabaseLedger, 'writtenAt'>;
  readonly settings: { readonly current: { readonly config: Pick<Config, 'heartbeat' | 'proxies'> } };
}

/** A chore, so that it falls silent when nothing looks for what is due any more; the others do not wait for the watcher. */
export function heartbeatChore({ clock, logger, ledger, settings }: HeartbeatParts, ask = askUrl): Chore {
  let said = '';
  /** A line when it changes. */
  const say = (level: 'info' | 'warn', line: string, why: object = {}) => {
    if (line !== said) logger[level](why, line);
    said = line;
  };
  const beat = async (url: string) => {
    if (!isWritten(ledger, clock)) return say('warn', 'no heartbeat is sent: the store cannot be used');
    try {
      await ask(url, ASKED_FOR_MS, poolsThrough(settings.current.config.proxies));
      say('info', 'the heartbeat is taken');
    } catch (error) {
      const reason = error instanceof NotTaken ? error.message : networkErrorOf(error).words.en;
      say('warn', 'the heartbeat fails: whoever waits for it may report that Botbell is gone', { reason });
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

/** Whether the ledger was written not long ago. */
export function isWritten(
  { writtenAt }: Pick<DatabaseLedger, 'writtenAt'>,
  clock: Pick<Clock, 'monotonic'>,
): boolean {
  return writtenAt !== undefined && clock.monotonic() - writtenAt <= WRITTEN_WITHIN_MS;
}

/** It answered, and not that it is taken. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * GET, on a connection of its own. The status is the answer, and no redirect is followed.
 * @param url http or https; with a user and a password where the server asks for them
 * @throws {NotTaken} the answer is not 2xx
 * @throws {Error} of the network or a proxy, or that there was no answer in time
 */
export async function askUrl(url: string, timeoutMs: number, open: OpenPool): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': 'botbell', ...loginOf(url) };
  const pool = await open(origin);
  try {
    const { status } = await exchange(pool, {
      method: 'GET',
      path: `${pathname}${search}`,
      headers,
      deadline,
    });
    if (status < 200 || status > 299) throw new NotTaken(`it answered ${status}`);
  } finally {
    void pool.destroy().catch(() => undefined);
  }
}
