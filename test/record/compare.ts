/** What one record shows and another no longer does: words, numbers, ids, links, by callback and place. */
import type { Fields, Json } from './marks.ts';
import type { Message, Recorded, RecordedMail, Recording } from './record.ts';

export interface Difference {
  /** `en: a table: slack blocks @ #results 1` */
  readonly where: string;
  readonly callback: string;
  readonly place: string;
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

/** Of a callback, or of all (`*`); a place is also named by its first words. */
export interface Loss {
  readonly callback: string;
  readonly place: string;
  readonly values: readonly string[];
  readonly because: string;
}

type Lines = readonly string[];

/** Places that stay as they are: there, what is new is as wrong as what is missing. */
const EXACT = /^(answer$|messages$|mentions )/;
const MENTION = /<[!@#][^>]*>/g;
const MARKUP_LINK = /<((?:https?|mailto):[^|>]*)(?:\|([^>]*))?>/g;

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

export function compare(before: Recording, after: Recording, losses: readonly Loss[] = []): Difference[] {
  return Object.entries(before).flatMap(([language, callbacks]) =>
    Object.entries(callbacks).flatMap(([callback, recorded]) => {
      const now = placesOf(after[language as keyof Recording][callback]);
      return Object.entries(placesOf(recorded)).map(([place, lines]) => {
        const found = differenceOf(place, lines, now[place] ?? []);
        const missing = found.missing.filter(
          (value) => !losses.some((loss) => covers(loss, callback, place, value)),
        );
        return { where: `${language}: ${callback}: ${place}`, callback, place, missing, added: found.added };
      });
    }),
  );
}

function covers(loss: Loss, callback: string, place: string, value: string): boolean {
  const isPlace = loss.place === place || place.startsWith(`${loss.place} `);
  return (
    isPlace &&
    ['*', callback].includes(loss.callback) &&
    loss.values.some((each) => ['*', value].includes(each))
  );
}

function differenceOf(place: string, before: Lines, after: Lines) {
  const rest = [...after];
  const changed = before.filter((line) => {
    const index = rest.indexOf(line);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
  if (EXACT.test(place)) return { missing: [...changed, ...rest.map((line) => `new: ${line}`)], added: [] };
  const known = new Set(changed.flatMap(wordsIn));
  const added = new Set(rest.flatMap(wordsIn).filter((word) => !known.has(word)));
  return { missing: [...new Set(changed.flatMap((line) => lostOf(line, rest)))], added: [...added] };
}

/** A line that is not there as it was may be told by another that has all its words. */
function lostOf(line: string, others: Lines): Lines {
  const lacks = others.map((other) => wordsMissing(line, other));
  return lacks.toSorted((one, two) => one.length - two.length)[0] ?? wordsIn(line);
}

function wordsMissing(before: string, after: string): Lines {
  const words = new Set(wordsIn(after));
  // Where Japanese words begin and end depends on what is around them.
  return wordsIn(before).filter((word) => !words.has(word) && !(/[^ -~]/.test(word) && after.includes(word)));
}

function wordsIn(text: string): Lines {
  const segments = [...segmenter.segment(text)];
  return segments.flatMap(({ segment, isWordLike }) =>
    isWordLike === true || /\p{So}/u.test(segment) ? [segment] : [],
  );
}

function placesOf(recorded: Recorded | undefined): Readonly<Record<string, Lines>> {
  if (recorded === undefined) return {};
  const { answer, slack, mails, why, item, story } = recorded;
  const { status, body } = answer;
  const { result = null, deliveries = [], ...others } = body;
  const addresses = [...slack, ...mails].map(({ channel }) => channel);
  return {
    answer: [`status ${status}`, `result ${JSON.stringify(result)}`, ...linesOf(deliveries)],
    'answer text': linesOf({ headers: answer.headers, ...others }),
    messages: addresses,
    ...Object.fromEntries(
      slack.flatMap((message, index) => slackPlaces(message, `@ ${message.channel} ${index}`)),
    ),
    ...Object.fromEntries(mails.flatMap((mail, index) => mailPlaces(mail, `@ ${mail.channel} ${index}`))),
    why: why.filter((line) => line !== ''),
    item: linesOf(item),
    story: linesOf(story),
  };
}

function slackPlaces(message: Message, at: string): [string, Lines][] {
  const { text, ...others } = message;
  const drawn = drawnIn(others);
  const mentions = [...(text + drawn.markup).matchAll(MENTION)].map(([mention]) => mention);
  return [
    [`mentions ${at}`, mentions.toSorted()],
    [`slack text ${at}`, [text]],
    [`slack blocks ${at}`, [drawn.text]],
    [`slack links ${at}`, drawn.links],
  ];
}

/** What people see of a Slack value, and what Slack makes more of than text. */
function drawnIn(json: Json): { readonly text: string; readonly markup: string; readonly links: Lines } {
  if (typeof json !== 'object' || json === null) return { text: '', markup: '', links: [] };
  const own = Array.isArray(json) ? {} : (json as Fields);
  const parts = Object.values(json as Fields).map(drawnIn);
  const text = [own['text'], own['alt_text'], own['name']]
    .filter((each) => typeof each === 'string')
    .join(' ');
  const isMarkup = own['type'] === 'mrkdwn';
  const mention = /^"(user|usergroup|broadcast)"$/.test(JSON.stringify(own['type'] ?? ''))
    ? `<@${JSON.stringify(own)}>`
    : '';
  const url = typeof own['url'] === 'string' ? [own['url']] : [];
  const marked = isMarkup ? [...text.matchAll(MARKUP_LINK)].map(([, target = '']) => target) : [];
  return {
    text: [text, ...parts.map((part) => part.text)].join('\n'),
    markup: [isMarkup ? text : mention, ...parts.map((part) => part.markup)].join(' '),
    links: [...url, ...marked, ...parts.flatMap((part) => part.links)],
  };
}

function mailPlaces({ headers, subject, text, visible, links }: RecordedMail, at: string): [string, Lines][] {
  return [
    [`mail headers ${at}`, linesOf(headers)],
    [`mail subject ${at}`, [subject]],
    [`mail text ${at}`, [text]],
    [`mail html ${at}`, [visible]],
    [`mail links ${at}`, links],
  ];
}

/** Each value with its keys; which of a list it is, does not count. */
function linesOf(json: Json, path = ''): Lines {
  if (Array.isArray(json)) return json.flatMap((entry: Json) => linesOf(entry, `${path}[]`));
  if (typeof json !== 'object' || json === null) return [`${path}: ${String(json)}`];
  return Object.entries(json).flatMap(([key, value]) => linesOf(value, `${path}.${key}`));
}
