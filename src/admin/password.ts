/** Authentication: the admin password by HTTP Basic, a bearer token for scrapers of metrics, and delays against guessing. */
import type { Context, Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { HttpProblem } from '../http/problem.ts';
import { secretCheck, type SenderReader } from '../http/sender.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import type { Clock } from '../time/clock.ts';

const USER = 'admin';

/** The guards' results in a request's `ctx.state`. */
export interface AdminState {
  /** Undefined if no password is configured. */
  user?: string;
  /** The sender's address. */
  from?: string;
}

/** The request's actor, for the records of its actions. @throws {Error} if the request has not passed the guards */
export function actorOf(ctx: Context, via: Actor['via']): Actor {
  const { user, from } = ctx.state as AdminState;
  if (from === undefined) throw new Error('a request has passed no guard');
  return { via, user, from };
}

/** High enough that people who mistype the password do not notice the delay. */
const FREE_TRIES = 5;
const WAIT_MS = 1000;
/** At most ten a second, in the order in which they came, so that a right one is late at most. */
const BETWEEN_MS = 100;
/** Whoever has closed his connection keeps nobody waiting for longer. */
const LONGEST_WAIT_MS = 5000;

/** A limit on memory; at this number of addresses all counts are dropped. */
const MOST_ADDRESSES = 4096;

/** Counts each address's wrong passwords since its last right one. */
export class WrongPasswords {
  readonly #clock: Pick<Clock, 'sleep' | 'monotonic'>;
  readonly #counts = new Map<string, number>();
  /** When the last of those that wait is looked at, by the monotonic clock. */
  #lastAt = -Infinity;

  constructor(clock: Pick<Clock, 'sleep' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Waits a second or longer if the address has used its free tries. The listener's connections bound how many wait. */
  async turn(address: string): Promise<void> {
    if ((this.#counts.get(address) ?? 0) < FREE_TRIES) return;
    const now = this.#clock.monotonic();
    const next = Math.max(now + WAIT_MS, this.#lastAt + BETWEEN_MS);
    this.#lastAt = Math.min(next, now + LONGEST_WAIT_MS);
    await this.#clock.sleep(this.#lastAt - now);
  }

  count(address: string): void {
    if (this.#counts.size >= MOST_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
  }

  forget(address: string): void {
    this.#counts.delete(address);
  }
}

/**
 * A right password is accepted even after wrong ones from its address, after a second: to lock out operators who share an
 * address (an office, a proxy that `admin.trust_proxy` does not name) would be worse than guesses at that pace.
 */
export function askForPassword(
  { password, metricsToken }: Pick<AdminConfig, 'password' | 'metricsToken'>,
  senderOf: SenderReader,
  wrong: WrongPasswords,
): Middleware {
  return async (ctx, next) => {
    const address = senderOf(ctx.req);
    (ctx.state as AdminState).from = address;
    if (password !== undefined) await letIn(ctx, address, password);
    await next();
  };

  /** @throws {HttpProblem} 401 */
  async function letIn(ctx: Context, address: string, right: string): Promise<void> {
    const header = ctx.get('Authorization');
    if (header === '') throw unauthorized();
    await wrong.turn(address);
    const isAdmin = isAuthorized(header, right);
    if (!isAdmin && !isScraper(ctx, header, metricsToken)) {
      wrong.count(address);
      throw unauthorized('a wrong password');
    }
    if (isAdmin) {
      wrong.forget(address);
      (ctx.state as AdminState).user = USER;
    }
  }
}

/** HTTP Basic (RFC 7617); the user is not secret, the password is compared in constant time. */
function isAuthorized(header: string, password: string): boolean {
  const [scheme = '', encoded = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() !== 'basic') return false;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return secretCheck([password])(rest.join(':')) && user === USER;
}

/** Bearer token (RFC 6750), for `/metrics` only. */
function isScraper({ path }: Context, header: string, metricsToken: string | undefined): boolean {
  const [scheme = '', token = ''] = header.split(' ', 2);
  if (path !== '/metrics' || scheme.toLowerCase() !== 'bearer' || metricsToken === undefined) return false;
  return secretCheck([metricsToken])(token);
}

/** @param logged undefined for a request without credentials, which browsers send before they ask for a password */
function unauthorized(logged?: string): HttpProblem {
  return new HttpProblem({
    status: 401,
    detail: `Log in as ${USER} with the admin password.`,
    headers: { 'WWW-Authenticate': 'Basic realm="Botbell", charset="UTF-8"' },
    ...(logged !== undefined && { logged }),
  });
}
