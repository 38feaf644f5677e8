/** Has the ledger forget what is old, a little at a time. */
import type { Chore } from '../deliver/chores.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { ForgetPosition } from '../ledger/operations/forget.ts';
import type { Clock } from '../time/clock.ts';
import type { AppSettings } from './settings.ts';

const INTERVAL_MS = 60_000;

/** Whoever may post can write these, and nobody was meant to read them. */
const REACHED_NOBODY_KEPT_MS = 3 * 86_400_000;

/** A digest, told once a week at the least, counts them, too. */
const DIGESTED_KEPT_MS = 8 * 86_400_000;

/** What was undelivered when its time came may be much, and changes little: it is looked at once a day. */
const ANEW_MS = 86_400_000;

interface RetentionParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly ledger: Pick<DatabaseLedger, 'forget'>;
  readonly settings: Pick<RunningSettings<AppSettings>, 'current'>;
}

export function retentionChore({ clock, ledger, settings }: RetentionParts): Chore {
  const oldest: ForgetPosition = { done: 0, reachedNobody: 0 };
  let from = oldest;
  let anewAt = -Infinity;
  return {
    everyMs: INTERVAL_MS,
    async work() {
      const { store, digests } = settings.current.config;
      const now = clock.now();
      if (clock.monotonic() >= anewAt) {
        from = oldest;
        anewAt = clock.monotonic() + ANEW_MS;
      }
      const { next, isMore } = await ledger.forget({
        doneBefore: now - store.keepMs,
        reachedNobodyBefore:
          now - Math.min(store.keepMs, digests.length > 0 ? DIGESTED_KEPT_MS : REACHED_NOBODY_KEPT_MS),
        from,
      });
      from = next;
      return isMore;
    },
  };
}
