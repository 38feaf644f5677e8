/** What the variables of templates say in words, in English and Japanese. */
import type { DisplayConfig } from '../config/config.ts';
import type { CallbackNotice } from '../notice/notice.ts';
import { sayIn } from '../text/say.ts';
import { formatAge, formatInstant, type Language } from '../time/display.ts';

// One row a line: what both languages say stands side by side.
// prettier-ignore
const PHRASES = {
  openJob: ['Open job', 'ジョブを開く'],
  openIncident: ['Open in Botbell', 'Botbellで開く'],
  silent: ['The BOT gave no message.', 'BOTからのメッセージはありません。'],
  held: ['Held back since {since}', '{since} から保留していました'],
  late: ['Delivered late: this came {age} ago', '{age}前に受信した通知を遅れてお届けしています'],
  'held errors': ['{count|error|errors} held back since the last message', '前回の通知のあと、ほかに{count}件のエラーを保留しました'],
  same: ['{count} more of the same cause since the last alert', '前回のお知らせのあと、同じ原因でほかに{count}件ありました'],
  unnamed: ['{count|more BOT is|more BOTs are} not named', 'ほか{count}件のBOTは省略しました'],
  told: ['Told before: {who}', '{who} に通知済みです'],
  'told nobody': ['Nobody has got it so far', 'まだ誰にも届いていません'],
  taken: [' · {by} is on it', '。{by} が対応中です'],
  'taken by nobody': [' · Nobody has taken it up', '。対応者はいません'],
  failed: ['{failed} of {all|BOT|BOTs} failed', 'BOT {all}件のうち{failed}件がエラー'],
  well: ['All is well', '問題はありません'],
  nothing: ['Nothing ran', '実行はありませんでした'],
  counted: ['{count} {what}', '{what}{count}件'],
  errors: ['Failed', 'エラー'],
  missed: ['Missed', '未着'],
  overdue: ['Overdue', '長時間実行'],
  open: ['Still open', '未解決'],
  executing: ['Started', '開始'],
  succeeded: ['Succeeded', '成功'],
  muted: ['Muted', 'ミュート中'],
  none: ['No result yet', '結果はまだありません'],
  between: [', ', '、'],
  hours: ['{hours} h', '{hours}時間'],
  'hours, minutes': ['{hours} h {minutes} min', '{hours}時間{minutes}分'],
  runs: ['{count|run|runs}', '実行{count}回'],
  estimated: ['{time} ({runs} estimated)', '{time}（うち推定{runs}）'],
  incidents: ['{count}, {time} in all', '{count}件、合計{time}'],
  used: ['{used} of {hours} h ({percent}%)', '{used}／{hours}時間（{percent}%）'],
  forecast: ['{time} by the end of the month ({percent}%), if it goes on like this', 'このままでは月末に{time}（{percent}%）'],
  ends: ['The calendar {calendar} ends on {day}', 'カレンダー {calendar} は {day} までです'],
  'no day': ['{file} of the calendar {calendar} has no day of {year}', 'カレンダー {calendar} の {file} に{year}年の日付がありません'],
} as const;

export const SAY = { en: sayIn(PHRASES, { language: 'en' }), ja: sayIn(PHRASES, { language: 'ja' }) };

/** The phrase with its count; '' for 0. */
export function ifAny(count: number, what: 'held errors' | 'same' | 'unnamed', language: Language): string {
  return count === 0 ? '' : SAY[language](what, { count });
}

/** Destinations that a note names. */
const MOST_NAMED = 5;

/** For a step of an incident, who was told before and who is on it; else why a message comes late, and the errors held back; '' if neither. */
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

/** '' for an unknown time. */
export function localTime(ms: number | undefined, { timezone, language }: DisplayConfig): string {
  return ms === undefined ? '' : formatInstant(ms, timezone, language);
}
