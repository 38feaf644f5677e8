/** How whatever asks a remote over HTTP gets its connections: each origin's through the proxy that the config has for it. */
import type { HttpPool } from './pool.ts';
import { type Proxies, proxyFor } from './proxy.ts';

/**
 * Opens connections to one origin, such as `https://slack.com`, for whoever then destroys them. Loads the HTTP client, which a
 * config without such channels need not.
 */
export type OpenPool = (origin: string) => Promise<HttpPool>;

export function poolsThrough(proxies: Proxies): OpenPool {
  return async (origin) => {
    const proxy = proxyFor(origin, proxies);
    if (proxy === undefined) return (await import('./pool.ts')).openPool(origin);
    return (await import('./proxied-pool.ts')).openPoolThrough(proxy, origin);
  };
}
