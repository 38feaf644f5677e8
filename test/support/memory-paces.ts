/** Paces as the ledger keeps them, for one process and in time moved by hand. */
import type { PaceStore } from '../../src/ledger/due/turns.ts';
import type { Clock } from '../../src/time/clock.ts';

export function memoryPaces(clock: Pick<Clock, 'monotonic'>): PaceStore {
  const next = new Map<string, number>();
  return {
    isShared: false,
    reserve(destination, intervalMs, mostMs) {
      const now = clock.monotonic();
      const slot = Math.max(now, next.get(destination) ?? 0);
      if (slot - now > mostMs) return Promise.resolve(undefined);
      next.set(destination, slot + intervalMs);
      return Promise.resolve(slot - now);
    },
    pause(destination, ms) {
      next.set(destination, clock.monotonic() + ms);
      return Promise.resolve();
    },
    forget(channel) {
      for (const key of next.keys()) if (key === channel || key.startsWith(`${channel}:`)) next.delete(key);
      return Promise.resolve();
    },
    current(idleMs) {
      const now = clock.monotonic();
      for (const [destination, at] of next) if (at < now - idleMs) next.delete(destination);
      return Promise.resolve([...next].map(([destination, at]) => ({ destination, nextInMs: at - now })));
    },
  };
}
