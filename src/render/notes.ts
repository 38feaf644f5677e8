/** Why a message comes now, and what it stands for besides. */
import type { DisplayConfig } from '../config/config.ts';
import type { CallbackNotice } from '../notice/notice.ts';
import { formatAge, formatInstant, type Language } from '../time/display.ts';
import { SAY } from './phrases.ts';

/** What is said of more than nothing; else ''. */
export function ifAny(count: number, what: 'held errors' | 'same' | 'unnamed', language: Language): string {
  return count === 0 ? '' : SAY[language](what, { count });
}

/** Destinations that a note names. */
const MOST_NAMED = 5;

/** Why a message comes later than what it tells of, and what it stands for besides; '' if nothing is to say. */
export function noteOf(
  { heldSince, delayedMs, escalated }: Pick<CallbackNotice, 'heldSince' | 'delayedMs' | 'escalated'>,
  display: DisplayConfig,
  heldBack = 0,
): string {
  const { language } = display;
  const say = SAY[language];
  if (escalated !== undefined) {
    const { told, takenBy } = escalated;
    const who = [...told.slice(0, MOST_NAMED), ...(told.length > MOST_NAMED ? ['…'] : [])].join(', ');
    return (
      (who === '' ? say('told nobody') : say('told', { who })) +
      (takenBy === '' ? say('taken by nobody') : say('taken', { by: takenBy }))
    );
  }
  const since = localTime(heldSince, display);
  const age = delayedMs === undefined ? '' : say('late', { age: formatAge(delayedMs, language) });
  const notes = [since === '' ? age : say('held', { since }), ifAny(heldBack, 'held errors', language)];
  return notes.filter((note) => note !== '').join(' · ');
}

/** '' if there is none. */
export function localTime(ms: number | undefined, { timezone, language }: DisplayConfig): string {
  return ms === undefined ? '' : formatInstant(ms, timezone, language);
}
