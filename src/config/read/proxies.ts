/** Reads `proxy`, or if that is empty the environment's proxy variables. */
import { exemptHosts, NO_PROXIES, parseProxy, type Proxies, type Proxy } from '../../outbound/proxy.ts';
import { PROXY_RULE } from '../schema/forms.ts';
import type { Problems } from '../problems.ts';
import { fault } from '../words.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** @param text the value of `proxy`; empty to use the environment variables */
export function readProxies(text: string, variables: Variables, problems: Problems): Proxies {
  if (text === 'off') return NO_PROXIES;
  const exempt = exemptHosts(valueOf('no_proxy', variables));
  const read = (name: string) => (text === '' ? proxyIn(name, variables, problems) : parseProxy(text));
  return { https: read('https_proxy'), http: read('http_proxy'), exempt };
}

/** As with curl, a proxy without a scheme is an http:// proxy. */
function proxyIn(name: string, variables: Variables, problems: Problems): Proxy | undefined {
  const text = valueOf(name, variables);
  if (text === '') return undefined;
  const proxy = parseProxy(text.includes('://') ? text : `http://${text}`);
  if (proxy === undefined) problems.error([], fault('proxy.variable', { name, what: PROXY_RULE }));
  return proxy;
}

/** The lower-case name takes precedence, as in other programs; an empty value counts as unset. */
function valueOf(name: string, variables: Variables): string {
  return variables[name]?.trim() || variables[name.toUpperCase()]?.trim() || '';
}
