/** Sections 6 and 11: alerts tell of troubles of a destination: that they begin, go on and end. */
import { isAlert } from '../../../src/notice/notice.ts';
import type { Attempt } from '../observed.ts';
import { MINUTE, OPERATORS } from '../scenario.ts';
import { type History, isSuccess, LATE_MS, nameOf, seconds, type SentAs } from './history.ts';
import { incidentsAbout } from './troubles.ts';

/** By then each process has written that a destination works, and its incident is over. */
const OVER_WITHIN_MS = MINUTE;

export function* judgeAlerts(history: History) {
  const alerts = history.sentAs('dead_letter', 'config_failure');
  yield* onlyWhoHeard(history);
  if (history.hasReloads || history.hasSetClocks) return;
  for (const alert of alerts) {
    const { template, destination } = alert.about;
    if (template === 'config_failure') yield* notOver(history, alert, destination);
    yield* hearsOfTheEnd(history, alert, destination);
  }
  const isLeftAlone = history.observed.acted.every(({ act }) => act.kind === 'test' || act.kind === 'takeUp');
  if (isLeftAlone && !history.hasWeather(OPERATORS, 0, history.now)) yield* eachIsAlerted(history, alerts);
}

/** Each dead letter is alerted; one alert is for all destinations of a channel with the same cause. */
function* eachIsAlerted(history: History, alerts: readonly SentAs<'dead_letter' | 'config_failure'>[]) {
  for (const admitted of history.admitted)
    for (const { destination, state } of [...admitted.listed.deliveries, ...admitted.escalated]) {
      if (state !== 'dead') continue;
      const by = alertedBy(history, history.attemptsOf(admitted, destination).at(-1));
      const alike = alerts.filter(({ about }) => channelOf(about.destination) === channelOf(destination));
      const isTold = alike.some(({ at, about }) => about.template === 'dead_letter' && at <= by);
      if (!isTold && by <= history.now)
        yield `a dead letter is alerted: ${nameOf(admitted.send)} at ${destination}, by ${seconds(by)}`;
    }
}

function channelOf(destination: string): string {
  return destination.split(':', 1)[0] ?? '';
}

/** When the alert is due: soon after the last attempt if that was refused for good and nothing else is wrong; else at the end. */
function alertedBy(history: History, last: Attempt | undefined): number {
  const { endedAt = Infinity, failure } = last ?? {};
  const soon = endedAt + LATE_MS;
  const isSure = failure?.class === 'permanent' && history.isCalm(endedAt - MINUTE, soon);
  return isSure ? soon : history.now;
}

/** A trouble that is over is not alerted any more: the destination has worked for a while, and nothing has failed since. */
function* notOver(history: History, { key, at }: Attempt, destination: string) {
  if (!history.isCalm(at - 2 * OVER_WITHIN_MS, at) || history.mayWait(OPERATORS, at)) return;
  const before = history.attemptsTo(destination).filter((each) => each.at < at);
  const isUp = (each: Attempt) => isSuccess(each) && (each.endedAt ?? Infinity) < at - OVER_WITHIN_MS;
  const up = before.findLast(isUp);
  const failed = before.filter((each) => each !== up && !isSuccess(each));
  const isTroubled = failed.some((each) => (each.endedAt ?? Infinity) > (up?.at ?? 0));
  // A dead letter is a trouble until somebody has looked at it; so is a message that may have arrived and waits for somebody.
  const failures = before.flatMap(({ failure }) => failure ?? []);
  const isRefused = failures.some((each) => each.class !== 'config' || each.mayHaveArrived);
  const giveUpAfterMs = Math.min(...history.scenario.configs.map((config) => config.giveUpAfterMs));
  const isGivenUp = before.some((each) => !isSuccess(each) && at - each.at >= giveUpAfterMs);
  if (up !== undefined && !isTroubled && !isRefused && !isGivenUp)
    yield `what is over is not alerted: ${key}, and ${destination} works since ${seconds(up.at)}`;
}

function* hearsOfTheEnd(history: History, alert: Attempt, destination: string) {
  const { endedAt = Infinity, key } = alert;
  if (!isSuccess(alert) || !history.isWritten(alert)) return;
  const isNear = (time = 0) => Math.abs(time - endedAt) < OVER_WITHIN_MS;
  const { acted } = history.observed;
  const ends = history.attemptsTo(destination).filter(isSuccess);
  if (ends.some((each) => isNear(each.endedAt)) || acted.some(({ at }) => isNear(at))) return;
  const incidents = incidentsAbout(history, 'destination', destination);
  if (incidents.length === 0 || incidents.some(({ state }) => state !== 'over')) return;
  const isTold = history
    .sentAs('over')
    .some(({ at, about }) => at > endedAt && about.troubles.some(({ subject }) => subject === destination));
  if (!isTold) yield `whoever heard of it hears of its end: ${OPERATORS} got ${key} of ${destination}`;
}

function* onlyWhoHeard(history: History) {
  for (const { key, destination, at } of history.sentAs('over')) {
    const taken = history.attemptsTo(destination).filter((each) => (each.takenAt ?? Infinity) <= at);
    const hasHeard = taken.some(({ notice }) => isAlert(notice) || 'escalated' in notice);
    if (!hasHeard) yield `only who heard of it hears of its end: ${destination} is sent ${key}`;
  }
}
