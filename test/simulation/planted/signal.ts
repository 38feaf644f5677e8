/** Faults of the rules that decide who is told, when, and how. */
import type { Planted } from './planted.ts';

export const SIGNAL: readonly Planted[] = [
  {
    does: 'does not watch whether a run takes too long',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'await beginTimers(tx, overdueTimers({ ...args, ...arrived }, asking.overdueMs));',
    to: 'await beginTimers(tx, overdueTimers({ ...args, ...arrived }, []));',
  },
  {
    does: 'has a success end no errors where it is not told',
    file: 'src/ledger/timers/admission.ts',
    from: 'return arriving.status === 0 ? withSuccessAt(told, startOf(arriving)) : told;',
    to: 'return arriving.status === undefined ? withSuccessAt(told, startOf(arriving)) : told;',
  },
  {
    does: 'has any BOT’s success end a snooze',
    file: 'src/ledger/timers/admission.ts',
    from: 'isWell && snooze.isUntilSuccess && snooze.botId === botId);',
    to: 'isWell && snooze.isUntilSuccess && botId !== undefined);',
    unseen:
      'a snooze until a success of one BOT, a success of another and then an error of the first: one seed in a thousand',
  },
  {
    does: 'has a success end no snooze',
    file: 'src/ledger/timers/admission.ts',
    from: 'isWell && snooze.isUntilSuccess && snooze.botId === botId);',
    to: 'isWell && snooze.isUntilSuccess && botId === undefined);',
  },
  {
    does: 'waits for one error more than after_failures',
    file: 'src/signal/decide.ts',
    from: 'if (row.failures < rules.afterFailures)',
    to: 'if (rules.afterFailures > 1 && row.failures <= rules.afterFailures)',
  },
  {
    does: 'does not ask `when`',
    file: 'src/signal/decide.ts',
    from: 'if (rules.when !== undefined && unmet.includes(rules.when))',
    to: "if (rules.when === 'never' && unmet.includes(rules.when))",
  },
  {
    does: 'compares an error with the first one that was told, not with the last',
    file: 'src/signal/streak.ts',
    from: 'const last = errors.at(-1);',
    to: 'const last = errors.at(0);',
  },
  {
    does: 'counts errors across a success',
    file: 'src/signal/streak.ts',
    from: 'const first = results.findLastIndex(({ isError }, index) => index < position && !isError) + 1;',
    to: 'const first = 0;',
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
    does: 'holds what one route tells because another one holds it',
    file: 'src/signal/decide.ts',
    from: "    ...routes.filter(({ does }) => does === 'tell'),\n    ...held.toSorted((a, b) => endOf(a) - endOf(b)),",
    to: "    ...held.toSorted((a, b) => endOf(a) - endOf(b)),\n    ...routes.filter(({ does }) => does === 'tell'),",
  },
  {
    does: 'mutes errors that a window excepts',
    file: 'src/signal/hold.ts',
    from: 'except?.includes(status) !== true);',
    to: "except?.includes('executing') !== true);",
  },
  {
    does: 'does not mute after midnight',
    file: 'src/signal/hold.ts',
    from: 'return [today - DAY_MS, today]',
    to: 'return [today]',
  },
  {
    does: 'tells what is muted',
    file: 'src/signal/decide.ts',
    from: "return hold === undefined ? { does: 'tell' }",
    to: "return hold === undefined || hold.rule === 'mute' ? { does: 'tell' }",
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
  {
    does: 'does not say that a result is late',
    file: 'src/signal/expect.ts',
    from: 'lateFor: expected.missed ?? (isMissed ? expected.dueAt : undefined),',
    to: 'lateFor: at < 0 ? rule.graceMs : undefined,',
  },
  {
    does: 'has any callback, not only a result, meet what is expected',
    file: 'src/signal/expect.ts',
    from: 'if (!isResult) return',
    to: 'if (isResult === undefined) return',
  },
  {
    does: 'begins no hold to end when somebody ends a snooze',
    file: 'src/ledger/timers/timers.ts',
    from: 'UPDATE snoozes SET until_at = ${tx.now} WHERE',
    to: 'UPDATE snoozes SET until_at = until_at + 0 * ${tx.now} WHERE',
  },
  {
    does: 'counts an error as told that became a dead letter',
    file: 'src/ledger/timers/facts.ts',
    from: "const IS_UNTOLD = sql`(state IN ('dead', 'held')",
    to: "const IS_UNTOLD = sql`(state IN ('held')",
    unseen:
      'a dead letter, then the same error under a rule that compares, and neither held: one seed in a thousand',
  },
];
