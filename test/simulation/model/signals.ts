/** Section 8: the limit of a burst at each destination. */
import type { Admitted } from '../observed.ts';
import { type BurstPlan, type ConfigPlan, DESTINATIONS } from '../scenario.ts';
import { deliveryAt, type History, nameOf, seconds } from './history.ts';

export function* judgeSignals(history: History) {
  const [config] = history.scenario.configs;
  if (config === undefined || history.hasReloads) return;
  const { burst } = config;
  if (burst !== undefined)
    for (const destination of DESTINATIONS.filter((each) => each.startsWith('chat:')))
      yield* judgeBurst(history, config, burst, destination);
}

interface Decided {
  readonly admitted: Admitted;
  readonly does: 'tell' | 'burst';
}

/** A window begins with the first message after the last window, and has room for `max` messages. */
function* judgeBurst(history: History, config: ConfigPlan, { max, perMs }: BurstPlan, destination: string) {
  const all = decisionsAt(history, config, destination);
  let [begunAt, count] = [-Infinity, 0];
  const held = new Set<string>();
  for (const { admitted, does } of all ?? []) {
    const about = `${nameOf(admitted.send)} at ${destination}, which came ${seconds(admitted.at)}`;
    const isOpen = admitted.at < begunAt + perMs;
    if (does === 'burst') {
      if (!isOpen || count < max) yield `a burst holds only what is past its limit: ${about}`;
      // A summary names jobs: of one that was held before, it may mean the callback before.
      const { bot, job } = admitted.send;
      if (!held.has(`${bot} ${job}`)) yield* heldToTheEnd(history, admitted, destination, begunAt + perMs);
      held.add(`${bot} ${job}`);
      continue;
    }
    if (!isOpen) [begunAt, count] = [admitted.at, 0];
    count += 1;
    if (count > max) yield `a burst lets no more through than its limit: ${about}`;
  }
}

function* heldToTheEnd(history: History, admitted: Admitted, destination: string, endsAt: number) {
  const toldAt = history.toldAt(admitted, destination);
  if (toldAt !== undefined && toldAt < endsAt)
    yield `what a burst holds is told at its end: ${nameOf(admitted.send)} ${seconds(endsAt - toldAt)} too early`;
}

/** The decisions in the order in which the callbacks came; undefined if something else may count there that is not known from outside. */
function decisionsAt(
  history: History,
  { routes }: ConfigPlan,
  destination: string,
): readonly Decided[] | undefined {
  const reaching = routes.filter(({ notify }) => notify.includes(destination));
  const isPlain = reaching.every(
    ({ perJob, mute, overdueMin, expect }) =>
      perJob !== 'update' && mute === undefined && overdueMin === undefined && expect === undefined,
  );
  if (!isPlain || history.observed.acted.length > 0) return undefined;
  const decided: Decided[] = [];
  for (const admitted of history.admitted) {
    const does = decisionOn(history, admitted, destination);
    if (does === 'unknown') return undefined;
    if (does !== 'none') decided.push({ admitted, does });
  }
  return decided.toSorted((a, b) => a.admitted.at - b.admitted.at || a.admitted.id - b.admitted.id);
}

function decisionOn(
  history: History,
  admitted: Admitted,
  destination: string,
): Decided['does'] | 'none' | 'unknown' {
  const delivery = deliveryAt(admitted, destination);
  if (delivery === undefined) return 'none';
  const [first] = history.postsOf(admitted.send);
  const answered = first?.deliveries?.find((each) => each.destination === destination);
  if (answered === undefined) return 'unknown';
  if (answered.rule === 'burst') return 'burst';
  // An `executing` may be held only since its result came; before that, it counted.
  if (answered.rule === 'superseded' || delivery.rule === 'superseded') return 'unknown';
  return answered.state === 'held' ? 'none' : 'tell';
}
