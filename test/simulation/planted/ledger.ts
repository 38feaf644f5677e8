/** Faults of what is written, claimed and taken over. */
import type { Planted } from './planted.ts';

export const LEDGER: readonly Planted[] = [
  {
    does: 'claims what is behind an earlier message of its job',
    file: 'src/ledger/deliveries/claim.ts',
    from: ' AND NOT EXISTS (${EARLIER})',
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
    file: 'src/ledger/deliveries/claim.ts',
    from: 'AND +due_at <= ${tx.now} AND ${IS_IDLE}`;',
    to: 'AND +due_at <= ${tx.now}`;',
  },
  {
    does: 'takes a beginning that comes after its result as any callback',
    file: 'src/ledger/callbacks/admit.ts',
    from: 'const isLateStart = args.status === EXECUTING && ofJob.hasResult;',
    to: 'const isLateStart = ofJob.isFirstOfJob && ofJob.hasResult;',
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
    from: 'const { id, destination, receivedAt, attempts, receipt } = update;',
    to: 'const { destination, receivedAt, attempts, receipt } = update;\n  const id = update.id % 5 > 0 ? update.id : -1;',
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
    file: 'src/ledger/shared/processes.ts',
    from: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;',
    to: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}) AND 1 = 0)`;',
  },
  {
    does: 'frees what the living have in hand',
    file: 'src/ledger/shared/processes.ts',
    from: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living}))`;',
    to: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living} AND 1 = 0))`;',
  },
  {
    does: 'never gives back what a call has claimed whose answer was lost',
    file: 'src/ledger/shared/upkeep.ts',
    from: 'if (since < before) return true;',
    to: 'if (since < before - Infinity) return true;',
  },
  {
    does: 'gives back what is on its way into its hands',
    file: 'src/ledger/shared/upkeep.ts',
    from: 'if (since < before) return true;',
    to: 'if (since < before + Infinity) return true;',
  },
  {
    does: 'gives back what it has in hand',
    file: 'src/ledger/shared/upkeep.ts',
    from: '!hands.has(each) && !this.#unwritten',
    to: 'hands.has(each) && !this.#unwritten',
  },
  {
    does: 'has what is given back wait for ever',
    file: 'src/ledger/deliveries/deliveries.ts',
    from: 'is_taken_over = 1, due_at = ${now}, updated_at = ${now}, ${age},',
    to: 'is_taken_over = 1, due_at = ${now + 1e11}, updated_at = ${now}, ${age},',
  },
  {
    does: 'does not tell the other processes of a pause',
    file: 'src/ledger/deliveries/failing.ts',
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
    from: 'return makePending(tx, rows, anew',
    to: 'return makePending(tx, [], anew',
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
    from: 'await addRows(tx, callbackId, lacking);',
    to: 'await addRows(tx, callbackId, lacking.slice(0, 0));',
    unseen:
      'a callback that all were told of, then a config that names more, then a person who routes it anew: one seed in a thousand',
  },
  {
    does: 'redelivers in bulk all but the last',
    file: 'src/ledger/deliveries/by-hand.ts',
    from: 'await giveBack(tx, rows, bulk.what',
    to: 'await giveBack(tx, rows.slice(1), bulk.what',
  },
  {
    does: 'has any success of a BOT end its errors, whenever it started',
    file: 'src/ledger/incidents/signs.ts',
    from: 'AND (started_at IS NULL OR started_at < ${startedAt} OR started_at > ${tx.now})',
    to: 'AND (started_at IS NULL OR started_at > 0 * ${startedAt})',
  },
  {
    does: 'counts an error only where it opens an incident',
    file: 'src/ledger/incidents/signs.ts',
    from: 'count = incidents.count + CAST(${!isAgain} AS INTEGER),',
    to: 'count = incidents.count + 0 * CAST(${!isAgain} AS INTEGER),',
  },
  {
    does: 'has a destination in trouble until somebody says that it is over',
    file: 'src/ledger/incidents/signs.ts',
    from: 'export const HAS_DELIVERED: Sql = sql`(',
    to: 'export const HAS_DELIVERED: Sql = sql`1 = 0 AND (',
  },
  {
    does: 'counts what came once more when it is added to the days',
    file: 'src/ledger/days/roll-up.ts',
    from: 'const callbackId = next ?? Math.max(from.callbackId, until.callbackId);',
    to: 'const callbackId = next ?? from.callbackId;',
  },
  {
    does: 'keeps a run unfinished that began before its result came',
    file: 'src/report/figures.ts',
    from: 'status: isResult ? status : (run?.status ?? status),',
    to: 'status: run?.status ?? status,',
  },
  {
    does: 'believes of a run’s time what its last POST says, in place of the longest',
    file: 'src/report/figures.ts',
    from: 'elapsedMs: Math.max(run.elapsedMs ?? 0, elapsedMs)',
    to: 'elapsedMs',
  },
  {
    does: 'counts a run on the day on which it was told of',
    file: 'src/report/figures.ts',
    from: 'day: run?.day ?? dayOf(begunAt),',
    to: 'day: run?.day ?? dayOf(receivedAt),',
  },
  {
    does: 'warns of the budget again and again',
    file: 'src/report/budget.ts',
    from: 'told: first === undefined ? told : [...told, first] };',
    to: 'told };',
  },
  {
    does: 'warns of the budget anew with each config that it loads',
    file: 'src/deliver/reports.ts',
    from: 'const data = known ?? { from: 0, told: [] };',
    to: 'const data = { from: known === undefined ? 0 : 1, told: [] };',
  },
];
