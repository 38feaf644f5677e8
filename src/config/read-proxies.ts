/** Reads `proxy`; where it says nothing, what the environment says. */
import { exemptHosts, NO_PROXIES, parseProxy, type Proxies, type Proxy } from '../outbound/proxy.ts';
import { PROXY_RULE } from './field-rules.ts';
import type { Problems } from './problems.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** @param text of `proxy`; empty: what the environment says */
export function readProxies(text: string, variables: Variables, problems: Problems): Proxies {
  if (text === 'off') return NO_PROXIES;
  const exempt = exemptHosts(valueOf('no_proxy', variables));
  const read = (name: string) => (text === '' ? proxyIn(name, variables, problems) : parseProxy(text));
  return { https: read('https_proxy'), http: read('http_proxy'), exempt };
}

/** As curl reads it, a proxy without a scheme is asked over http. */
function proxyIn(name: string, variables: Variables, problems: Problems): Proxy | undefined {
  const text = valueOf(name, variables);
  if (text === '') return undefined;
  const proxy = parseProxy(text.includes('://') ? text : `http://${text}`);
  const advice = 'or set `proxy` in the config, where `proxy: off` goes without';
  if (proxy === undefined)
    problems.error([], `the environment variable ${name} (or in capitals) ${PROXY_RULE}; ${advice}`);
  return proxy;
}

/** In small letters first, as everybody reads them; an empty one says nothing. */
function valueOf(name: string, variables: Variables): string {
  return variables[name]?.trim() || variables[name.toUpperCase()]?.trim() || '';
}
