/** Faults of incidents: how they count and end, and who is told of them. */
import type { Planted } from './planted.ts';

export const INCIDENT: readonly Planted[] = [
  {
    does: 'tells a step though somebody is on it',
    file: 'src/incident/escalation.ts',
    from: 'return unlessDelivered ? isDelivered : isTakenUp;',
    to: 'return unlessDelivered ? isDelivered : isTakenUp && isDelivered === undefined;',
  },
  {
    does: 'tells a step that is only for who has got nothing',
    file: 'src/incident/escalation.ts',
    from: 'return unlessDelivered ? isDelivered : isTakenUp;',
    to: 'return isTakenUp && (unlessDelivered || isDelivered || isTakenUp);',
  },
  {
    does: 'tells a destination by each step of each route',
    file: 'src/incident/escalation.ts',
    from: 'step.destinations.filter((each) => !told.includes(each) && !tell.has(each));',
    to: 'step.destinations.filter((each) => told.length >= 0 && !tell.has(each));',
  },
  {
    does: 'adds steps up',
    file: 'src/incident/escalation.ts',
    from: 'const at = from + step.afterMs;',
    to: 'const at = from + (done.length + 1) * step.afterMs;',
  },
  {
    does: 'forgets the second step of a route',
    file: 'src/incident/escalation.ts',
    from: 'if (done.includes(position) || isOff(step, facts)) continue;',
    to: 'if (done.length > 0 || isOff(step, facts)) continue;',
  },
  {
    does: 'tells a step though a mute or a snooze holds it',
    file: 'src/incident/escalation.ts',
    from: 'if (heldUntil(each) === undefined) tell.add(each);',
    to: 'if (heldUntil(each) !== -1) tell.add(each);',
  },
  {
    does: 'forgets a step that is held',
    file: 'src/incident/escalation.ts',
    from: 'if (at <= now && held.length === 0) ended.push(position);',
    to: 'if (at <= now) ended.push(position);',
  },
  {
    does: 'does not see that a snooze was ended that holds a step',
    file: 'src/incident/escalation.ts',
    from: 'const HELD_ASKED_MS = 60_000;',
    to: 'const HELD_ASKED_MS = 3_600_000;',
    unseen: 'one seed in a thousand: a person who ends a snooze mostly does so before the step is due',
  },
  {
    does: 'tells steps of an incident that is over',
    file: 'src/ledger/incidents/escalations.ts',
    from: 'WHERE id = ${id} AND over_at IS NULL ${tx.forUpdate}`',
    to: 'WHERE id = ${id} ${tx.forUpdate}`',
  },
  {
    does: 'tells by a step the first error',
    file: 'src/ledger/incidents/escalations.ts',
    from: 'FROM callbacks WHERE id IN (${troublesOf(incident)}) ORDER BY id DESC LIMIT 1`);',
    to: 'FROM callbacks WHERE id IN (${troublesOf(incident)}) ORDER BY id LIMIT 1`);',
  },
  {
    does: 'tells nobody whom only a step told that the BOT works again',
    file: 'src/ledger/incidents/results.ts',
    from: 'const told = asking.later?.filter(isTold) ?? [];',
    to: 'const told = asking.later?.filter((each) => isTold(each) && startedAt < 0) ?? [];',
  },
  {
    does: 'tells one destination less who is on an incident',
    file: 'src/ledger/incidents/people.ts',
    from: 'for (const [target, incidents] of await toldOf(tx, taken))',
    to: 'for (const [target, incidents] of (await toldOf(tx, taken)).slice(1))',
  },
  {
    does: 'takes no incident up of several',
    file: 'src/ledger/incidents/people.ts',
    from: 'const news = open.filter((each) => !isKnown(each)).map(({ id }) => id);',
    to: 'const news = open.filter((each) => !isKnown(each)).map(({ id }) => id).slice(0, 1);',
  },
  {
    does: 'alerts of no dead letter',
    file: 'src/ledger/incidents/results.ts',
    from: 'const alert = failed.alert && !isAgain ?',
    to: "const alert = failed.alert && !isAgain && sign !== 'dead' ?",
  },
  {
    does: 'tells nobody that a trouble of which an alert told is over',
    file: 'src/ledger/incidents/telling.ts',
    from: 'if (hearing.length === 0) continue;',
    to: 'if (hearing.length < 2) continue;',
  },
  {
    does: 'tells that a trouble is over where no alert arrived',
    file: 'src/ledger/incidents/telling.ts',
    from: 'return alerted.filter(({ lastId }) => lastId === undefined || got.includes(lastId));',
    to: 'return got.length < 0 ? [] : alerted;',
  },
  {
    does: 'alerts of what is over',
    file: 'src/ledger/deliveries/rows.ts',
    from: "WHEN 'alert' THEN EXISTS (SELECT 1 FROM incidents WHERE incidents.id = callbacks.incident_id AND over_at IS NOT NULL)",
    to: "WHEN 'alert' THEN EXISTS (SELECT 1 FROM incidents WHERE incidents.id = callbacks.incident_id AND over_at < 0)",
    unseen:
      'an alert is sent at once, unless its own destination is in trouble until what it tells of is over: no seed of three hundred',
  },
  {
    does: 'snoozes nothing where somebody takes an incident up quietly',
    file: 'src/people/actions.ts',
    from: 'of quiet ? botsOf(taken) : [])',
    to: 'of quiet ? botsOf([]) : [])',
  },
  {
    does: 'begins no steps anew where a take-up is given back',
    file: 'src/ledger/incidents/escalations.ts',
    from: 'data: { route, from: tx.now, done: [] } };\n  });\n  await putTimers',
    to: 'data: { route, from: tx.now + 1e9, done: [] } };\n  });\n  await putTimers',
  },
];
