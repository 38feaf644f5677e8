/** Faults in the rules that decide who is told, when and how. */
import type { Planted } from './planted.ts';

export const SIGNAL: readonly Planted[] = [
  {
    does: 'does not watch whether a run takes too long',
    file: 'src/ledger/callbacks/admit.ts',
    change: 'await beginTimers(tx, overdueTimers({ ...args, ...arrived }, «asking.overdueMs → []»));',
  },
  {
    does: 'has a success end no snooze',
    file: 'src/ledger/timers/admission.ts',
    change: 'snooze.isUntilSuccess && «snooze.botId === botId → botId === undefined»;',
  },
  {
    does: 'compares an error with the first one that was told, not with the last',
    file: 'src/signal/streak.ts',
    change: 'const last = errors.at(«-1 → 0»);',
  },
  {
    does: 'tells each success as recovered',
    file: 'src/signal/streak.ts',
    change: 'return errors.«some((error) => error.startedAt <= startedAt) → length >= 0 * startedAt»;',
  },
  {
    does: 'says of a repeated error how many came before, again and again',
    file: 'src/signal/decide.ts',
    change:
      'return «{ ...withToldError(told, { id, startedAt, likeness, at: now }, row), heldBack: 0 } → withToldError(told, { id, startedAt, likeness, at: now }, row)»;',
  },
  {
    does: 'does not mute after midnight',
    file: 'src/signal/hold.ts',
    change: 'return [today« - DAY_MS, today → »]',
  },
  {
    does: 'has a snooze of one BOT hold every BOT',
    file: 'src/signal/hold.ts',
    change:
      '.filter((snooze) => snooze.botId === undefined || «snooze.botId === botId → botId !== undefined»)',
  },
  {
    does: 'lets one message more through than a burst allows',
    file: 'src/signal/decide.ts',
    change: 'if (count <« → =» max) return',
  },
  {
    does: 'never begins a new window of a burst',
    file: 'src/signal/decide.ts',
    change:
      'const isOpen = last !== undefined && «Math.abs(now - last.startedAt) < perMs → now - perMs < Infinity»;',
  },
  {
    does: 'tells a missed result again at each due time',
    file: 'src/signal/expect.ts',
    change: 'return { ...expected, «missed: expected.dueAt → dueAt: expected.dueAt + 120_000» };',
  },
];
