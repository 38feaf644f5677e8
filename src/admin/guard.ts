/** Which requests the admin listener takes at all: by whose name, from which site; and what browsers may do with answers. */
import type { Context, Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { isLoopback } from '../config/field-rules.ts';
import { HttpProblem } from '../http/problem.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Of whatever is no page: pages have a policy of their own. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

export const setHeaders: Middleware = (ctx, next) => {
  ctx.set(HEADERS);
  return next();
};

/**
 * On loopback, a request must name a loopback host or one of `admin.hosts`, so that no web page of another site reaches
 * the listener under a name of its own (DNS rebinding); elsewhere the password guards.
 */
export function refuseForeignHosts({ listen, hosts }: Pick<AdminConfig, 'listen' | 'hosts'>): Middleware {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  return (ctx, next) => {
    const host = hostnameOf(ctx.get('Host'));
    if (!isLoopback(listen.host) || isLoopback(host) || allowed.has(host)) return next();
    throw new HttpProblem({
      status: 403,
      detail: 'This host name is not one that the admin listener answers to: add it to admin.hosts.',
      logged: 'a host name that is not in admin.hosts',
    });
  };
}

/** Without port and brackets, in lower case. */
function hostnameOf(header: string): string {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/[[\]]/g, '') : '';
}

/**
 * A browser sends the password along with whatever another site has it post here. It says from where it comes; what
 * says nothing is no browser.
 */
export const refuseOtherSites: Middleware = (ctx, next) => {
  if (SAFE_METHODS.has(ctx.method) || isFromHere(ctx)) return next();
  throw new HttpProblem({
    status: 403,
    detail:
      'This request was sent from another site. Behind a proxy, have it hand on the Host header as it came.',
    logged: 'sent from another site',
  });
};

/** `Sec-Fetch-Site` knows better where a proxy rewrites Host, but browsers send it over TLS and to loopback alone. */
function isFromHere(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site === 'same-origin' || site === 'none';
  const origin = ctx.get('Origin');
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === ctx.get('Host').toLowerCase());
}
