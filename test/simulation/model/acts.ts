/** Section 7: what people ask for is done, once, and nothing else. */
import type { Acted, Admitted, ListedDelivery } from '../observed.ts';
import { namedBy, SECOND, STATUS_NAMES, routesOf } from '../scenario.ts';
import { deliveryAt, type History, HOLDS, nameOf } from './history.ts';

/** The longest time between what a person saw in the list and the request that followed. */
const MOMENT_MS = 2 * SECOND;

export function* judgeActs(history: History) {
  for (const acted of history.observed.acted) {
    yield* answeredByTheList(history, acted);
    if (isAccepted(acted)) yield* done(history, acted);
  }
  yield* testsOnce(history);
}

/** A 202 may also say that there is nothing to do: `open`. */
function isAccepted({ act, status, body }: Acted): boolean {
  if (status !== 202) return false;
  const { result } = JSON.parse(body) as { readonly result?: string };
  return act.kind !== 'redeliver' || result === 'accepted';
}

interface Place {
  readonly admitted: Admitted;
  readonly delivery: ListedDelivery;
}

/** The callback's delivery that the request was about; undefined if it was one of a notice of Botbell's own. */
function placeOf(history: History, { id }: Acted): Place | undefined {
  for (const admitted of history.admitted)
    for (const delivery of admitted.listed.deliveries) if (delivery.id === id) return { admitted, delivery };
  return undefined;
}

function* answeredByTheList(history: History, acted: Acted) {
  const { act, was, at } = acted;
  if (was === undefined || !isAccepted(acted) || (act.kind !== 'redeliver' && act.kind !== 'dismiss')) return;
  const { state, rule = '' } = was;
  const isHeld = isHeldAt(history, was, at + MOMENT_MS) && !hasFailedSummary(history, was, at);
  const isNone = state === 'delivered' || rule === 'superseded' || isHeld;
  if (isNone || (act.kind === 'dismiss' && state === 'pending'))
    yield `only what is undelivered is given back: ${act.kind} was accepted of what was ${state} ${rule}`;
}

/** Whether its summary may have been given up: then it can be redelivered by itself. */
function hasFailedSummary(history: History, { destination }: ListedDelivery, time: number): boolean {
  const attempts = history.attemptsTo(destination).filter(({ notice }) => notice.template === 'summary');
  return attempts.some(({ at, failure }) => at < time && failure !== undefined);
}

function isHeldAt({ scenario }: History, { state, rule = '', until }: ListedDelivery, time: number): boolean {
  const endsAt = until === undefined ? Infinity : Date.parse(until) - scenario.epoch;
  return state === 'held' && HOLDS.has(rule) && endsAt > time;
}

function* done(history: History, acted: Acted) {
  const { act } = acted;
  if (act.kind === 'redeliver') yield* redelivered(history, acted);
  if (act.kind === 'dismiss') yield* dismissed(history, acted);
  if (act.kind === 'route') yield* routedAnew(history, acted);
  if (act.kind === 'bulk') yield* redeliveredInBulk(history, acted);
}

/** A delivery that was given back is attempted again, unless it needs no attempt any more, or a later request replaced this one. */
function* redelivered(history: History, acted: Acted) {
  const place = placeOf(history, acted);
  if (place === undefined || isAskedAgain(history, acted)) return;
  const { admitted, delivery } = place;
  if (!isRoutedSince(history, acted.at, admitted, delivery.destination)) return;
  if (isEnded(delivery) || isAttemptedSince(history, place, acted.at)) return;
  yield `what is given back is attempted: ${nameOf(admitted.send)} at ${delivery.destination} is ${delivery.state}`;
}

function* dismissed(history: History, acted: Acted) {
  const place = placeOf(history, acted);
  if (place === undefined || isAskedAgain(history, acted)) return;
  const { admitted, delivery } = place;
  if (delivery.state !== 'held' || isAttemptedSince(history, place, acted.at + MOMENT_MS))
    yield `what is dismissed is done: ${nameOf(admitted.send)} at ${delivery.destination} is ${delivery.state}`;
}

function* routedAnew(history: History, acted: Acted) {
  const admitted = history.admitted.find(({ id }) => id === acted.id);
  const config = history.scenario.configs[history.settledConfig(acted.at) ?? -1];
  if (admitted === undefined || config === undefined || history.isEndedStart(admitted)) return;
  const status = STATUS_NAMES[admitted.send.status];
  const routes = routesOf(config, admitted.send.bot).filter(({ on }) => on.includes(status));
  for (const destination of new Set(routes.flatMap(({ notify }) => notify))) {
    const delivery = deliveryAt(admitted, destination);
    const isDead = delivery?.state === 'dead' && !isAttemptedSince(history, { admitted, delivery }, acted.at);
    if (delivery === undefined || (isDead && wasDead(acted, destination)))
      yield `who lacks it is told when it is routed anew: ${nameOf(admitted.send)} at ${destination}`;
  }
}

/** Whether the list a moment before showed the delivery as a dead letter; unknown counts as no. */
function wasDead({ listed }: Acted, destination: string): boolean {
  return listed?.deliveries.find((each) => each.destination === destination)?.state === 'dead';
}

function* redeliveredInBulk(history: History, { at, dead = [] }: Acted) {
  if (history.observed.acted.some(({ act }) => act.kind === 'dismiss')) return;
  for (const admitted of history.admitted)
    for (const delivery of admitted.listed.deliveries) {
      const { id, destination, state } = delivery;
      if (!dead.includes(id) || isEnded(delivery) || history.isEndedStart(admitted)) continue;
      const isAttempted = isAttemptedSince(history, { admitted, delivery }, at);
      if (isAttempted || !isRoutedSince(history, at, admitted, destination)) continue;
      yield `what is given back is attempted: ${nameOf(admitted.send)} at ${destination} is ${state}`;
    }
}

function isRoutedSince(history: History, time: number, { send }: Admitted, destination: string): boolean {
  const config = history.scenario.configs[history.settledConfig(time) ?? -1];
  return config !== undefined && namedBy(config, send).includes(destination);
}

function* testsOnce(history: History) {
  const { acted } = history.observed;
  const tests = history.sentAs('test');
  const asked = acted.flatMap(({ act }) => (act.kind === 'test' ? [act.destination] : []));
  for (const destination of new Set(tests.map((each) => each.destination))) {
    const sent = tests.filter((each) => each.destination === destination).length;
    const most = asked.filter((each) => each === destination).length;
    if (sent > most) yield `a test is sent once: ${destination} was sent ${sent} tests, asked for ${most}`;
  }
  for (const { act, status, body, at } of acted) {
    if (act.kind !== 'test' || status !== 200) continue;
    const { delivered } = JSON.parse(body) as { readonly delivered: boolean };
    const own = tests.filter(({ destination }) => destination === act.destination);
    if (delivered && !own.some(({ takenAt = -1 }) => takenAt >= at))
      yield `a test says what came of it: ${act.destination} has not taken it`;
  }
}

function isAskedAgain(history: History, acted: Acted): boolean {
  const place = placeOf(history, acted);
  const others = history.observed.acted.filter((other) => other !== acted && other.status === 202);
  return others.some(({ id, act }) => id === acted.id || id === place?.admitted.id || act.kind === 'bulk');
}

/** Whether the delivery needs no attempt any more: an `executing` after its result, or what a summary told. */
function isEnded({ state, rule }: ListedDelivery): boolean {
  return state === 'delivered' || (state === 'held' && rule === 'superseded');
}

function isAttemptedSince(history: History, { admitted, delivery }: Place, time: number): boolean {
  return history.attemptsOf(admitted, delivery.destination).some(({ at }) => at >= time);
}
