/** Reads one line of a rich text: a template's own words in Slack's mrkdwn, and values, which are taken as they are. */
import { LINK_END, LINK_START, LINK_WORDS, VALUE_END, VALUE_START } from './value-marks.ts';
import type { TemplateValue } from '../format.ts';
import type { SlackObject } from './message.ts';
import { decodeEntities } from './mrkdwn.ts';
import { BOLD, CODE, ITALIC, STRIKE } from './rich-runs.ts';
import type { Runs } from './rich-runs.ts';
import { isUsableUrl } from './url.ts';

const LINE_END = 0x0a;
const BACKTICK = 0x60;
const BRACKET = 0x3c;
const CLOSING_BRACKET = 0x3e;
const AMPERSAND = 0x26;
/** Stops at no character. */
const NOWHERE = -1;
const FIRST_MARK = VALUE_START.charCodeAt(0);
const LINK_MARK = LINK_START.charCodeAt(0);
const LAST_MARK = LINK_END.charCodeAt(0);

/** By the code of their mark. */
const STYLE_BITS = new Uint8Array(128);
STYLE_BITS['*'.charCodeAt(0)] = BOLD;
STYLE_BITS['_'.charCodeAt(0)] = ITALIC;
STYLE_BITS['~'.charCodeAt(0)] = STRIKE;

/** What may begin something; all else is words. */
const IS_SPECIAL = new Uint8Array(128);
for (const character of '\n*_~`<&:') IS_SPECIAL[character.charCodeAt(0)] = 1;

const FENCE = '```';
/** Slack: "Formatting text": `<address|words>`, `<@user>`, `<#channel>`, `<!special>`. */
const CONTROL = /<(?!\s)([^<>|\n\ufdd0-\ufdd4]*)([|>])/y;
const ENTITY = /&(?:amp|lt|gt);/y;
/** A name without a letter, but for these two, is rather a time of day. */
const EMOJI = /:([0-9_+'-]*[a-z][a-z0-9_+'-]*|[-+]1):/y;

export class WordReader {
  /** Where reading goes on. */
  at = 0;
  readonly source: string;
  #style = 0;
  #stop = LINE_END;
  /** Where what is open ends, by the bit of its style. */
  readonly #closers = [-1, -1, -1, -1, -1];
  /** Up to where a mark is known to have no closing one, by the bit of its style. */
  readonly #unclosed = [0, 0, 0, 0, 0];
  /** The same of a bracket. */
  #unclosedBracket = 0;

  constructor(source: string) {
    this.source = source;
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  /** Up to the end of the line, the template's own `stop`, or a fence. */
  read(runs: Runs, stop = LINE_END): void {
    this.#stop = stop;
    let from = this.at;
    for (;;) {
      while (!this.isAtEnd && !isSpecial(this.source.charCodeAt(this.at), stop)) this.at += 1;
      if (this.at > from) runs.addWords(this.source.slice(from, this.at), this.#style);
      if (this.#endsHere()) return;
      this.#readSpecial(runs);
      from = this.at;
    }
  }

  /** The text of the fence that begins here, without the line ends inside it; undefined where none does. */
  readFence(): string | undefined {
    const end = this.#fenceEnd();
    if (end === -1) return undefined;
    const inside = this.source.slice(this.at + FENCE.length, end).replace(/^\n|\n$/gu, '');
    this.at = end + FENCE.length;
    return plainWords(inside);
  }

  #endsHere(): boolean {
    if (this.isAtEnd) return true;
    const code = this.source.charCodeAt(this.at);
    return code === LINE_END || code === this.#stop || this.#fenceEnd() !== -1;
  }

  #fenceEnd(): number {
    if (this.source.charCodeAt(this.at) !== BACKTICK || !this.source.startsWith(FENCE, this.at)) return -1;
    const inside = this.at + FENCE.length;
    let end = findOwn(this.source, BACKTICK, inside, NOWHERE);
    while (end !== -1 && !this.source.startsWith(FENCE, end))
      end = findOwn(this.source, BACKTICK, end + 1, NOWHERE);
    return end;
  }

  #readSpecial(runs: Runs): void {
    const code = this.source.charCodeAt(this.at);
    if (code >= FIRST_MARK) return this.#readMarked(code, runs);
    const bit = STYLE_BITS[code] ?? 0;
    if (bit !== 0) return this.#readStyle(bit, code, runs);
    if (code === BACKTICK) return this.#readCode(runs);
    if (code === BRACKET) return this.#readControl(runs);
    if (code === AMPERSAND) return this.#readEntity(runs);
    const found = isWordBefore(this.source, this.at) ? undefined : this.#match(EMOJI);
    if (found === undefined) return this.#readPlain(runs);
    this.at += found[0].length;
    runs.addElement({ type: 'emoji', name: found[1] ?? '' }, 0);
  }

  #readEntity(runs: Runs): void {
    const found = this.#match(ENTITY);
    if (found === undefined) return this.#readPlain(runs);
    this.at += found[0].length;
    runs.addWords(decodeEntities(found[0]), this.#style);
  }

  /** A character that begins nothing after all. */
  #readPlain(runs: Runs): void {
    runs.addWords(this.source.charAt(this.at), this.#style);
    this.at += 1;
  }

  #readMarked(mark: number, runs: Runs): void {
    if (mark === FIRST_MARK) {
      const end = endOf(this.source, VALUE_END, this.at);
      runs.addValue(this.source.slice(this.at + 1, end), this.#style);
      this.at = end + 1;
    } else if (mark === LINK_MARK) this.#readLink(runs);
    else this.at += 1;
  }

  #readLink(runs: Runs): void {
    const wordsAt = endOf(this.source, LINK_WORDS, this.at);
    const end = endOf(this.source, LINK_END, wordsAt);
    const address = this.source.slice(this.at + 1, wordsAt);
    this.at = end + 1;
    addLink(runs, address, plainWords(this.source.slice(wordsAt + 1, end)), this.#style);
  }

  #readStyle(bit: number, mark: number, runs: Runs): void {
    if (this.#closers[bit] === this.at) {
      this.#style &= ~bit;
      this.at += 1;
      return;
    }
    const closer = this.#closerOf(bit, mark);
    if (closer === -1) return this.#readPlain(runs);
    this.#closers[bit] = closer;
    this.#style |= bit;
    this.at += 1;
  }

  /** A mark opens after and closes before what is no letter, digit or value, and touches what it encloses. */
  #closerOf(bit: number, mark: number): number {
    const { source, at } = this;
    if (isWordBefore(source, at) || !isSolid(source, at + 1, mark) || at < (this.#unclosed[bit] ?? 0))
      return -1;
    let closer = findOwn(source, mark, at + 1, this.#stop);
    while (closer !== -1 && (!isSolid(source, closer - 1, mark) || isWord(source.charCodeAt(closer + 1))))
      closer = findOwn(source, mark, closer + 1, this.#stop);
    if (closer === -1) this.#unclosed[bit] = endOf(source, '\n', at);
    return closer;
  }

  #readCode(runs: Runs): void {
    const end = findOwn(this.source, BACKTICK, this.at + 1, this.#stop);
    if (end <= this.at + 1) return this.#readPlain(runs);
    runs.addValue(plainWords(this.source.slice(this.at + 1, end)), this.#style | CODE);
    this.at = end + 1;
  }

  #readControl(runs: Runs): void {
    const found = this.#match(CONTROL);
    if (found === undefined) return this.#readPlain(runs);
    const [opened, target = '', bar] = found;
    const wordsAt = this.at + opened.length;
    const end = bar === '|' ? this.#bracketAfter(wordsAt) : wordsAt - 1;
    if (end === -1 || (bar === '>' && !leadsSomewhere(target))) return this.#readPlain(runs);
    const words = bar === '|' ? plainWords(this.source.slice(wordsAt, end)) : '';
    this.at = end + 1;
    const mention = mentionOf(target, words);
    if (mention === undefined) addLink(runs, decodeEntities(target), words, this.#style);
    else runs.addElement(mention, this.#style);
  }

  #bracketAfter(from: number): number {
    if (from < this.#unclosedBracket) return -1;
    const end = findOwn(this.source, CLOSING_BRACKET, from, LINE_END);
    if (end === -1) this.#unclosedBracket = endOf(this.source, '\n', from);
    return end;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source) ?? undefined;
  }
}

function isSpecial(code: number, stop: number): boolean {
  if (code < 128) return IS_SPECIAL[code] === 1 || code === stop;
  return code >= FIRST_MARK && code <= LAST_MARK;
}

/** What stands alone between brackets and is neither mention nor address is words; nothing is an address that came out empty. */
function leadsSomewhere(target: string): boolean {
  return target === '' || /^[@#!]./u.test(target) || isLinkable(decodeEntities(target));
}

/** A web address, or one to write to, which only a template itself can hold. */
function isLinkable(address: string): boolean {
  return isUsableUrl(address) || /^mailto:[^\s<>|]+$/u.test(address);
}

/** Without a usable address only the words are left; without words the address is shown. */
function addLink(runs: Runs, address: string, words: string, style: number): void {
  if (!isLinkable(address)) runs.addValue(words, style);
  else if (words === '' || words === address) runs.addElement({ type: 'link', url: address }, style);
  else runs.addElement({ type: 'link', url: address, text: words }, style);
}

/** Slack: rich text block, "Rich text element types"; undefined for an address. */
function mentionOf(target: string, words: string): SlackObject | undefined {
  const [, sign, name = ''] = /^([@#!])(.+)$/u.exec(target) ?? [];
  if (sign === '@') return { type: 'user', user_id: name };
  if (sign === '#') return { type: 'channel', channel_id: name };
  if (sign === undefined) return undefined;
  if (/^(?:here|channel|everyone)$/u.test(name)) return { type: 'broadcast', range: name };
  if (name.startsWith('subteam^')) return { type: 'usergroup', usergroup_id: name.slice(8) };
  return dateOf(name, words) ?? { type: 'text', text: words === '' ? name : words };
}

/** `date^seconds^format` or `date^seconds^format^link`. */
function dateOf(name: string, words: string): SlackObject | undefined {
  const [, seconds, format = ''] = /^date\^(\d+)\^([^^]+)/u.exec(name) ?? [];
  if (seconds === undefined) return undefined;
  const date: Record<string, TemplateValue> = { type: 'date', timestamp: Number(seconds), format };
  return words === '' ? date : { ...date, fallback: words };
}

/** A value, a link, or words of the template's own; marks without their counterpart are nothing. */
const PIECE =
  /\ufdd0(?<value>[^\ufdd1]*)|\ufdd2(?<address>[^\ufdd3]*)\ufdd3(?<words>[^\ufdd4]*)|(?<own>[^\ufdd0-\ufdd4]+)/gu;

/** Own words decoded, values as they are, links as their words. */
function plainWords(text: string): string {
  let plain = '';
  for (const { groups } of text.matchAll(PIECE)) {
    const { value, address = '', words = '', own } = groups ?? {};
    if (own !== undefined) plain += decodeEntities(own);
    else plain += value ?? (plainWords(words) || address);
  }
  return plain;
}

/** Where the template's own `wanted` next is, before its own `stop` or the end of the line; -1 where it is not. */
function findOwn(source: string, wanted: number, from: number, stop: number): number {
  for (let at = from; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === wanted) return at;
    if (code === FIRST_MARK) at = endOf(source, VALUE_END, at);
    else if (code === LINK_MARK) at = endOf(source, LINK_END, at);
    else if (stop !== NOWHERE && (code === stop || code === LINE_END)) return -1;
  }
  return -1;
}

function endOf(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from);
  return end === -1 ? source.length : end;
}

function isWordBefore(source: string, at: number): boolean {
  return at > 0 && isWord(source.charCodeAt(at - 1));
}

/** Letters and digits as in names such as `order_no`; and values, which may be such. */
function isWord(code: number): boolean {
  if (code >= 128) return code >= FIRST_MARK && code <= LAST_MARK;
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a);
}

/** Neither white space, nor the mark itself, nor the end. */
function isSolid(source: string, at: number, mark: number): boolean {
  const code = source.charCodeAt(at);
  return code !== mark && code > 0x20 && code !== 0x3000;
}
