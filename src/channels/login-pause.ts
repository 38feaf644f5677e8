/** The pause after a refused login, for every kind of login: servers lock out a client that goes on with a login that they refuse. */
import type { Meaning } from './answers.ts';
import { LONGEST_PAUSE_MS } from './failure.ts';

const MINUTE_MS = 60_000;

/** After the first refusal; each further refusal doubles the pause, up to an hour. */
const FIRST_PAUSE_MS = 5 * MINUTE_MS;

/** @param refusals since the last accepted login, without this one @returns how long no login is tried */
export function loginPauseMs(refusals: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** refusals, LONGEST_PAUSE_MS);
}

/** Adds to the meaning of a refused login its pause, and when the next login is tried. */
export function notLetIn({ words, ...details }: Meaning, pauseMs = FIRST_PAUSE_MS): Meaning {
  const minutes = pauseMs / MINUTE_MS;
  return {
    words: {
      en: `${words.en}. The next login is tried in ${minutes} minutes, or after a reload`,
      ja: `${words.ja}。次のログインは${minutes}分後か、設定の再読み込み後に試します`,
    },
    ...details,
    concerns: 'channel',
    retryAfterMs: pauseMs,
  };
}
