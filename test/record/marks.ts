/** Puts marks for what differs from run to run: times of the run, ids of the ledger and the remotes, ports, durations. */

export type Json = string | number | boolean | null | readonly Json[] | Fields;
export interface Fields {
  readonly [key: string]: Json;
}

const DAY_MS = 86_400_000;
const ID_KEYS = new Set(['id', 'alerts', 'next', 'last_callback_id']);
const TIMEZONE = 'Asia/Tokyo';

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** As the stories have it, with the day where it is not today. */
const TIME_OF_DAY =
  /(?<![T\d:.])(?:\d{1,2} \p{Lu}\p{Ll}+(?: \d{4})?, |(?:\d{4}年)?\d{1,2}月\d{1,2}日 )?\d{1,2}:\d\d(?::\d\d)?/gu;
const DURATION = String.raw`\d[\d.]*(?: (?:ms|s)|ミリ秒|秒)`;

const EVERYWHERE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{10}\.\d{6}\b/g, '[ts]'],
  [/\b[0-9a-f]{32,}(?=@)/g, '[message]'],
  [/\b127\.0\.0\.1:\d+/g, '127.0.0.1:[port]'],
  [/(?<=\/api\/callbacks\/)\d+/g, '[id]'],
];
const IN_STORIES: readonly (readonly [RegExp, string])[] = [
  [TIME_OF_DAY, '[time]'],
  [/(?<=botbell redeliver )\d+/g, '[id]'],
  // A busy machine makes a cost worth a sentence that is none on another; waiting for the next post always is.
  [
    new RegExp(
      ` That cost the BOT ${DURATION} of running time\\.|このためBOTの実行時間が${DURATION}かかりました。`,
      'g',
    ),
    '',
  ],
  [new RegExp(`(?<=answered )(?:at once|after ${DURATION})|(?:すぐに|${DURATION}で)(?=応答)`, 'g'), '[soon]'],
  [new RegExp(`(?<=\\b(?:in|after|BOT) )${DURATION}|(?<=[、が])${DURATION}(?=[）でか])`, 'g'), '[duration]'],
];

/** @param isStory whether it tells of the run, rather than of a callback */
export function withMarks<T>(recorded: T, isStory: boolean): T {
  return marked(recorded as Json, isStory, '') as T;
}

function marked(json: Json, isStory: boolean, key: string): Json {
  if (typeof json === 'number' && ID_KEYS.has(key)) return '[id]';
  if (typeof json === 'string') return markedText(json, isStory);
  if (Array.isArray(json)) return json.map((entry: Json) => marked(entry, isStory, key));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, marked(value, isStory, name)]),
  );
}

function markedText(text: string, isStory: boolean): string {
  const timeless = text
    .replaceAll(ISO_TIME, (time) => (Math.abs(Date.parse(time) - Date.now()) < 2 * DAY_MS ? '[time]' : time))
    .replaceAll(timesNear(Date.now()), '[time]');
  const pairs = isStory ? [...EVERYWHERE, ...IN_STORIES] : EVERYWHERE;
  return pairs.reduce((text, [pattern, mark]) => text.replaceAll(pattern, mark), timeless);
}

/** Full dates of these days, perhaps with a time, in both languages. */
function timesNear(now: number): RegExp {
  const days = [-1, 0, 1].flatMap((offset) =>
    ['en-GB', 'ja-JP'].map((locale) => dayOf(now + offset * DAY_MS, locale)),
  );
  return new RegExp(`(?:${days.join('|')})(?:,? \\d{1,2}:\\d\\d:\\d\\d)?`, 'g');
}

function dayOf(ms: number, locale: string): string {
  const month = locale === 'ja-JP' ? 'long' : 'short';
  return new Date(ms).toLocaleDateString(locale, {
    timeZone: TIMEZONE,
    year: 'numeric',
    month,
    day: 'numeric',
  });
}
