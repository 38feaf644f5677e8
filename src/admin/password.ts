/** Who may come in: the admin password by HTTP Basic, for scrapers a token of their own, and neither by guessing. */
import type { Context, Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { HttpProblem } from '../http/problem.ts';
import { isOneOf, type SenderReader, sourceOf } from '../http/sender.ts';
import type { Clock } from '../time/clock.ts';
import type { AdminState } from './actor.ts';
import { FailedLogins, LOOK_EVERY_MS } from './failed-logins.ts';
import { KnownClients } from './known-clients.ts';

const USER = 'admin';

/** What is remembered of who asked, over reloads. */
export interface LoginMemory {
  readonly failed: FailedLogins;
  readonly known: KnownClients;
  readonly clock: Clock;
}

export function createLoginMemory(clock: Clock): LoginMemory {
  return { failed: new FailedLogins(clock), known: new KnownClients(), clock };
}

/**
 * Wrong passwords are counted by source address: ten are looked at, then one every two seconds, each answered 429 if it is
 * wrong; what comes faster is answered 429 unseen, or whoever guesses would still read from the answers which guess was
 * right. A right one is let in all the same, a little later: a lock-out of the operators behind the same address (an
 * office, a proxy that `admin.trust_proxy` does not name) while they are needed is worse than guesses at that pace, which
 * no password of eight random characters notices. A browser that came in once has tries of its own, which nobody else uses up.
 */
export function askForPassword(
  { password, metricsToken }: Pick<AdminConfig, 'password' | 'metricsToken'>,
  senderOf: SenderReader,
  { failed, known, clock }: LoginMemory,
): Middleware {
  return async (ctx, next) => {
    if (password === undefined) {
      await next();
      return;
    }
    const header = ctx.get('Authorization');
    if (header === '') throw unauthorized();
    const client = known.idOf(ctx) ?? sourceOf(senderOf(ctx.req).address);
    const turn = failed.take(client);
    if (turn.inMs === undefined) throw tooOften();
    if (turn.inMs > 0) await clock.sleep(turn.inMs);
    const isAdmin = isAuthorized(header, password);
    if (!isAdmin && !isScraper(ctx, header, metricsToken)) {
      if (turn.isBeyond) throw tooOften();
      await clock.sleep(failed.slowedMs(client));
      throw unauthorized('a wrong password');
    }
    failed.giveBack(client, turn);
    if (isAdmin) {
      known.remember(ctx);
      (ctx.state as AdminState).user = USER;
    }
    await next();
  };
}

/** HTTP Basic (RFC 7617); the user is not secret, the password is compared in constant time. */
function isAuthorized(header: string, password: string): boolean {
  const [scheme = '', encoded = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() !== 'basic') return false;
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return isOneOf(rest.join(':'), [password]) && user === USER;
}

/** RFC 6750. */
function isScraper({ path }: Context, header: string, metricsToken: string | undefined): boolean {
  const [scheme = '', token = ''] = header.split(' ', 2);
  if (path !== '/metrics' || scheme.toLowerCase() !== 'bearer' || metricsToken === undefined) return false;
  return isOneOf(token, [metricsToken]);
}

/** @param logged undefined: a browser asks like this before it asks its user */
function unauthorized(logged?: string): HttpProblem {
  return new HttpProblem({
    status: 401,
    detail: `Log in as ${USER} with the admin password.`,
    headers: { 'WWW-Authenticate': 'Basic realm="Botbell", charset="UTF-8"' },
    ...(logged !== undefined && { logged }),
  });
}

function tooOften(): HttpProblem {
  return new HttpProblem({
    status: 429,
    detail: 'Too many wrong passwords came from this address. Try again later.',
    headers: { 'Retry-After': String(LOOK_EVERY_MS / 1000) },
  });
}
