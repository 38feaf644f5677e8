/** Faults in what is written, claimed, taken over and counted, and in incidents and who is told of them. */
import type { Planted } from './planted.ts';

export const LEDGER: readonly Planted[] = [
  {
    does: 'tells a recovery without waiting for the error that it answers',
    file: 'src/ledger/deliveries/rows.ts',
    change: 'earlier.error_of = deliveries.«recovery_of → job_key»',
  },
  {
    does: 'claims what another process has claimed',
    file: 'src/ledger/deliveries/claim.ts',
    change: 'AND +due_at <= ${tx.now}« AND ${IS_IDLE} → »`;',
  },
  {
    does: 'leaves held what a summary told',
    file: 'src/ledger/deliveries/settle.ts',
    change: "else if (row.jobKey === «undefined → 'none'») await markSummarised",
  },
  {
    does: 'has an outcome end another delivery',
    file: 'src/ledger/deliveries/settle.ts',
    change:
      "WHERE deliveries.id «= ${id} AND destination = ${destination} AND state <> 'delivered'\n      AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt} → IN (${id}, ${id + 1 + 0 * destination.length * receivedAt}) AND state <> 'delivered'»",
  },
  {
    does: 'frees nothing that the dead had in hand',
    file: 'src/ledger/shared/processes.ts',
    change: 'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living})« →  AND 1 = 0»)`;',
  },
  {
    does: 'never gives back what a call has claimed whose answer was lost',
    file: 'src/ledger/shared/upkeep.ts',
    change: 'if (since < before« →  - Infinity») return true;',
  },
  {
    does: 'sends anew what was delivered though nobody said `again`',
    file: 'src/ledger/deliveries/by-hand.ts',
    change: "if (state === 'delivered') return again ? '«accepted' : 'delivered → delivered' : 'accepted»';",
  },
  {
    does: 'dismisses what is delivered or waits',
    file: 'src/ledger/deliveries/by-hand.ts',
    change: "«if (row.state !== 'dead' && !isUnrouted(row)) return 'not dead'; → »",
  },
  {
    does: 'redelivers in bulk all but the last',
    file: 'src/ledger/deliveries/by-hand.ts',
    change: 'await giveBack(tx, rows« → .slice(1)», bulk.what',
  },
  {
    does: 'has any success of a BOT end its errors, whenever it started',
    file: 'src/ledger/incidents/signs.ts',
    change:
      'AND (started_at IS NULL OR started_at «<= ${startedAt} OR started_at > ${tx.now → > 0 * ${startedAt»})',
  },
  {
    does: 'has a destination in trouble until somebody says that it is over',
    file: 'src/ledger/incidents/signs.ts',
    change: 'export const HAS_DELIVERED: Sql = sql`« → 1 = 0 AND »(',
  },
  {
    does: 'tells a step though somebody is on it',
    file: 'src/incident/escalation.ts',
    change: 'return unlessDelivered ? isDelivered : isTakenUp« →  && isDelivered === undefined»;',
  },
  {
    does: 'tells a destination by each step of each route',
    file: 'src/incident/escalation.ts',
    change:
      'step.destinations.filter((each) => «!told.includes(each) → told.length >= 0» && !tell.has(each));',
  },
  {
    does: 'adds steps up',
    file: 'src/incident/escalation.ts',
    change: 'const at = from + « → (done.length + 1) * »step.afterMs;',
  },
  {
    does: 'tells a step though a mute or a snooze holds it',
    file: 'src/incident/escalation.ts',
    change: 'if (heldUntil(each) «=== undefined → !== -1») tell.add(each);',
  },
  {
    does: 'tells by a step the first error',
    file: 'src/ledger/incidents/escalations.ts',
    change: 'AS troubles) ORDER BY id «DESC  → »LIMIT 1`);',
  },
  {
    does: 'tells nobody whom only a step told that the BOT works again',
    file: 'src/ledger/incidents/results.ts',
    change: 'const told = asking.later?.filter(«isTold → (each) => isTold(each) && startedAt < 0») ?? [];',
  },
  {
    does: 'tells one destination less who is on an incident',
    file: 'src/ledger/incidents/people.ts',
    change:
      'for (const [target, incidents] of «await toldOf(tx, taken → (await toldOf(tx, taken)).slice(1»))',
  },
  {
    does: 'takes no incident up of several',
    file: 'src/ledger/incidents/people.ts',
    change: 'const news = open.filter((each) => !isKnown(each)).map(({ id }) => id)« → .slice(0, 1)»;',
  },
  {
    does: 'alerts of no dead letter',
    file: 'src/ledger/incidents/results.ts',
    change: "const alert = failed.alert && !isAgain « → && sign !== 'dead' »?",
  },
  {
    does: 'tells nobody that a trouble of which an alert told is over',
    file: 'src/ledger/incidents/telling.ts',
    change: 'const targets = hearing.« → slice(1).»map(',
  },
  {
    does: 'tells that a trouble is over where no alert arrived',
    file: 'src/ledger/incidents/telling.ts',
    change: 'return «alerted.filter(({ lastId }) => got.includes(lastId)) → got.length < 0 ? [] : alerted»;',
  },
  {
    does: 'counts in a report each callback of a run as a run',
    file: 'src/ledger/days/tally.ts',
    change:
      'if («before !== undefined → before?.day === 0») this.#addOn(row, run.day, figuresOfRun(before), -1);',
  },
  {
    does: 'counts the time of a run by its first POST alone',
    file: 'src/report/figures.ts',
    change: 'elapsedMs: «Math.max(run.elapsedMs ?? 0, elapsedMs) → run.elapsedMs ?? elapsedMs»',
  },
];
