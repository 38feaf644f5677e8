/** Rules of which Slack's table of blocks is made: each says what Slack would refuse of a value, and makes of it what it takes. */
import { isBlank } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { didYouMean } from '../../text/nearest.ts';
import type { Language } from '../../time/display.ts';
import { cutMark } from '../marks.ts';
import { isUsableUrl } from './message.ts';
import { cutMrkdwn } from './mrkdwn.ts';

export interface BlockFlaw {
  readonly path: readonly (string | number)[];
  /** In Slack's own words. */
  readonly message: string;
  /** Botbell cuts or drops it before it sends. */
  readonly isMended: boolean;
}

/** @returns the value as Slack takes it; undefined: nothing of it is left */
export type Rule = (value: unknown, spot: Spot) => unknown;

export type Rules = Readonly<Record<string, Rule>>;

/** Where a value stands, and what is wrong in the whole of which it is a part. */
export class Spot {
  readonly path: readonly (string | number)[];
  readonly language: Language;
  readonly flaws: BlockFlaw[];

  constructor(path: Spot['path'], language: Language = 'en', flaws: BlockFlaw[] = []) {
    this.path = path;
    this.language = language;
    this.flaws = flaws;
  }

  at(key: string | number): Spot {
    return new Spot([...this.path, key], this.language, this.flaws);
  }

  flaw(message: string, isMended = false): void {
    this.flaws.push({ path: this.path, message, isMended });
  }
}

export const anything: Rule = (value) => value;

export function is(type: 'boolean' | 'number'): Rule {
  return (value, spot) => {
    if (typeof value !== type) spot.flaw(`must be a ${type}`);
    return value;
  };
}

export function oneOf(...values: readonly unknown[]): Rule {
  return (value, spot) => {
    if (!values.includes(value)) spot.flaw(`must be one of ${values.join(', ')}`);
    return value;
  };
}

interface TextKind {
  /** Is cut inside no markup. */
  readonly isMrkdwn?: boolean;
  /** Blanks alone are as good as nothing, but between two words. */
  readonly mayBeBlank?: boolean;
}

/** @param most characters */
export function text(most: number, { isMrkdwn = false, mayBeBlank = false }: TextKind = {}): Rule {
  return (value, spot) => {
    if (typeof value !== 'string') {
      spot.flaw('must be a string');
      return value;
    }
    if (value === '' || (!mayBeBlank && isBlank(value))) {
      spot.flaw('must be more than 0 characters', true);
      return undefined;
    }
    if (!value.isWellFormed()) spot.flaw('must be valid Unicode', true);
    if (value.length > most) spot.flaw(`must be less than ${most + 1} characters`, true);
    return cutText(value.toWellFormed(), most, isMrkdwn, spot.language);
  };
}

/** Less has no room for the words that say that something was cut. */
const ROOM_FOR_WORDS = 80;

export function cutText(value: string, most: number, isMrkdwn: boolean, language: Language): string {
  if (value.length <= most) return value;
  const mark = most < ROOM_FOR_WORDS ? '…' : cutMark(language);
  return isMrkdwn ? cutMrkdwn(value, most, mark) : cutEnd(value, most, mark);
}

/** What cannot be opened is dropped. */
export const url: Rule = (value, spot) => {
  if (typeof value === 'string' && (isUsableUrl(value) || /^(?:mailto|slack):/.test(value))) return value;
  spot.flaw('invalid url', value === '');
  return undefined;
};

/** @param nothing stands for an item of which nothing is left, so that its neighbours stay in their places */
export function list(most: number, item: Rule, nothing?: unknown): Rule {
  return (value, spot) => {
    if (!Array.isArray(value)) {
      spot.flaw('must provide an array');
      return value;
    }
    if (value.length > most) spot.flaw(`no more than ${most} items allowed`);
    const items = value.slice(0, most).map((each, index) => item(each, spot.at(index)) ?? nothing);
    const kept = items.filter((each) => each !== undefined);
    if (value.length === 0) spot.flaw('no less than 1 items allowed', true);
    return kept.length === 0 ? undefined : kept;
  };
}

/** @param anyOf at least one of these must be there */
export function object(required: Rules, optional: Rules = {}, anyOf: readonly string[] = []): Rule {
  const rules: Rules = { ...required, ...optional };
  const isWhole = (value: object) =>
    Object.keys(required).every((key) => key in value) &&
    (anyOf.length === 0 || anyOf.some((key) => key in value));
  return (value, spot) => {
    if (!isJsonObject(value)) {
      spot.flaw('must provide an object');
      return value;
    }
    const given = Object.entries(value).filter(([, member]) => member !== undefined);
    const missing = Object.keys(required).filter((key) => value[key] === undefined);
    for (const key of missing) spot.flaw(`missing required field: ${key}`);
    if (anyOf.length > 0 && anyOf.every((key) => value[key] === undefined))
      spot.flaw(`missing required field: ${anyOf.join(' or ')}`);
    const kept = given.flatMap(([key, member]) => {
      const mended = key === 'type' ? member : ruleOf(rules, key, spot)(member, spot.at(key));
      return mended === undefined ? [] : [[key, mended] as const];
    });
    const result = Object.fromEntries(kept);
    return isWhole(result) ? result : undefined;
  };
}

function ruleOf(rules: Rules, key: string, spot: Spot): Rule {
  const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
  if (rule !== undefined) return rule;
  spot.at(key).flaw(`invalid additional property: ${key}${didYouMean(key, Object.keys(rules))}`);
  return anything;
}

/** An object whose `type` picks its rule. */
export function byType(types: Rules): Rule {
  const known = Object.keys(types);
  return (value, spot) => {
    const type = isJsonObject(value) ? value['type'] : undefined;
    const rule = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
    if (rule !== undefined) return rule(value, spot);
    if (!isJsonObject(value)) spot.flaw('must provide an object');
    else if (typeof type !== 'string') spot.flaw('missing required field: type');
    else
      spot
        .at('type')
        .flaw(`unsupported type: ${type}${didYouMean(type, known) || `: one of ${known.join(', ')}`}`);
    return value;
  };
}
