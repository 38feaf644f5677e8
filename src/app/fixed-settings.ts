/** What a config that is loaded while Botbell runs cannot change: the listeners' addresses, and the store. */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';

export interface AsItCanRun {
  readonly config: Config;
  /** What the next config has otherwise, by its key in the file: `receiver.listen`. */
  readonly unchanged: readonly string[];
}

/**
 * @param running in force, which has what cannot change as it was when Botbell was started. An admin listener whose address
 * would change stays as a whole: a password that goes with another address may be none.
 */
export function asItCanRun(next: Config, running: Config): AsItCanRun {
  const { listen } = running.receiver;
  const { url, maxSizeBytes } = running.store;
  const isAdminKept = !isDeepStrictEqual(next.admin?.listen, running.admin?.listen);
  const unchanged = [
    !isDeepStrictEqual(next.receiver.listen, listen) && 'receiver.listen',
    next.store.url !== url && 'store.url',
    next.store.maxSizeBytes !== maxSizeBytes && 'store.max_size',
    isAdminKept && 'admin.listen',
  ];
  const admin = isAdminKept ? running.admin : next.admin;
  const receiver = { ...next.receiver, listen };
  const config = { ...next, admin, receiver, store: { ...next.store, url, maxSizeBytes } };
  return { config, unchanged: unchanged.filter((key) => key !== false) };
}
