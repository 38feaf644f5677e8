/** What two error messages have in common that say the same of two runs. */
import { hash } from 'node:crypto';

/** What comes behind is not compared. */
const MOST_COMPARED = 100_000;

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\\.?';

/** Not within a longer word. */
function word(pattern: string): string {
  return `(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`;
}

/** In this order: what a later one would take apart comes first. */
const VARYING: readonly RegExp[] = [
  word('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'),
  // 2026-11-20T09:00:00.123+09:00, 2026/11/20 9:00
  word(
    '\\p{Nd}{4}([-/.])\\p{Nd}{1,2}\\1\\p{Nd}{1,2}(?:(?:t| {1,2})\\p{Nd}{1,2}:\\p{Nd}{2}(?::\\p{Nd}{2}(?:[.,]\\p{Nd}{1,9})?)?)?(?: ?(?:z|utc|gmt|[-+]\\p{Nd}{2}:?\\p{Nd}{2}))?',
  ),
  // 9:00, 09:00:00.123 PM
  word('\\p{Nd}{1,2}:\\p{Nd}{2}(?::\\p{Nd}{2}(?:[.,]\\p{Nd}{1,9})?)?(?: ?[ap]m)?'),
  // Fri, 20 Nov 2026; Nov 20, 2026; (金)
  word(
    `(?:${WEEKDAY},? )?(?:\\p{Nd}{1,2}[ -]${MONTH}|${MONTH}[ -]{1,2}\\p{Nd}{1,2}(?![\\p{N}:]))(?:,?[ -]\\p{Nd}{4}(?!:))?`,
  ),
  '[(（][月火水木金土日][)）]|午[前後]',
  word('(?:0x)?[0-9a-f]{8,}'),
  '\\p{Nd}+(?:[.,]\\p{Nd}+)*',
].map((pattern) => new RegExp(pattern, 'giu'));

/**
 * The same for messages that differ only in digits, dates and times, UUIDs, hexadecimal of eight and more, or in the id of
 * their job.
 */
export function likenessOf(message: string, jobId: string): string {
  const isOnlyDigits = /^\p{Nd}*$/u.test(jobId);
  const own = isOnlyDigits || jobId.length > MOST_COMPARED ? [] : [new RegExp(word(escaped(jobId)), 'gu')];
  const alike = [...own, ...VARYING].reduce(
    (text, varying) => text.replaceAll(varying, '#'),
    message.slice(0, MOST_COMPARED),
  );
  return hash('sha256', alike, 'base64url');
}

/** As a regular expression that matches it to the letter. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
