/**
 * All faults that are planted to try the simulator, each of which shows that a sentence of the model is judged. By file: what the product
 * does wrong, and the text that occurs once in the file with what is changed in it, `one «other → another» text`. If the text has changed,
 * plant it anew by what it does.
 */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/deliver/loop.ts': {
    'does not wait behind an earlier message of the job':
      'if (behind «=== undefined → !== -1») return this.#enqueue(delivery);',
    'forgets the pause that a remote has asked for':
      'if (failure?.retryAfterMs «!== undefined → === -1») this',
    'leaves to itself what the service posts again of what it has taken over':
      'return isTakenOver «&& → ||» this.#dependencies.paces.isPaced(destination);',
    'has what waits for a destination wait on once that is back':
      'this.underWay.until(ledger.endFailing(destination, wasDown« →  && destination === ""»).then(onDue, onUnwritten));',
    'asks the service for a retry of what a remote has and may answer yet':
      'if (delivery.«post !== undefined → destination === ""») void this.#answerFor(delivery).catch(() => undefined);',
  },
  'src/deliver/outcome.ts': {
    'attempts again within the POST what may have arrived':
      "if (failure« === undefined || nextAfter(failure) !== 'again → ?.class !== 'transient»') return undefined;",
    'attempts more often within a POST than attempts_per_request':
      'return failures < attemptsPerRequest « → + 3 »?',
    'never gives up': 'if («leftMs <= 0 ||  → »(isTakenOver',
    'gives up at the first failure of what it has taken over':
      "if (leftMs <= 0 || «(isTakenOver && next === 'never') → isTakenOver») return",
    'attempts for ever what is refused for good':
      "if (leftMs <= 0« || (isTakenOver && next === 'never') → ») return",
    'answers non-2xx for what was taken over': "return state === 'pending'« && !isTakenOver → »;",
    'asks the service for a retry of what a remote puts off': 'if («isForLater ||  → »(isPaused',
    'tells again by itself what may have arrived, though nobody asks for it':
      "return error?.class === «'config' && error → undefined && error?».mayHaveArrived === true;",
  },
  'src/ledger/deliveries/settle.ts': {
    'does not count refusals, and answers non-2xx for what is refused for good as often as it is asked':
      "return state === «'pending' && !isTakenOver → undefined» && isLasting(lastError);",
    'leaves held what a summary told': "else if (row.jobKey === «undefined → 'none'») await markSummarised",
    'has an outcome end another delivery':
      "WHERE deliveries.id «= ${id} AND destination = ${destination} AND state <> 'delivered'\n      AND (SELECT received_at FROM callbacks WHERE callbacks.id = deliveries.callback_id) = ${receivedAt} → IN (${id}, ${id + 1 + 0 * destination.length * receivedAt}) AND state <> 'delivered'»",
  },
  'src/deliver/post.ts': {
    'answers five seconds after the time that it has':
      'return arrivedAt + answerWithinMs «- RESERVE_MS → + 5000»;',
  },
  'src/deliver/ended-holds.ts': {
    'tells a held beginning of a run after its result': '«if (held.isOutdated) return SUPERSEDED; → »',
  },
  'src/deliver/follow-config.ts': {
    'does not send what a route names again':
      'if («plannedFor(row, plan) === undefined → ageMs >= 0») return undefined;',
  },
  'src/ledger/deliveries/failing.ts': {
    'does not see that a destination is down': 'return last - first >= « → 1e9 * »DOWN_AFTER_MS;',
  },
  'src/deliver/pace.ts': {
    'keeps no pace after a pause':
      'const typeMs = «placeOf(key) === channel ? pace?.channelMs : pace?.addressMs → pace?.channelMs»;',
  },
  'src/receive/receiver.ts': {
    'answers 200 though the callback could not be written':
      "      «throw await problemFor(ctx, error, parts) → if ((error as Error).name !== 'LedgerUnavailable') throw await problemFor(ctx, error, parts);\n      ctx.body = { result: 'accepted', deliveries: [] }»;",
    'leaves out of an answer who comes first in it':
      'const body = { job_id: jobId, result, deliveries« → : deliveries.slice(1)» };',
  },
  'src/receive/loads.ts': {
    'never gives back a place among those that are in flight': '«      leave();\n → »',
    'takes callbacks while it stops':
      "«if (this.#isDraining) throw unavailable('Botbell is shutting down.'); → »",
  },
  'test/simulation/process.ts': {
    'sends each message twice':
      'channelTypes: simulatedTypes((name) => «channelOf(this, name) → { const channel = channelOf(this, name); return { ...channel, send: async (sent) => { await channel.send(sent); return channel.send(sent); } }; }»),',
    'answers whatever it is asked with 200':
      'this.handlers.set(port, «handle → (request, response) => { Object.defineProperty(response, "statusCode", { get: () => 200, set: () => undefined }); return handle(request, response); }»);',
  },
  'src/ledger/deliveries/rows.ts': {
    'tells a recovery without waiting for the error that it answers':
      'earlier.error_of = deliveries.«recovery_of → job_key»',
  },
  'src/ledger/deliveries/claim.ts': {
    'claims what another process has claimed': 'AND +due_at <= ${tx.now}« AND ${IS_IDLE} → »`;',
  },
  'src/ledger/shared/processes.ts': {
    'frees nothing that the dead had in hand':
      'const isDead = sql`(owner <> ${owner} AND owner NOT IN (${living})« →  AND 1 = 0»)`;',
  },
  'src/ledger/shared/upkeep.ts': {
    'never gives back what a call has claimed whose answer was lost':
      'if (since < before« →  - Infinity») return true;',
  },
  'src/ledger/deliveries/by-hand.ts': {
    'sends anew what was delivered though nobody said `again`':
      "if (state === 'delivered') return again ? '«accepted' : 'delivered → delivered' : 'accepted»';",
    'dismisses what is delivered or waits':
      "«if (row.state !== 'dead' && !isUnrouted(row)) return 'not dead'; → »",
    'redelivers in bulk all but the last': 'await giveBack(tx, rows« → .slice(1)», bulk.what',
  },
  'src/ledger/incidents/signs.ts': {
    'has any success of a BOT end its errors, whenever it started':
      'AND (started_at IS NULL OR started_at «<= ${startedAt} OR started_at > ${tx.now → > 0 * ${startedAt»})',
  },
  'src/incident/escalation.ts': {
    'tells a step though somebody is on it':
      'return unlessDelivered ? isDelivered : isTakenUp« →  && isDelivered === undefined»;',
    'tells a destination by each step of each route':
      'step.destinations.filter((each) => «!told.includes(each) → told.length >= 0» && !tell.has(each));',
    'adds steps up': 'const at = from + « → (done.length + 1) * »step.afterMs;',
    'tells a step though a mute or a snooze holds it':
      'if (heldUntil(each) «=== undefined → !== -1») tell.add(each);',
  },
  'src/ledger/incidents/escalations.ts': {
    'tells by a step the first error': 'AS troubles) ORDER BY id «DESC  → »LIMIT 1`);',
  },
  'src/ledger/incidents/results.ts': {
    'tells nobody whom only a step told that the BOT works again':
      'const told = asking.later?.filter(«isTold → (each) => isTold(each) && startedAt < 0») ?? [];',
    'alerts of no dead letter': "const alert = failed.alert && !isAgain « → && sign !== 'dead' »?",
  },
  'src/ledger/incidents/people.ts': {
    'tells one destination less who is on an incident':
      'for (const [target, incidents] of «await toldOf(tx, taken → (await toldOf(tx, taken)).slice(1»))',
    'takes no incident up of several':
      'const news = open.filter((each) => !isKnown(each)).map(({ id }) => id)« → .slice(0, 1)»;',
  },
  'src/ledger/incidents/telling.ts': {
    'has a destination in trouble until somebody says that it is over':
      'export const HAS_DELIVERED: Sql = sql`« → 1 = 0 AND »(',
    'tells nobody that a trouble of which an alert told is over':
      'const targets = hearing.« → slice(1).»map(',
    'tells that a trouble is over where no alert arrived':
      'return «alerted.filter(({ lastId }) => got.includes(lastId)) → got.length < 0 ? [] : alerted»;',
  },
  'src/ledger/days/tally.ts': {
    'counts in a report each callback of a run as a run':
      'if («before !== undefined → before?.day === 0») this.#addOn(row, run.day, figuresOfRun(before), -1);',
  },
  'src/report/figures.ts': {
    'counts the time of a run by its first POST alone':
      'elapsedMs: «Math.max(run.elapsedMs ?? 0, elapsedMs) → run.elapsedMs ?? elapsedMs»',
  },
  'src/ledger/callbacks/admit.ts': {
    'does not watch whether a run takes too long':
      'overdueTimers({ ...args, ...arrived }, «asking.overdueMs → []»)',
  },
  'src/ledger/timers/admission.ts': {
    'has a success end no snooze': 'snooze.isUntilSuccess && «snooze.botId === botId → botId === undefined»;',
  },
  'src/signal/streak.ts': {
    'compares an error with the first one that was told, not with the last':
      'const last = errors.at(«-1 → 0»);',
    'tells each success as recovered':
      'return errors.«some((error) => error.startedAt <= startedAt) → length >= 0 * startedAt»;',
  },
  'src/signal/decide.ts': {
    'says of a repeated error how many came before, again and again':
      'return «{ ...withToldError(told, { id, startedAt, likeness, at: now }, row), heldBack: 0 } → withToldError(told, { id, startedAt, likeness, at: now }, row)»;',
    'lets one message more through than a burst allows': 'if (count <« → =» max) return',
    'never begins a new window of a burst':
      'const isOpen = last !== undefined && «Math.abs(now - last.startedAt) < perMs → now - perMs < Infinity»;',
  },
  'src/signal/hold.ts': {
    'does not mute after midnight': 'return [today« - DAY_MS, today → »]',
    'has a snooze of one BOT hold every BOT':
      '.filter((snooze) => snooze.botId === undefined || «snooze.botId === botId → botId !== undefined»)',
  },
  'src/deliver/signals.ts': {
    'tells a missed result again at each due time':
      'next: next({ ...today, «missed: dueAt → dueAt: dueAt + 120_000» }), notice',
  },
};

export type Planted = (typeof PLANTED)[number];

export const PLANTED = Object.entries(FAULTS).flatMap(([file, faults]) =>
  Object.entries(faults).map(([does, change]) => {
    const [, before = '', was = '', is = '', after = ''] = /^(.*)«(.*) → (.*)»(.*)$/s.exec(change) ?? [];
    return { does, file, from: before + was + after, to: before + is + after };
  }),
);
