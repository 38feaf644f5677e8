/** Guards of the admin listener: the host names and sites that requests may come from, and the security headers of responses. */
import type { Context, Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { isLoopback } from '../text/networks.ts';
import { HttpProblem } from '../http/problem.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Headers of all responses; pages replace the Content-Security-Policy. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // For browsers that do not know `frame-ancestors`.
  'X-Frame-Options': 'DENY',
} as const;

export const setHeaders: Middleware = (ctx, next) => {
  ctx.set(HEADERS);
  return next();
};

/**
 * On a loopback listener, a request's host must be a loopback name or in `admin.hosts`, against DNS rebinding by other sites' pages.
 * Any other listener requires a password, which protects from this.
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

/** The header's host in lower case, without port and brackets. */
function hostnameOf(header: string): string {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/[[\]]/g, '') : '';
}

/**
 * Refuses requests that another site makes a browser send, since the browser adds the password; a link may still open a page. Browsers
 * name a request's site in `Sec-Fetch-Site` or `Origin`, or, as old ones do for forms, only in `Referer`. A request without these is
 * not from a browser.
 */
export const refuseOtherSites: Middleware = (ctx, next) => {
  if (isFromHere(ctx) || (SAFE_METHODS.has(ctx.method) && opensPage(ctx))) return next();
  throw new HttpProblem({
    status: 403,
    detail:
      'This request was sent from another site. Behind a proxy, have it hand on the Host header as it came.',
    logged: 'sent from another site',
  });
};

/** Whether a person opens the page in a tab; an image, script or frame of another site would load it unseen. */
function opensPage(ctx: Context): boolean {
  if (ctx.get('Sec-Fetch-Site') === '') return true;
  return ctx.get('Sec-Fetch-Mode') === 'navigate' && ctx.get('Sec-Fetch-Dest') === 'document';
}

/** `Sec-Fetch-Site` is right even if a proxy rewrites Host, but browsers send it only over TLS and to loopback hosts. */
function isFromHere(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site === 'same-origin' || site === 'none';
  const origin = ctx.get('Origin') || ctx.get('Referer');
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === ctx.get('Host').toLowerCase());
}
