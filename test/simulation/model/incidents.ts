/** Section 11: troubles of BOTs and destinations begin, count and end once, even with crashes and replicas. */
import { BOTS, DESTINATIONS, DUTY, OPERATORS, SECOND } from '../scenario.ts';
import { type History, isSuccess, seconds } from './history.ts';
import { incidentsAbout, incidentsOf, troublesOf } from './troubles.ts';

/** A notice that is sent without the store: its outcome does not count for its destination. */
const WITHOUT_STORE = 'store_unwritable';

export function* judgeIncidents(history: History) {
  yield* oneOpen(history);
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
  const one = expected.map(({ errors, isOver }) => `${errors.length} ${isOver ? 'over' : 'open'}`).join(', ');
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
  const isUp = isSurelyUp(history, destination);
  if (lost.length === 0 && isUp && open.length > 0)
    yield `over with the next success: ${destination} is still in trouble: ${open[0]?.gist}`;
  yield* failedForAReason(history, destination);
}

/** Each process writes the state of a destination within this time, on a machine that sleeps while nothing happens. */
const NOTED_WITHIN_MS = 45 * SECOND;

/** Whether the last message arrived there, and this has been written since. */
function isSurelyUp(history: History, destination: string): boolean {
  const all = history.attemptsTo(destination).filter(({ notice }) => notice.template !== WITHOUT_STORE);
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
