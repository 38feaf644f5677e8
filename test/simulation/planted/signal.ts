/** Faults in the rules that decide who is told, when and how. */
import type { Planted } from './planted.ts';

export const SIGNAL: readonly Planted[] = [
  {
    does: 'does not watch whether a run takes too long',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'await beginTimers(tx, overdueTimers({ ...args, ...arrived }, asking.overdueMs));',
    to: 'await beginTimers(tx, overdueTimers({ ...args, ...arrived }, []));',
  },
  {
    does: 'has a success end no snooze',
    file: 'src/ledger/timers/admission.ts',
    from: 'snooze.isUntilSuccess && snooze.botId === botId;',
    to: 'snooze.isUntilSuccess && botId === undefined;',
  },
  {
    does: 'compares an error with the first one that was told, not with the last',
    file: 'src/signal/streak.ts',
    from: 'const last = errors.at(-1);',
    to: 'const last = errors.at(0);',
  },
  {
    does: 'tells each success as recovered',
    file: 'src/signal/streak.ts',
    from: 'return errors.some((error) => error.startedAt <= startedAt);',
    to: 'return errors.length >= 0 * startedAt;',
  },
  {
    does: 'says of a repeated error how many came before, again and again',
    file: 'src/signal/decide.ts',
    from: 'return { ...withToldError(told, { id, startedAt, likeness, at: now }, row), heldBack: 0 };',
    to: 'return withToldError(told, { id, startedAt, likeness, at: now }, row);',
  },
  {
    does: 'does not mute after midnight',
    file: 'src/signal/hold.ts',
    from: 'return [today - DAY_MS, today]',
    to: 'return [today]',
  },
  {
    does: 'has a snooze of one BOT hold every BOT',
    file: 'src/signal/hold.ts',
    from: '.filter((snooze) => snooze.botId === undefined || snooze.botId === botId)',
    to: '.filter((snooze) => snooze.botId === undefined || botId !== undefined)',
  },
  {
    does: 'lets one message more through than a burst allows',
    file: 'src/signal/decide.ts',
    from: 'if (count < max) return',
    to: 'if (count <= max) return',
  },
  {
    does: 'never begins a new window of a burst',
    file: 'src/signal/decide.ts',
    from: 'const isOpen = last !== undefined && Math.abs(now - last.startedAt) < perMs;',
    to: 'const isOpen = last !== undefined && now - perMs < Infinity;',
  },
  {
    does: 'tells a missed result again at each due time',
    file: 'src/signal/expect.ts',
    from: 'return { ...expected, missed: expected.dueAt };',
    to: 'return { ...expected, dueAt: expected.dueAt + 120_000 };',
  },
];
