/** What stands on the command line after an option, read strictly. */
import { InvalidArgumentError } from 'commander';
import { parseStartTime } from '../callback/check-callback.ts';
import { parseDuration } from '../time/display.ts';

export function httpUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be an http(s) URL.');
  return text;
}

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}

/** Of something in the ledger. */
export const id = wholeNumber(1);

export function ids(text: string, before: readonly number[]): readonly number[] {
  return [...before, id(text)];
}

/** @param words that it may be instead */
export function dateTimeOr(...words: readonly string[]): (text: string) => string {
  const choices = ['a date-time, e.g. 2026-11-24T18:00', ...words].join(', or ');
  return (text) => {
    if (words.includes(text) || parseStartTime(text, 'UTC') !== undefined) return text;
    throw new InvalidArgumentError(`It must be ${choices}.`);
  };
}

export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a duration, e.g. 30s.');
  return ms;
}
