/** Section 6, when the config changes: when callbacks are routed anew, and what a route that comes back revives. */
import type { Admitted, Attempt } from '../observed.ts';
import { HOUR, MINUTE, namedBy } from '../scenario.ts';
import { type History, nameOf, seconds } from './history.ts';

export function* judgeReloads(history: History) {
  if (!history.hasReloads || history.hasSetClocks) return;
  for (const admitted of history.admitted) {
    if (history.isActedOn(admitted)) continue;
    yield* revived(history, admitted);
    for (const { destination } of admitted.listed.deliveries) {
      const [first] = history.attemptsOf(admitted, destination);
      if (first !== undefined) yield* agreedOn(history, admitted, first);
    }
  }
}

/** A delivery that the last config routes again, within `give_up_after`, does not stay "no longer routed". */
function* revived(history: History, admitted: Admitted) {
  const last = history.scenario.configs.at(-1);
  if (last === undefined || last.giveUpAfterMs < HOUR || history.isEndedStart(admitted)) return;
  for (const { destination, state, rule, last_error: error } of admitted.listed.deliveries) {
    const isUnrouted = rule === 'no longer routed' || (state === 'dead' && error?.code === 'not_routed');
    if (isUnrouted && namedBy(last, admitted.send).includes(destination))
      yield `a route that comes back revives: ${nameOf(admitted.send)} at ${destination} is ${state}`;
  }
}

/** A callback's new destination is told only once all living processes have agreed on a config that names it. */
function* agreedOn(history: History, admitted: Admitted, { at, destination }: Attempt) {
  const { loaded } = history.observed;
  if (namedBy(history.configOf(admitted), admitted.send).includes(destination)) return;
  // A process that is gone need not agree, nor one that the others do not know of yet.
  if (!history.isCalm(admitted.at, at) || at < admitted.at + MINUTE / 6) return;
  const times = loaded.flatMap((load) => (load.at > admitted.at && load.at <= at ? [load.at] : []));
  const isAgreed = [admitted.at, ...times].some((time) => {
    const config = history.scenario.configs[history.settledConfig(time, false) ?? -1];
    return config !== undefined && namedBy(config, admitted.send).includes(destination);
  });
  if (!isAgreed)
    yield `nobody routes anew while configs differ: ${nameOf(admitted.send)} at ${destination}, ${seconds(at)}`;
}
