/** Section 11: troubles of BOTs and destinations begin, count and end once, over crashes and replicas. */
import type { Attempt } from '../observed.ts';
import { BOTS, DESTINATIONS, DUTY, HOUR, OPERATORS, SECOND } from '../scenario.ts';
import { firstsOf, type History, isSuccess, messageOf, seconds } from './history.ts';
import { incidentsAbout, incidentsOf, troublesOf } from './troubles.ts';

/** Sent by hand, or without the store: what becomes of it says nothing of its destination. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['test', 'store_unwritable']);

export function* judgeIncidents(history: History) {
  yield* oneOpen(history);
  yield* toldOverOnce(history);
  if (!history.hasSetClocks) yield* alertedHourly(history);
  // Who is told of a BOT, and what is routed, goes by today's config.
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

/** Each error is counted in one incident, which a success ends that started later, or a person. */
function* ofBot(history: History, bot: string) {
  const expected = troublesOf(history, bot);
  if (expected === undefined) return;
  const one = expected.map(({ errors, isOver }) => `${errors.length} ${isOver ? 'over' : 'open'}`).join(', ');
  const other = incidentsOf(history, bot)
    .map(({ count, state }) => `${count} ${state === 'over' ? state : 'open'}`)
    .join(', ');
  if (one !== other)
    yield `an error counts in one incident of its BOT: ${bot} has (${other}), and is to have (${one})`;
}

/** Open for as long as something is lost there, and not after a success where nothing is. */
function* ofDestination(history: History, destination: string) {
  if (history.observed.acted.some(({ act }) => act.kind === 'close')) return;
  const open = incidentsAbout(history, 'destination', destination).filter(({ state }) => state !== 'over');
  const lost = history.observed.dead.filter(({ deliveries }) =>
    deliveries.some((each) => each.destination === destination && each.state === 'dead'),
  );
  if (lost.length > 0 && open.length === 0)
    yield `open while something is lost: ${destination} has dead letters, and no incident`;
  const isUp = isSurelyUp(history, destination);
  if (lost.length === 0 && isUp && open.length > 0)
    yield `over with the next success: ${destination} is still in trouble: ${open[0]?.gist}`;
  yield* failedForAReason(history, destination);
}

/** What each process writes of a destination from time to time, on a machine that sleeps while nothing happens. */
const NOTED_WITHIN_MS = 45 * SECOND;

/** What was told of it last has arrived, and that has been written since. */
function isSurelyUp({ observed, now }: History, destination: string): boolean {
  const all = observed.attempts.filter(
    (each) => each.destination === destination && !WITHOUT_STORE.has(each.notice.template),
  );
  const last = all.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)).at(-1);
  return last !== undefined && isSuccess(last) && (last.endedAt ?? Infinity) < now - NOTED_WITHIN_MS;
}

/** What Botbell itself goes on with, and somebody has to mend, is a trouble of its destination. */
function* failedForAReason(history: History, destination: string) {
  if (incidentsAbout(history, 'destination', destination).length > 0) return;
  for (const admitted of history.admitted) {
    const attempts = history.attemptsOf(admitted, destination);
    const wrong = attempts
      .slice(0, -1)
      .find((each) => each.failure?.class === 'config' && !history.isPostedAt(each, each.at));
    if (wrong !== undefined && history.isWritten(wrong, 2 * SECOND))
      yield `a wrong setting opens an incident: ${destination} refused ${wrong.key} at ${seconds(wrong.at)}`;
  }
}

/**
 * An incident's end is told once at a destination, and once more only where it went on within the hour and another alert said so: its own, or
 * that of another destination of its channel, for trouble of one cause.
 */
function* toldOverOnce(history: History) {
  const told = new Map<string, string>();
  const alerted = new Set<string>();
  const all = history.sentAs('dead_letter', 'config_failure', 'over');
  // A later attempt says nothing new.
  for (const { about, key, destination } of firstsOf(all, messageOf)) {
    if (about.template !== 'over') {
      told.delete(`${about.destination} at ${destination}`);
      alerted.add(about.destination);
      continue;
    }
    for (const { kind, subject, since } of about.troubles) {
      if (kind === 'botbell') continue;
      // What a person has closed does not go on.
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

/** What began, or grew, is not told again within the hour. */
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
