/** Section 6, alerts: a dead letter is alerted when it dies, and each cause once an hour. */
import { isAlert } from '../../../src/notice/notice.ts';
import type { Attempt } from '../observed.ts';
import { HOUR, OPERATORS } from '../scenario.ts';
import { type Broken, type History, nameOf, seconds } from './history.ts';

export function judgeAlerts(history: History, broken: Broken): void {
  deadLettersAlerted(history, broken);
  if (!history.hasSetClocks) onceAnHour(history, broken);
}

/** Which alert, of which channel, for which failure; undefined: it is about something else. */
function causeOf({ notice }: Attempt): string | undefined {
  if (!isAlert(notice)) return undefined;
  const { subject } = notice.alert;
  if (subject.template !== 'dead_letter' && subject.template !== 'config_failure') return undefined;
  return `${subject.template} ${subject.channel} ${subject.error.code}`;
}

function deadLettersAlerted(history: History, broken: Broken): void {
  // Whether a snooze of the operators' destination holds their alerts is not said.
  if (history.observed.acted.some(({ act }) => act.kind === 'snooze')) return;
  const alerted = new Set(history.observed.attempts.filter(isToOperators).map(causeOf));
  for (const { send, listed } of history.admitted)
    for (const { destination, state, last_error: error } of listed.deliveries) {
      const [channel] = destination.split(':');
      if (state === 'dead' && !alerted.has(`dead_letter ${channel} ${error?.code}`))
        broken('a dead letter is alerted', `${nameOf(send)} at ${destination} (${error?.code})`);
    }
}

function isToOperators({ destination }: Attempt): boolean {
  return destination === OPERATORS;
}

function onceAnHour({ observed }: History, broken: Broken): void {
  const firsts = new Map<string, Attempt>();
  for (const attempt of observed.attempts) {
    const cause = causeOf(attempt);
    if (cause === undefined) continue;
    const first = firsts.get(cause) ?? attempt;
    firsts.set(cause, first);
    if (attempt.key !== first.key && attempt.at < first.at + HOUR)
      broken(
        'a cause is alerted once an hour',
        `${cause} at ${seconds(first.at)}, and again at ${seconds(attempt.at)}`,
      );
  }
}
