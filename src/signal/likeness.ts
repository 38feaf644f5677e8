/** Recognises error messages of different runs that say the same. */
import { hash } from 'node:crypto';

/** Characters of a message; the rest is not compared. */
const MOST_COMPARED = 100_000;

/** A pattern that does not match within a longer word. */
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

/** The parts of one date, time, address or number, which become one: `#-#-#T#:#:#Z`. */
const TOGETHER = /#(?:[-/.:,+t ]{0,2}#|z(?!\p{L}))*/giu;

/**
 * A hash that is the same for messages that differ only in digits, dates and times, UUIDs, hexadecimal of eight or more
 * characters, or the id of their job.
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

/** A regular expression that matches the text literally. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
