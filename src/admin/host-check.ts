/** Keeps web pages of other sites from reaching a loopback listener under a name of theirs (DNS rebinding). */
import type { Middleware } from 'koa';
import type { AdminConfig } from '../config/config.ts';
import { isLoopback } from '../config/field-rules.ts';
import { HttpProblem } from '../http/problem.ts';

/** On loopback, a request must name a loopback host or one of `admin.hosts`; elsewhere the password guards. */
export function refuseForeignHosts({ listen, hosts }: AdminConfig): Middleware {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  return (ctx, next) => {
    const host = hostnameOf(ctx.get('Host'));
    if (!isLoopback(listen.host) || isLoopback(host) || allowed.has(host)) return next();
    throw new HttpProblem({
      status: 403,
      detail: 'This host name is not one that the admin listener answers to: add it to admin.hosts.',
    });
  };
}

/** Without port and brackets, in lower case. */
function hostnameOf(header: string): string {
  const bracketed = /^\[(?<address>[^\]]*)\]/.exec(header)?.groups?.['address'];
  return (bracketed ?? header.split(':', 1)[0] ?? '').toLowerCase();
}
