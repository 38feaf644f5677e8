/** Section 6, when the config changes: what a route that comes back revives. */
import type { Admitted } from '../observed.ts';
import { HOUR, namedBy } from '../scenario.ts';
import { type History, nameOf } from './history.ts';

export function* judgeReloads(history: History) {
  if (!history.hasReloads || history.hasSetClocks) return;
  for (const admitted of history.admitted)
    if (!history.isActedOn(admitted)) yield* revived(history, admitted);
}

/** A delivery that the last config routes again, within `give_up_after`, does not stay "no longer routed". */
function* revived(history: History, admitted: Admitted) {
  const last = history.scenario.configs.at(-1);
  const isBegun = admitted.send.status === 2 && history.hasResult(admitted);
  if (last === undefined || last.giveUpAfterMs < HOUR || isBegun) return;
  for (const { destination, state, rule, last_error: error } of admitted.listed.deliveries) {
    const isUnrouted = rule === 'no longer routed' || (state === 'dead' && error?.code === 'not_routed');
    if (isUnrouted && namedBy(last, admitted.send).includes(destination))
      yield `a route that comes back revives: ${nameOf(admitted.send)} at ${destination} is ${state}`;
  }
}
