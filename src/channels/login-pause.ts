/** The pause after a login that a remote refuses, whichever way it takes them: servers lock out whoever goes on with one. */
import type { Meaning } from './answers.ts';
import { LONGEST_PAUSE_MS } from './failure.ts';

const MINUTE_MS = 60_000;

/** After the first one; doubles with each further one, up to an hour. */
const FIRST_PAUSE_MS = 5 * MINUTE_MS;

/** @param refusals since a login was taken, but for this one @returns how long nobody logs in */
export function loginPauseMs(refusals: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** refusals, LONGEST_PAUSE_MS);
}

/** A login that is refused. */
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
