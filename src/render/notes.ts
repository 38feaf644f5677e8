/** The words of a card's footer and its link. */
import { separated } from '../channels/marks.ts';
import type { DisplayConfig } from '../config/config.ts';
import type { CallbackNotice } from '../notice/notice.ts';
import { formatAge, formatInstant } from '../time/display.ts';

/** What templates say of a notice in a few words. */
export const NOTES = {
  en: {
    openJob: 'Open job',
    openIncident: 'Open in Botbell',
    silent: 'The BOT gave no message.',
    held: (since: string) => `Held back since ${since}`,
    late: (age: string) => `Delivered late: this came ${age} ago`,
    errors: (count: number) =>
      `${separated(count)} ${count === 1 ? 'error' : 'errors'} held back since the last message`,
    same: (count: number) => `${separated(count)} more of the same cause since the last alert`,
    unnamed: (count: number) => `${separated(count)} more BOTs are not named`,
    told: (who: string) => (who === '' ? 'Nobody has got it so far' : `Told before: ${who}`),
    taken: (by: string) => (by === '' ? 'Nobody has taken it up' : `${by} is on it`),
  },
  ja: {
    openJob: 'ジョブを開く',
    openIncident: 'Botbellで開く',
    silent: 'BOTからのメッセージはありません。',
    held: (since: string) => `${since} から保留していました`,
    late: (age: string) => `${age}前に受信した通知を遅れてお届けしています`,
    errors: (count: number) => `前回の通知のあと、ほかに${separated(count)}件のエラーを保留しました`,
    same: (count: number) => `前回のお知らせのあと、同じ原因でほかに${separated(count)}件ありました`,
    unnamed: (count: number) => `ほか${separated(count)}件のBOTは省略しました`,
    told: (who: string) => (who === '' ? 'まだ誰にも届いていません' : `${who} に通知済みです`),
    taken: (by: string) => (by === '' ? '対応者はいません' : `${by} が対応中です`),
  },
} as const;

export function ifAny(count: number, words: (count: number) => string): string {
  return count === 0 ? '' : words(count);
}

/** Destinations that a note names. */
const MOST_NAMED = 5;

/** Why a message comes later than what it tells of, and what it stands for besides; '' if nothing is to say. */
export function noteOf(
  { heldSince, delayedMs, escalated }: Pick<CallbackNotice, 'heldSince' | 'delayedMs' | 'escalated'>,
  display: DisplayConfig,
  heldBack = 0,
): string {
  const words = NOTES[display.language];
  if (escalated !== undefined) {
    const { told, takenBy } = escalated;
    const who = [...told.slice(0, MOST_NAMED), ...(told.length > MOST_NAMED ? ['…'] : [])].join(', ');
    return [words.told(who), words.taken(takenBy)].join(display.language === 'ja' ? '。' : ' · ');
  }
  const since = localTime(heldSince, display);
  const age = delayedMs === undefined ? '' : words.late(formatAge(delayedMs, display.language));
  const notes = [since === '' ? age : words.held(since), ifAny(heldBack, words.errors)];
  return notes.filter((note) => note !== '').join(' · ');
}

/** '' if there is none. */
export function localTime(ms: number | undefined, { timezone, language }: DisplayConfig): string {
  return ms === undefined ? '' : formatInstant(ms, timezone, language);
}
