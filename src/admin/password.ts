/** Authentication: the admin password by HTTP Basic, a bearer token for scrapers of metrics, and limits against guessing. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { HttpProblem } from '../http/problem.ts';
import { secretCheck, type SenderReader } from '../http/sender.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import { networkOf } from '../text/networks.ts';
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
  if (from === undefined) throw new Error('a request has not passed the guards');
  return { via, user, from };
}

/** How many wrong passwords are allowed at once, and after how many milliseconds one more is. */
interface Allowance {
  readonly most: number;
  readonly everyMs: number;
}

/** Enough for a person who mistypes. */
const OF_A_NETWORK: Allowance = { most: 10, everyMs: 10_000 };
const OF_ALL: Allowance = { most: 100, everyMs: 1000 };

/** Limits memory: past it, the network that has not been heard of for the longest time is forgotten. */
const MOST_NETWORKS = 4096;

/** Stands for all browsers that prove by a cookie that they have logged in before. */
const KNOWN = 'known browsers';
const COOKIE = 'botbell_known';

interface Sender {
  /** Wrong passwords that time has not yet made up for, as of `at`, a time of the monotonic clock. */
  wrong: number;
  at: number;
  /** Whether the right one has come from there. */
  isRight: boolean;
}

/**
 * Counts wrong passwords, by network and in all. After too many, no password is checked for a while, not even a right one, or
 * guessing could go on. Guesses of others lock out neither a browser that has logged in before, even behind the same proxy, nor a
 * script that has, unless it is in their network.
 */
export class WrongPasswords {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #senders = new Map<string, Sender>();
  readonly #all: Sender = { wrong: 0, at: 0, isRight: false };
  readonly #key = randomBytes(32);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @returns milliseconds until a password from there is checked; 0: now */
  waitMs(from: string): number {
    const sender = this.#senderOf(from);
    const ownMs = this.#leftMs(sender, OF_A_NETWORK);
    return from === KNOWN || sender.isRight ? ownMs : Math.max(ownMs, this.#leftMs(this.#all, OF_ALL));
  }

  countWrong(from: string): void {
    const sender = this.#senderOf(from);
    sender.wrong += 1;
    if (!sender.isRight) this.#all.wrong += 1;
  }

  countRight(from: string): void {
    this.#senderOf(from).isRight = true;
  }

  /** The cookie by which a browser proves that it has logged in with this password; changing the password makes it worthless. */
  proofOf(password: string): string {
    return createHmac('sha256', this.#key).update(password).digest('base64url');
  }

  #leftMs(sender: Sender, { most, everyMs }: Allowance): number {
    const now = this.#clock.monotonic();
    sender.wrong = Math.max(0, sender.wrong - (now - sender.at) / everyMs);
    sender.at = now;
    return Math.max(0, (sender.wrong + 1 - most) * everyMs);
  }

  #senderOf(from: string): Sender {
    const sender = this.#senders.get(from) ?? { wrong: 0, at: this.#clock.monotonic(), isRight: false };
    this.#senders.delete(from);
    this.#senders.set(from, sender);
    const [longestUnheard] = this.#senders.keys();
    if (this.#senders.size > MOST_NETWORKS && longestUnheard !== undefined)
      this.#senders.delete(longestUnheard);
    return sender;
  }
}

/** Answers are never delayed: a guesser could then hold all connections, and health checks need one. */
export function askForPassword(
  { password, metricsToken }: Pick<AdminConfig, 'password' | 'metricsToken'>,
  senderOf: SenderReader,
  wrong: WrongPasswords,
): Middleware {
  return async (ctx, next) => {
    const address = senderOf(ctx.req);
    (ctx.state as AdminState).from = address;
    if (password !== undefined) letIn(ctx, address, password);
    await next();
  };

  /** @throws {HttpProblem} 401 or 429 */
  function letIn(ctx: Context, address: string, right: string): void {
    const header = ctx.get('Authorization');
    if (header === '') throw unauthorized();
    const proof = wrong.proofOf(right);
    const isKnown = secretCheck([proof])(ctx.cookies.get(COOKIE) ?? '');
    const from = isKnown ? KNOWN : networkOf(address);
    const waitMs = wrong.waitMs(from);
    if (waitMs > 0) throw tooManyWrong(Math.ceil(waitMs / 1000));
    const isAdmin = isAuthorized(header, right);
    if (!isAdmin && !isScraper(ctx, header, metricsToken)) {
      wrong.countWrong(from);
      throw unauthorized('a wrong password');
    }
    wrong.countRight(from);
    if (!isAdmin) return;
    (ctx.state as AdminState).user = USER;
    if (!isKnown) ctx.cookies.set(COOKIE, proof, { httpOnly: true, sameSite: 'lax' });
  }
}

function tooManyWrong(seconds: number): HttpProblem {
  return new HttpProblem({
    status: 429,
    detail: `Too many wrong passwords have come: none is looked at for ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
    logged: 'too many wrong passwords',
  });
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
