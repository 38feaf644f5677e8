/** Faults of what is written, claimed and taken over. */
import type { Planted } from './planted.ts';

export const LEDGER: readonly Planted[] = [
  {
    does: 'claims what is behind an earlier message of its job',
    file: 'src/ledger/deliveries/claim-due.ts',
    from: '\n        AND NOT EXISTS (${EARLIER})',
    to: '',
  },
  {
    does: 'tells a recovery without waiting for the error that it answers',
    file: 'src/ledger/deliveries/rows.ts',
    from: 'earlier.error_of = deliveries.recovery_of',
    to: 'earlier.error_of = deliveries.job_key',
  },
  {
    does: 'claims what another process has claimed',
    file: 'src/ledger/deliveries/claim-due.ts',
    from: 'AND due_at <= ${tx.now} AND ${IS_IDLE} AND ${which}',
    to: 'AND due_at <= ${tx.now} AND ${which}',
  },
  {
    does: 'does not hold the beginning of a run when its result comes',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'if (!isFirstOfJob && args.status !== EXECUTING)',
    to: 'if (!isFirstOfJob && isFirstOfJob)',
    unseen: 'a second guard: it is held when it is claimed, or when its attempt fails',
  },
  {
    does: 'takes a beginning that comes after its result as any callback',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'const isLateStart = args.status === EXECUTING && hasResult;',
    to: 'const isLateStart = isFirstOfJob && hasResult;',
  },
  {
    does: 'has a POST of a known callback attempt nothing',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'const own = isLateStart || args.isAccepted ? []',
    to: 'const own = isLateStart || id > 0 ? []',
    unseen: 'what nobody attempts is taken over at once by the same POST, and told by the next tick',
  },
  {
    does: 'has a POST attempt again what was delivered',
    file: 'src/ledger/deliveries/deliveries.ts',
    from: "WHERE callback_id = ${callbackId} AND state = 'pending' AND ${IS_IDLE} ORDER BY id",
    to: "WHERE callback_id = ${callbackId} AND state <> 'held' AND ${IS_IDLE} ORDER BY id",
    unseen: 'a second guard: only what is pending in the answer is attempted',
  },
  {
    does: 'writes a failure though the claim was lost',
    file: 'src/ledger/deliveries/settle.ts',
    from: "if (row?.state !== 'pending' || row.owner !== owner) return undefined;",
    to: "if (row?.state !== 'pending' || owner === '') return undefined;",
    unseen: 'a claim is lost only while the store is in trouble, and then the next attempt is excused',
  },
  {
    does: 'gives back to the service what was taken over',
    file: 'src/ledger/deliveries/settle.ts',
    from: 'const isTakenOver = row.isTakenOver || update.isTakenOver;',
    to: 'const { isTakenOver } = update;',
    unseen: 'it is taken over anyway, after take_over_after: the contract bounds it by that',
  },
  {
    does: 'leaves held what a summary told',
    file: 'src/ledger/deliveries/settle.ts',
    from: 'else if (row.jobKey === undefined) await tellSummarised',
    to: "else if (row.jobKey === 'none') await tellSummarised",
  },
  {
    does: 'does not write a success',
    file: 'src/ledger/deliveries/settle.ts',
    from: ".filter(({ state }) => state === 'delivered')\n    .toSorted",
    to: ".filter(({ state, id }) => state === 'delivered' && id % 5 > 0)\n    .toSorted",
  },
  {
    does: 'has an outcome end another delivery',
    file: 'src/ledger/deliveries/settle.ts',
    from: "WHERE deliveries.id = ${id} AND destination = ${destination} AND state <> 'delivered'\n      AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt}",
    to: "WHERE deliveries.id IN (${id}, ${id + 1 + 0 * destination.length * receivedAt}) AND state <> 'delivered'",
  },
  {
    does: 'takes over ten minutes late what a process had in hand that was killed',
    file: 'src/ledger/deliveries/deliveries.ts',
    from: 'const dueInMs = takenOverInMs ?? 0;',
    to: 'const dueInMs = takenOverInMs === undefined ? 0 : takenOverInMs + 600_000;',
    unseen:
      'the service mostly posts again before; killed amid the only POST, with no other trouble near, is one seed in a thousand',
  },
  {
    does: 'frees nothing that the dead had in hand',
    file: 'src/ledger/deliveries/free-claims.ts',
    from: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;',
    to: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}) AND 1 = 0)`;',
  },
  {
    does: 'frees what the living have in hand',
    file: 'src/ledger/deliveries/free-claims.ts',
    from: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;',
    to: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living} AND 1 = 0))`;',
  },
  {
    does: 'never gives back what a call has claimed whose answer was lost',
    file: 'src/ledger/shared/upkeep.ts',
    from: 'now - since(claim) > workMs;',
    to: 'now - since(claim) > Infinity * workMs;',
  },
  {
    does: 'gives back what is on its way into its hands',
    file: 'src/ledger/shared/upkeep.ts',
    from: 'now - since(claim) > workMs;',
    to: 'now - since(claim) >= 0 * workMs;',
  },
  {
    does: 'gives back what it has in hand',
    file: 'src/ledger/shared/upkeep.ts',
    from: '!hands.has(each) && !this.#unwritten',
    to: 'hands.has(each) && !this.#unwritten',
  },
  {
    does: 'does not take over what it says it has taken over',
    file: 'src/ledger/deliveries/deliveries.ts',
    from: 'UPDATE deliveries SET is_taken_over = 1, due_at = CASE WHEN due_at > ${tx.now} THEN ${tx.now} ELSE due_at END',
    to: 'UPDATE deliveries SET due_at = due_at + 0 * ${tx.now}',
    unseen:
      'what nobody has taken over is taken over anyway, after take_over_after: the contract bounds it by that',
  },
  {
    does: 'has what is given back wait for ever',
    file: 'src/ledger/deliveries/deliveries.ts',
    from: 'is_taken_over = 1, due_at = ${tx.now}, updated_at = ${tx.now}, ${age},',
    to: 'is_taken_over = 1, due_at = ${tx.now + 1e11}, updated_at = ${tx.now}, ${age},',
  },
  {
    does: 'does not tell the other processes of a pause',
    file: 'src/ledger/shared/paces.ts',
    from: 'VALUES (${key}, ${tx.now + obeyedMs(ms)}, ${tx.now + obeyedMs(ms)})',
    to: 'VALUES (${key}, ${tx.now + 0 * obeyedMs(ms)}, ${tx.now})',
  },
  {
    does: 'forgets a success that could not be written',
    file: 'src/ledger/database-ledger.ts',
    from: 'this.unwritten.keep(settlement);',
    to: '',
  },
  {
    does: 'routes anew while configs differ',
    file: 'src/ledger/shared/processes.ts',
    from: 'if (all.every(isOwn)) return true;',
    to: 'if (all.length > 0) return true;',
    unseen:
      'in 150 seeds one callback came to somebody whom only a later config names and several processes ran, and by then all had that config',
  },
  {
    does: 'sends anew what was delivered though nobody said `again`',
    file: 'src/ledger/deliveries/by-hand.ts',
    from: "if (state === 'delivered') return again ? 'accepted' : 'delivered';",
    to: "if (state === 'delivered') return again ? 'delivered' : 'accepted';",
  },
  {
    does: 'says that it redelivers, and does not',
    file: 'src/ledger/deliveries/by-hand.ts',
    from: '  await makePending(tx, [row], { countsAnew: true, givenBackAt: tx.now });\n  return result;',
    to: '  return result;',
  },
  {
    does: 'dismisses what is delivered or waits',
    file: 'src/ledger/deliveries/by-hand.ts',
    from: "if (row.state !== 'dead' && !(row.state === 'held' && row.reason === NO_LONGER_ROUTED)) return 'not dead';",
    to: '',
  },
  {
    does: 'routes anew by hand to nobody new',
    file: 'src/ledger/deliveries/by-hand.ts',
    from: 'targets: lacking });\n  await makePending',
    to: 'targets: lacking.slice(0, 0) });\n  await makePending',
    unseen:
      'a callback that all were told of, then a config that names more, then a person who routes it anew: one seed in a thousand',
  },
  {
    does: 'redelivers in bulk all but the last',
    file: 'src/ledger/deliveries/bulks.ts',
    from: 'else await makePending(tx, rows, {',
    to: 'else await makePending(tx, rows.slice(1), {',
  },
  {
    does: 'takes the jobs of two BOTs for one',
    file: 'src/ledger/callbacks/keys.ts',
    from: 'return `${bot}\\n${job}`;',
    to: 'return `${bot.slice(0, 0)}\\n${job}`;',
    unseen:
      'whose result, thread and beginning it is goes by the BOT, too: one message only waits a moment for another BOT’s',
  },
  {
    does: 'tells of a run that it takes too long, although it has ended',
    file: 'src/ledger/deliveries/rows.ts',
    from: "WHEN 'overdue' THEN ${hasResult('callbacks')}",
    to: "WHEN 'overdue' THEN 1 = 0",
    unseen: 'held beside the result of its run, it is told in one summary with it, which says nothing of it',
  },
];
