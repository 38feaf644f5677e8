/** Section 8: the limit of a burst at each destination, and the digest of a group. */
import type { Admitted } from '../observed.ts';
import {
  BOTS,
  type BurstPlan,
  type ConfigPlan,
  DAY,
  DESTINATIONS,
  MINUTE,
  routesOf,
  SECOND,
  TEAM,
} from '../scenario.ts';
import { deliveryAt, type History, nameOf, seconds, type SentAs } from './history.ts';

export function* judgeSignals(history: History) {
  const [config] = history.scenario.configs;
  if (config === undefined || history.hasReloads) return;
  const { burst, digestAt } = config;
  if (burst !== undefined)
    for (const destination of DESTINATIONS.filter((each) => each.startsWith('chat:')))
      yield* judgeBurst(history, config, burst, destination);
  if (digestAt !== undefined) yield* judgeDigest(history, digestAt);
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
  const isLeftAlone = !history.observed.acted.some(({ act }) => act.kind !== 'test');
  if (!isPlain || !isLeftAlone) return undefined;
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

/** A callback may take this long into the store, so a digest may not count it yet. */
const BEING_WRITTEN_MS = 10 * SECOND;

/** How long a process may take to see that a digest is due, on a machine that sleeps while nothing happens. */
const SEEN_WITHIN_MS = 20 * SECOND;

/** Timers are adopted anew after a reload, which takes a sleeping machine a few wake-ups more. */
function mayNotBeLate(history: History, from: number, to: number): boolean {
  const isReloaded = history.observed.loaded.some(({ at }) => at > from && at < to);
  return !isReloaded && !history.hasSetClocks && history.isWell(TEAM, from, to);
}

function* judgeDigest(history: History, digestAt: number) {
  const { scenario, now } = history;
  const dueAt = Math.floor(scenario.epoch / DAY) * DAY + digestAt * MINUTE - scenario.epoch;
  // Open question: is a digest told that is due at the moment of the first start?
  if (dueAt === 0) return;
  const sent = history.sentAs('digest');
  const keys = new Set(sent.map(({ key }) => key));
  if (dueAt < 0 || dueAt > now - MINUTE) return;
  if (keys.size > 1) yield `a digest is told once: ${keys.size} came`;
  const [first] = sent;
  if (first === undefined) return void (yield `a digest is told: none came at ${seconds(dueAt)}`);
  if (first.at < dueAt) yield `a digest is told when it is due: it came at ${seconds(first.at)}`;
  if (first.at > dueAt + SEEN_WITHIN_MS && mayNotBeLate(history, dueAt - MINUTE, first.at))
    yield `a digest is told when it is due: it came at ${seconds(first.at)}, due at ${seconds(dueAt)}`;
  const told = sent.find(({ takenAt }) => takenAt !== undefined) ?? first;
  for (const bot of BOTS) yield* countedOf(history, bot, told, dueAt);
}

/** A digest counts the results of BOTs whose routes name the group, since the group has had a digest. */
function* countedOf(history: History, bot: string, told: SentAs<'digest'>, dueAt: number) {
  const [config] = history.scenario.configs;
  const isNamed = config !== undefined && routesOf(config, bot).some(({ notify }) => notify.includes(TEAM));
  const counted = told.about.bots.find(({ bot_id: id }) => id === bot);
  if (!isNamed) {
    if (counted !== undefined) yield `a digest counts its own BOTs: it has ${bot}`;
    return;
  }
  for (const [status, what] of (['succeeded', 'errors'] as const).entries()) {
    const came = history.admitted.filter(({ send }) => send.bot === bot && send.status === status);
    const least = came.filter(({ at }) => at < dueAt - BEING_WRITTEN_MS).length;
    const most = came.filter(({ at }) => at <= told.at).length;
    const count = counted?.[what] ?? 0;
    if (count < least || count > most)
      yield `a digest counts what came: ${what} of ${bot}: ${count}, between ${least} and ${most} came`;
  }
}
