/** What two error messages have in common that say the same of two runs. */
import { hash } from 'node:crypto';

/** What comes behind is not compared. */
const MOST_COMPARED = 100_000;

/** Not within a longer word. */
function word(pattern: string): string {
  return `(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`;
}

const VARYING = new RegExp(
  [
    word('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'),
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

/** What makes one date, time, address or number of several such: `#-#-#T#:#:#Z`. */
const TOGETHER = /#(?:[-/.:,+t ]{0,2}#|z(?!\p{L}))*/giu;

/**
 * The same for messages that differ only in digits, dates and times, UUIDs, hexadecimal of eight and more, or in the id of
 * their job.
 */
export function likenessOf(message: string, jobId: string): string {
  const isOnlyDigits = /^\p{Nd}*$/u.test(jobId);
  const own = isOnlyDigits || jobId.length > MOST_COMPARED ? [] : [new RegExp(word(escaped(jobId)), 'gu')];
  const compared = message.slice(0, MOST_COMPARED);
  const alike = [...own, VARYING, TOGETHER].reduce(
    (text, varying) => text.replaceAll(varying, '#'),
    compared,
  );
  return hash('sha256', alike, 'base64url');
}

/** As a regular expression that matches it to the letter. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
