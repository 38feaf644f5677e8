/** What a config that is loaded while Botbell runs cannot change: the listeners' addresses, and the store. */
import type { AdminConfig, Config } from '../config/config.ts';
import { isLoopback } from '../config/field-rules.ts';

export interface AsItCanRun {
  readonly config: Config;
  /** What the next config has otherwise, by its key in the file: `receiver.listen`. */
  readonly unchanged: readonly string[];
}

/** @param running in force, which has what cannot change as it was when Botbell was started */
export function asItCanRun(next: Config, running: Config): AsItCanRun {
  const { admin, unchanged } = adminAsItCanRun(next.admin, running.admin);
  const { listen } = running.receiver;
  const { url, maxSizeBytes } = running.store;
  const config = {
    ...next,
    admin,
    receiver: { ...next.receiver, listen },
    store: { ...next.store, url, maxSizeBytes },
  };
  const others = [
    !isSameAddress(next.receiver.listen, listen) && 'receiver.listen',
    next.store.url !== url && 'store.url',
    next.store.maxSizeBytes !== maxSizeBytes && 'store.max_size',
  ];
  return { config, unchanged: [...others.filter((key) => key !== false), ...unchanged] };
}

type Address = AdminConfig['listen'];

function isSameAddress(one: Address, other: Address): boolean {
  return one.host === other.host && one.port === other.port;
}

/** A password that is only missing because the next config listens on loopback stays, as long as the listener does not. */
function adminAsItCanRun(
  next: AdminConfig | undefined,
  running: AdminConfig | undefined,
): { readonly admin: AdminConfig | undefined; readonly unchanged: readonly string[] } {
  if (running === undefined || next === undefined) {
    return { admin: running, unchanged: running === next ? [] : ['admin.listen'] };
  }
  const { listen } = running;
  const isOpen = !isLoopback(listen.host) && next.password === undefined;
  const password = isOpen ? running.password : next.password;
  return {
    admin: { ...next, listen, password },
    unchanged: [
      ...(isSameAddress(next.listen, listen) ? [] : ['admin.listen']),
      ...(isOpen ? ['admin.password'] : []),
    ],
  };
}
