/** Reads `proxy`; where it says nothing, what the environment says. */
import { exemptHosts, NO_PROXIES, parseProxy, type Proxies, type Proxy } from '../outbound/proxy.ts';
import { PROXY_RULE } from './field-rules.ts';
import type { Problems } from './problems.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** @param text of `proxy`; empty: what the environment says */
export function readProxies(text: string, variables: Variables, problems: Problems): Proxies {
  if (text === 'off') return NO_PROXIES;
  const exempt = exemptHosts(valueOf('no_proxy', variables)?.text ?? '');
  if (text === '') return { ...ofEnvironment(variables, problems), exempt };
  const proxy = parseProxy(text);
  return { https: proxy, http: proxy, exempt };
}

function ofEnvironment(variables: Variables, problems: Problems): Omit<Proxies, 'exempt'> {
  const read = (name: string) => proxyIn(name, variables, problems);
  return { https: read('https_proxy'), http: read('http_proxy') };
}

/** As curl reads it, a proxy without a scheme is asked over http. */
function proxyIn(name: string, variables: Variables, problems: Problems): Proxy | undefined {
  const found = valueOf(name, variables);
  if (found === undefined) return undefined;
  const proxy = parseProxy(found.text.includes('://') ? found.text : `http://${found.text}`);
  if (proxy !== undefined) return proxy;
  const advice = 'or set `proxy` in the config, where `proxy: off` goes without';
  problems.error([], `the environment variable ${found.name} ${PROXY_RULE}; ${advice}`);
  return undefined;
}

/** In small letters first, as everybody reads them; an empty one says nothing. */
function valueOf(
  name: string,
  variables: Variables,
): { readonly name: string; readonly text: string } | undefined {
  const names = [name, name.toUpperCase()];
  const set = names.find((each) => (variables[each]?.trim() ?? '') !== '');
  return set === undefined ? undefined : { name: set, text: variables[set]?.trim() ?? '' };
}
