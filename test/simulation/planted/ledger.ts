/** Faults of what is written, claimed and taken over. */
import type { Planted } from './planted.ts';

export const LEDGER: readonly Planted[] = [
  {
    does: 'claims what is behind an earlier message of its job',
    file: 'src/ledger/operations/claim-due.ts',
    from: '\n        AND NOT EXISTS (${EARLIER_IN_JOB})',
    to: '',
  },
  {
    does: 'claims what another process has claimed',
    file: 'src/ledger/operations/claim-due.ts',
    from: 'AND due_at <= ${tx.now} AND ${isIdle(tx.now)} AND ${which}',
    to: 'AND due_at <= ${tx.now} AND ${which}',
  },
  {
    does: 'does not hold the beginning of a run when its result comes',
    file: 'src/ledger/operations/admit.ts',
    from: 'if (!isFirstOfJob && args.status !== EXECUTING)',
    to: 'if (!isFirstOfJob && isFirstOfJob)',
  },
  {
    does: 'takes a beginning that comes after its result as any callback',
    file: 'src/ledger/operations/admit.ts',
    from: 'const isLateStart = args.status === EXECUTING && job.hasResult;',
    to: 'const isLateStart = isFirstOfJob && job.hasResult;',
  },
  {
    does: 'has a POST of a known callback attempt nothing',
    file: 'src/ledger/operations/admit.ts',
    from: 'const own = isLateStart || args.isAccepted ? []',
    to: 'const own = isLateStart || id > 0 ? []',
    unseen: 'what nobody attempts is taken over at once by the same POST, and told by the next tick',
  },
  {
    does: 'has a POST attempt again what was delivered',
    file: 'src/ledger/operations/deliveries.ts',
    from: "WHERE callback_id = ${callbackId} AND state = 'pending' AND ${isIdle(tx.now)} ORDER BY id",
    to: "WHERE callback_id = ${callbackId} AND state <> 'held' AND ${isIdle(tx.now)} ORDER BY id",
    unseen: 'a second guard: only what is pending in the answer is attempted',
  },
  {
    does: 'writes a failure though the claim was lost',
    file: 'src/ledger/operations/settle.ts',
    from: "if (row?.state !== 'pending' || row.owner !== owner) return undefined;",
    to: "if (row?.state !== 'pending' || owner === '') return undefined;",
  },
  {
    does: 'gives back to the service what was taken over',
    file: 'src/ledger/operations/settle.ts',
    from: 'const isTakenOver = row.isTakenOver || update.isTakenOver;',
    to: 'const { isTakenOver } = update;',
  },
  {
    does: 'leaves held what a summary told',
    file: 'src/ledger/operations/settle.ts',
    from: 'else if (row.jobKey === undefined) await tellSummarised',
    to: "else if (row.jobKey === 'none') await tellSummarised",
  },
  {
    does: 'does not write a success',
    file: 'src/ledger/operations/settle.ts',
    from: "updates.filter(({ state }) => state === 'delivered').toSorted",
    to: "updates.filter(({ state, id }) => state === 'delivered' && id % 5 > 0).toSorted",
  },
  {
    does: 'has an outcome end another delivery',
    file: 'src/ledger/operations/settle.ts',
    from: "WHERE id = ${id} AND destination = ${destination} AND state <> 'delivered'\n      AND (SELECT identity FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${identity}",
    to: "WHERE id IN (${id}, ${id + 1 + 0 * destination.length * identity.length}) AND state <> 'delivered'",
  },
  {
    does: 'alerts of a cause each time',
    file: 'src/ledger/operations/alerts.ts',
    from: 'const isDue = Math.abs(tx.now - toldAt) >= ONCE_WITHIN_MS;',
    to: 'const isDue = toldAt >= 0;',
  },
  {
    does: 'never takes over by itself what a process had in hand that was killed',
    file: 'src/ledger/operations/deliveries.ts',
    from: 'const dueInMs = takenOverInMs ?? 0;',
    to: 'const dueInMs = takenOverInMs === undefined ? 0 : 1e12;',
  },
  {
    does: 'does not lengthen a claim',
    file: 'src/ledger/operations/deliveries.ts',
    from: 'UPDATE deliveries SET claimed_until = ${tx.now + claimedForMs}\n',
    to: 'UPDATE deliveries SET claimed_until = claimed_until + ${0 * claimedForMs}\n',
  },
  {
    does: 'does not take over what it says it has taken over',
    file: 'src/ledger/operations/deliveries.ts',
    from: 'UPDATE deliveries SET is_taken_over = 1, due_at = CASE WHEN due_at > ${tx.now} THEN ${tx.now} ELSE due_at END',
    to: 'UPDATE deliveries SET due_at = due_at + 0 * ${tx.now}',
    unseen:
      'what nobody has taken over is taken over anyway, after take_over_after: the contract bounds it by that',
  },
  {
    does: 'has what is given back wait for ever',
    file: 'src/ledger/operations/deliveries.ts',
    from: 'is_taken_over = 1, due_at = ${tx.now}, updated_at = ${tx.now}, ${age},',
    to: 'is_taken_over = 1, due_at = ${tx.now + 1e11}, updated_at = ${tx.now}, ${age},',
  },
  {
    does: 'does not tell the other processes of a pause',
    file: 'src/ledger/operations/paces.ts',
    from: 'VALUES (${key}, ${tx.now + obeyedMs(ms)})',
    to: 'VALUES (${key}, ${tx.now + 0 * obeyedMs(ms)})',
  },
  {
    does: 'forgets a success that could not be written',
    file: 'src/ledger/database-ledger.ts',
    from: 'this.#unwritten.keep(settlement);',
    to: '',
  },
  {
    does: 'routes anew while configs differ',
    file: 'src/ledger/operations/processes.ts',
    from: 'if (all.every(isOwn)) return true;',
    to: 'if (all.length > 0) return true;',
  },
  {
    does: 'sends anew what was delivered though nobody said `again`',
    file: 'src/ledger/actions/by-hand.ts',
    from: "if (state === 'delivered') return again ? 'accepted' : 'delivered';",
    to: "if (state === 'delivered') return again ? 'delivered' : 'accepted';",
  },
  {
    does: 'says that it redelivers, and does not',
    file: 'src/ledger/actions/by-hand.ts',
    from: '  await makePending(tx, [row], { countsAnew: true, givenBackAt: tx.now });\n  return result;',
    to: '  return result;',
  },
  {
    does: 'dismisses what is delivered or waits',
    file: 'src/ledger/actions/by-hand.ts',
    from: "if (row.state !== 'dead' && !(row.state === 'held' && row.reason === NO_LONGER_ROUTED)) return 'not dead';",
    to: '',
  },
  {
    does: 'routes anew by hand to nobody new',
    file: 'src/ledger/actions/by-hand.ts',
    from: 'targets: lacking });\n  await makePending',
    to: 'targets: lacking.slice(0, 0) });\n  await makePending',
  },
  {
    does: 'redelivers in bulk all but the last',
    file: 'src/ledger/actions/bulks.ts',
    from: 'else await makePending(tx, rows, {',
    to: 'else await makePending(tx, rows.slice(1), {',
  },
];
