/** Faults in receiving, in attempts and what follows them, and in the loop; and two that wrap a seam. */
import type { Planted } from './planted.ts';

export const DELIVER: readonly Planted[] = [
  {
    does: 'does not wait behind an earlier message of the job',
    file: 'src/deliver/loop.ts',
    change: 'if (behind «=== undefined → !== -1») return this.#enqueue(delivery);',
  },
  {
    does: 'forgets the pause that a remote has asked for',
    file: 'src/deliver/loop.ts',
    change: 'if (failure?.retryAfterMs «!== undefined → === -1») this',
  },
  {
    does: 'attempts again within the POST what may have arrived',
    file: 'src/deliver/outcome.ts',
    change:
      "if (failure« === undefined || nextAfter(failure) !== 'again → ?.class !== 'transient»') return undefined;",
  },
  {
    does: 'attempts more often within a POST than attempts_per_request',
    file: 'src/deliver/outcome.ts',
    change: 'return failures < attemptsPerRequest « → + 3 »?',
  },
  {
    does: 'never gives up',
    file: 'src/deliver/outcome.ts',
    change: 'if («leftMs <= 0 ||  → »(isTakenOver',
  },
  {
    does: 'gives up at the first failure of what it has taken over',
    file: 'src/deliver/outcome.ts',
    change: "if (leftMs <= 0 || «(isTakenOver && next === 'never') → isTakenOver») return",
  },
  {
    does: 'attempts for ever what is refused for good',
    file: 'src/deliver/outcome.ts',
    change: "if (leftMs <= 0« || (isTakenOver && next === 'never') → ») return",
  },
  {
    does: 'answers non-2xx for what was taken over',
    file: 'src/deliver/outcome.ts',
    change:
      "filter(({ state«, isTakenOver }) => state === 'pending' && !isTakenOver →  }) => state === 'pending'»);",
  },
  {
    does: 'does not count refusals, and answers non-2xx for what is refused for good as often as it is asked',
    file: 'src/ledger/deliveries/settle.ts',
    change: "return state === «'pending' && !isTakenOver → undefined» && isLasting;",
  },
  {
    does: 'answers five seconds after the time that it has',
    file: 'src/deliver/post.ts',
    change: 'return arrivedAt + answerWithinMs «- RESERVE_MS → + 5000»;',
  },
  {
    does: 'tells a held beginning of a run after its result',
    file: 'src/deliver/ended-holds.ts',
    change: '«if (held.isOutdated) return SUPERSEDED; → »',
  },
  {
    does: 'does not send what a route names again',
    file: 'src/deliver/follow-config.ts',
    change: 'if («plannedFor(row, plan) === undefined → ageMs >= 0») return undefined;',
  },
  {
    does: 'asks the service for a retry of what a remote puts off',
    file: 'src/deliver/outcome.ts',
    change: 'if («isForLater ||  → »(isPaused',
  },
  {
    does: 'tells again by itself what may have arrived, though nobody asks for it',
    file: 'src/deliver/outcome.ts',
    change: "return error?.class === «'config' && error → undefined && error?».mayHaveArrived === true;",
  },
  {
    does: 'leaves to itself what the service posts again of what it has taken over',
    file: 'src/deliver/loop.ts',
    change: 'return isTakenOver «&& → ||» this.#dependencies.paces.isPaced(destination);',
  },
  {
    does: 'does not see that a destination is down',
    file: 'src/ledger/deliveries/failing.ts',
    change: 'return last - first >= « → 1e9 * »DOWN_AFTER_MS;',
  },
  {
    does: 'has what waits for a destination wait on once that is back',
    file: 'src/deliver/loop.ts',
    change:
      'this.underWay.until(ledger.endFailing(destination, wasDown« →  && destination === ""»).then(onDue, onUnwritten));',
  },
  {
    does: 'asks the service for a retry of what a remote has and may answer yet',
    file: 'src/deliver/loop.ts',
    change:
      'if (delivery.«post !== undefined → destination === ""») void this.#answerFor(delivery).catch(() => undefined);',
  },
  {
    does: 'keeps no pace after a pause',
    file: 'src/deliver/pace.ts',
    change: 'const typeMs = «key === channel ? pace?.channelMs : pace?.addressMs → pace?.channelMs»;',
  },
  {
    does: 'answers 200 though the callback could not be written',
    file: 'src/receive/receiver.ts',
    change:
      "      «throw await problemFor(ctx, error, parts) → if ((error as Error).name !== 'LedgerUnavailable') throw await problemFor(ctx, error, parts);\n      ctx.body = { result: 'accepted', deliveries: [] }»;",
  },
  {
    does: 'leaves out of an answer who comes first in it',
    file: 'src/receive/receiver.ts',
    change: 'const body = { job_id: jobId, result, deliveries« → : deliveries.slice(1)» };',
  },
  {
    does: 'never gives back a place among those that are in flight',
    file: 'src/receive/loads.ts',
    change: '«      for (const leave of entered) leave();\n → »',
  },
  {
    does: 'takes callbacks while it stops',
    file: 'src/receive/loads.ts',
    change: "«if (this.#isDraining) throw unavailable('Botbell is shutting down.'); → »",
  },
  {
    does: 'sends each message twice',
    file: 'test/simulation/process.ts',
    change:
      'channelTypes: simulatedTypes((name) => «channelOf(this, name) → { const channel = channelOf(this, name); return { ...channel, send: async (sent) => { await channel.send(sent); return channel.send(sent); } }; }»),',
  },
  {
    does: 'answers whatever it is asked with 200',
    file: 'test/simulation/process.ts',
    change:
      'this.handlers.set(port, «handle → (request, response) => { Object.defineProperty(response, "statusCode", { get: () => 200, set: () => undefined }); return handle(request, response); }»);',
  },
];
