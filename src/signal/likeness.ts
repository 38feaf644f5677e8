/** Recognises error messages of different runs that say the same. */
import { hash } from 'node:crypto';

/** Characters of a message; the rest is not compared. */
const MOST_COMPARED = 100_000;

/** Characters of a job's id that are searched for; the rest is compared where they are found, so that no id takes long. */
const MOST_SEARCHED = 200;

const IN_WORD = '[\\p{L}\\p{N}]';

/** A generated name is written like this; scripts without blanks are not, or whole sentences would be one. */
const IN_NAME = '[\\p{Script=Latin}\\p{Nd}_]';

/** A pattern that does not match within a longer word. */
function word(pattern: string): string {
  return `(?<!${IN_WORD})(?:${pattern})(?!${IN_WORD})`;
}

const VARYING = new RegExp(
  [
    word('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'),
    // A number with its unit is no name: `70ms` and `1204ms` are alike.
    '\\p{Nd}+(?=(?:[µnm]?s|secs?|m|mins?|h|hrs?|d|[kmgt]?i?b|[ap]m)(?![\\p{L}\\p{N}_]))',
    `(?<!${IN_NAME})(?=[\\p{Nd}_]*\\p{Script=Latin})(?=[\\p{Script=Latin}_]*\\p{Nd})${IN_NAME}{5,}`,
    word('(?:0x)?[0-9a-f]{8,}'),
    word(
      'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?',
    ),
    word('(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?'),
    word('[ap]m|utc|gmt'),
    '[(（][月火水木金土日][)）]|午[前後]',
    '\\p{Nd}+',
  ].join('|'),
  'giu',
);

/** The parts of one date, time, address or number, which become one: `#-#-#T#:#:#Z`. */
const TOGETHER = /#(?:[-/.:,+t ]{0,2}#|z(?!\p{L}))*/giu;

/**
 * A hash that is the same for messages that differ only in digits, dates and times, UUIDs, hexadecimal of eight or more
 * characters, names of five or more that mix letters and digits, or the id of their job.
 */
export function likenessOf(message: string, jobId: string): string {
  const compared = message.slice(0, MOST_COMPARED);
  const isOnlyDigits = /^\p{Nd}*$/u.test(jobId);
  const common = isOnlyDigits ? compared : withoutId(compared, jobId);
  const alike = [VARYING, TOGETHER].reduce((text, varying) => text.replaceAll(varying, '#'), common);
  return hash('sha256', alike, 'base64url');
}

/** The text with `#` for each id that is no part of a longer word. */
function withoutId(text: string, id: string): string {
  const searched = id.slice(0, MOST_SEARCHED);
  const kept: string[] = [];
  let begin = 0;
  for (let at = text.indexOf(searched); at !== -1;) {
    const end = at + id.length;
    const isFound = text.startsWith(id, at) && !isWithinWord(text, at, end);
    if (isFound) kept.push(text.slice(begin, at));
    if (isFound) begin = end;
    at = text.indexOf(searched, isFound ? end : at + (id === searched ? 1 : MOST_SEARCHED));
  }
  return [...kept, text.slice(begin)].join('#');
}

const ENDS_IN_WORD = new RegExp(`${IN_WORD}$`, 'u');
const BEGINS_IN_WORD = new RegExp(`^${IN_WORD}`, 'u');

function isWithinWord(text: string, begin: number, end: number): boolean {
  return (
    ENDS_IN_WORD.test(text.slice(Math.max(0, begin - 2), begin)) ||
    BEGINS_IN_WORD.test(text.slice(end, end + 2))
  );
}
