/** What a config that is loaded while Botbell runs cannot change: the listeners' addresses, and the store. */
import { isDeepStrictEqual } from 'node:util';
import type { AdminConfig, Config } from '../config/config.ts';
import { isLoopback } from '../config/field-rules.ts';

export interface AsItCanRun {
  readonly config: Config;
  /** What the next config has otherwise, by its key in the file: `receiver.listen`. */
  readonly unchanged: readonly string[];
}

/** @param running in force, which has what cannot change as it was when Botbell was started */
export function asItCanRun(next: Config, running: Config): AsItCanRun {
  const { listen } = running.receiver;
  const { url, maxSizeBytes } = running.store;
  const admin = adminAsItCanRun(next.admin, running.admin);
  const isPasswordKept =
    next.admin !== undefined && admin !== undefined && admin.password !== next.admin.password;
  const unchanged = [
    !isDeepStrictEqual(next.receiver.listen, listen) && 'receiver.listen',
    next.store.url !== url && 'store.url',
    next.store.maxSizeBytes !== maxSizeBytes && 'store.max_size',
    !isDeepStrictEqual(next.admin?.listen, admin?.listen) && 'admin.listen',
    isPasswordKept && 'admin.password',
  ];
  const receiver = { ...next.receiver, listen };
  const config = { ...next, admin, receiver, store: { ...next.store, url, maxSizeBytes } };
  return { config, unchanged: unchanged.filter((key) => key !== false) };
}

/** A password that is only missing because the next config listens on loopback stays, as long as the listener does not. */
function adminAsItCanRun(next: AdminConfig | undefined, running: AdminConfig | undefined) {
  if (next === undefined || running === undefined) return running;
  const { listen } = running;
  const password = isLoopback(listen.host) ? next.password : (next.password ?? running.password);
  return { ...next, listen, password };
}
