/** Section 11: troubles of BOTs and destinations begin, count and end once, even with crashes and replicas. */
import type { Attempt } from '../observed.ts';
import { BOTS, DESTINATIONS, DUTY, HOUR, OPERATORS, SECOND } from '../scenario.ts';
import { firstsOf, type History, isSuccess, messageOf, seconds } from './history.ts';
import { incidentsAbout, incidentsOf, troublesOf } from './troubles.ts';

/** Notices that are sent by hand, or without the store: their outcomes do not count for their destinations. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['test', 'store_unwritable']);

export function* judgeIncidents(history: History) {
  yield* oneOpen(history);
  yield* toldOverOnce(history);
  if (!history.hasSetClocks) yield* alertedHourly(history);
  // Which errors of a BOT count, and where they are routed, depends on the config.
  if (history.hasReloads) return;
  if (!history.hasSetStoreClock) for (const bot of BOTS) yield* ofBot(history, bot);
  for (const destination of [...DESTINATIONS, ...DUTY, OPERATORS]) yield* ofDestination(history, destination);
}

function* oneOpen({ observed }: History) {
  const open = observed.incidents.filter(({ state }) => state !== 'over');
  for (const { kind, subject } of open) {
    const count = open.filter((each) => each.kind === kind && each.subject === subject).length;
    if (count > 1) yield `one open incident of each subject: ${kind} ${subject} has ${count}`;
  }
}

/** Each error counts in one incident, which ends with a success that started later, or by a person. */
function* ofBot(history: History, bot: string) {
  const expected = troublesOf(history, bot);
  if (expected === undefined) return;
  const one = expected
    .map(({ errors, overAt }) => `${errors.length} ${overAt < Infinity ? 'over' : 'open'}`)
    .join(', ');
  const other = incidentsOf(history, bot)
    .map(({ count, state }) => `${count} ${state === 'over' ? state : 'open'}`)
    .join(', ');
  if (one !== other)
    yield `an error counts in one incident of its BOT: ${bot} has (${other}), and is to have (${one})`;
}

/** A destination's incident is open while it has dead letters, and over after a success if it has none. */
function* ofDestination(history: History, destination: string) {
  if (history.observed.acted.some(({ act }) => act.kind === 'close')) return;
  const open = incidentsAbout(history, 'destination', destination).filter(({ state }) => state !== 'over');
  const lost = history.observed.dead.filter(({ deliveries }) =>
    deliveries.some((each) => each.destination === destination && each.state === 'dead'),
  );
  if (lost.length > 0 && open.length === 0)
    yield `open while something is lost: ${destination} has dead letters, and no incident`;
  if (lost.length === 0 && isSurelyUp(history, destination) && open.length > 0)
    yield `over with the next success: ${destination} is still in trouble: ${open[0]?.gist}`;
  yield* failedForAReason(history, destination);
}

/** Each process writes the state of a destination within this time, on a machine that sleeps while nothing happens. */
const NOTED_WITHIN_MS = 45 * SECOND;

/** Whether the last message arrived there, and this has been written since. */
function isSurelyUp(history: History, destination: string): boolean {
  const all = history.attemptsTo(destination).filter(({ notice }) => !WITHOUT_STORE.has(notice.template));
  const last = all.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)).at(-1);
  return last !== undefined && isSuccess(last) && (last.endedAt ?? Infinity) < history.now - NOTED_WITHIN_MS;
}

/** If somebody has to mend what Botbell goes on attempting by itself, the destination has an incident. */
function* failedForAReason(history: History, destination: string) {
  if (incidentsAbout(history, 'destination', destination).length > 0) return;
  for (const admitted of history.admitted) {
    const attempts = history.attemptsOf(admitted, destination).slice(0, -1);
    const own = attempts.filter((each) => !history.isPostedAt(each, each.at));
    const wrong = own.find(({ failure }) => failure?.class === 'config');
    if (wrong !== undefined && history.isWritten(wrong, 2 * SECOND))
      yield `a wrong setting opens an incident: ${destination} refused ${wrong.key} at ${seconds(wrong.at)}`;
  }
}

/**
 * A destination is told once of an incident's end, and again only if the incident went on within the hour and another alert said so: its
 * own, or that of another destination of its channel with the same cause.
 */
function* toldOverOnce(history: History) {
  const told = new Map<string, string>();
  const alerted = new Set<string>();
  const all = history.sentAs('dead_letter', 'config_failure', 'over');
  // Later attempts of the same message say nothing new.
  for (const { about, key, destination } of firstsOf(all, messageOf)) {
    if (about.template !== 'over') {
      told.delete(`${about.destination} at ${destination}`);
      alerted.add(about.destination);
      continue;
    }
    for (const { kind, subject, since } of about.troubles) {
      if (kind === 'botbell') continue;
      // An incident that a person has closed does not go on: the next one is another.
      const end = `${subject}${kind === 'bot' ? ` since ${since}` : ''} at ${destination}`;
      const first = told.get(end) ?? key;
      told.set(end, first);
      const channel = subject.replace(/:.*/, ':');
      const isAlike = [...alerted].some((other) => other !== subject && other.startsWith(channel));
      if (first !== key && !isAlike)
        yield `the end of an incident is told once: ${destination} is told ${first} and then ${key}`;
    }
  }
}

function* alertedHourly(history: History) {
  const firsts = new Map<string, Attempt>();
  for (const attempt of history.sentAs('dead_letter', 'config_failure')) {
    const about = `${attempt.about.template} of ${attempt.about.destination}`;
    const first = firsts.get(about) ?? attempt;
    firsts.set(about, first);
    if (first.key !== attempt.key && attempt.at < first.at + HOUR)
      yield `an incident is alerted hourly: ${about} at ${seconds(first.at)} and ${seconds(attempt.at)}`;
  }
}
