/** Section 11: troubles of BOTs and destinations begin, count and end once, over crashes and replicas. */
import type { Attempt } from '../observed.ts';
import { BOTS, DESTINATIONS, DUTY, HOUR, OPERATORS, SECOND } from '../scenario.ts';
import { type Broken, type History, isSuccess, seconds, WRITTEN_WITHIN_MS } from './history.ts';
import { incidentsAbout, incidentsOf, troublesOf } from './troubles.ts';

/** Sent by hand, or without the store: what becomes of it says nothing of its destination. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['test', 'store_unwritable']);

export function judgeIncidents(history: History, broken: Broken): void {
  oneOpen(history, broken);
  toldOverOnce(history, broken);
  if (!history.hasSetClocks) alertedHourly(history, broken);
  // Who is told of a BOT, and what is routed, goes by today's config.
  if (history.hasReloads) return;
  if (!history.hasSetStoreClock) for (const bot of BOTS) ofBot(history, bot, broken);
  for (const destination of [...DESTINATIONS, ...DUTY, OPERATORS])
    ofDestination(history, destination, broken);
}

function oneOpen({ observed }: History, broken: Broken): void {
  const open = observed.incidents.filter(({ state }) => state !== 'over');
  for (const { kind, subject } of open) {
    const count = open.filter((each) => each.kind === kind && each.subject === subject).length;
    if (count > 1) broken('one open incident of each subject', `${kind} ${subject} has ${count}`);
  }
}

/** Each error is counted in one incident, which a success ends that started later, or a person. */
function ofBot(history: History, bot: string, broken: Broken): void {
  const expected = troublesOf(history, bot);
  if (expected === undefined) return;
  const one = expected.map(({ errors, isOver }) => `${errors.length} ${isOver ? 'over' : 'open'}`).join(', ');
  const other = incidentsOf(history, bot)
    .map(({ count, state }) => `${count} ${state === 'over' ? state : 'open'}`)
    .join(', ');
  if (one !== other)
    broken('an error counts in one incident of its BOT', `${bot} has (${other}), and is to have (${one})`);
}

/** Open for as long as something is lost there, and not after a success where nothing is. */
function ofDestination(history: History, destination: string, broken: Broken): void {
  if (history.observed.acted.some(({ act }) => act.kind === 'close')) return;
  const open = incidentsAbout(history, 'destination', destination).filter(({ state }) => state !== 'over');
  const lost = history.observed.dead.filter(({ deliveries }) =>
    deliveries.some((each) => each.destination === destination && each.state === 'dead'),
  );
  if (lost.length > 0 && open.length === 0)
    broken('open while something is lost', `${destination} has dead letters, and no incident`);
  const isUp = isSurelyUp(history, destination);
  if (lost.length === 0 && isUp && open.length > 0)
    broken('over with the next success', `${destination} is still in trouble: ${open[0]?.gist}`);
  failedForAReason(history, destination, broken);
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
function failedForAReason(history: History, destination: string, broken: Broken): void {
  if (incidentsAbout(history, 'destination', destination).length > 0) return;
  for (const admitted of history.admitted) {
    const attempts = history.attemptsOf(admitted, destination);
    const wrong = attempts.find(
      (each, place) =>
        each.failure?.class === 'config' && isOwn(history, each) && attempts[place + 1] !== undefined,
    );
    if (wrong !== undefined && isWritten(history, wrong))
      broken(
        'a wrong setting opens an incident',
        `${destination} refused ${wrong.key} at ${seconds(wrong.at)}`,
      );
  }
}

/** Nobody waits for it. */
function isOwn({ observed }: History, { nth, at }: Attempt): boolean {
  return !observed.posts.some(
    (post) => post.send.nth === nth && post.at <= at && at <= (post.endedAt ?? Infinity) + SECOND,
  );
}

function isWritten(history: History, { process, endedAt = 0 }: Attempt): boolean {
  const written = endedAt + WRITTEN_WITHIN_MS;
  return history.endOf(process) > written + SECOND && !history.isStoreHit(endedAt, written);
}

/**
 * An incident's end is told once at a destination, and once more only where it went on within the hour and another alert said so: its own, or
 * that of another destination of its channel, for trouble of one cause.
 */
function toldOverOnce(history: History, broken: Broken): void {
  const told = new Map<string, string>();
  const known = new Set<string>();
  const alerted = new Set<string>();
  for (const { about, key, destination, at } of history.sentAs('dead_letter', 'config_failure', 'over')) {
    // A later attempt says nothing new.
    if (known.has(`${key} at ${destination}`)) continue;
    known.add(`${key} at ${destination}`);
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
        broken(
          'the end of an incident is told once',
          `${destination} is told ${first} and, at ${seconds(at)}, ${key}`,
        );
    }
  }
}

/** What began, or grew, is not told again within the hour. */
function alertedHourly(history: History, broken: Broken): void {
  const firsts = new Map<string, Attempt>();
  for (const attempt of history.sentAs('dead_letter', 'config_failure')) {
    const about = `${attempt.about.template} of ${attempt.about.destination}`;
    const first = firsts.get(about) ?? attempt;
    firsts.set(about, first);
    if (first.key !== attempt.key && attempt.at < first.at + HOUR)
      broken(
        'an incident is alerted hourly',
        `${about} at ${seconds(first.at)}, and again at ${seconds(attempt.at)}`,
      );
  }
}
