/** Reads one line of a rich text: a template's own words in Slack's mrkdwn, and values, which are taken as they are. */
import { decodeEntities, LINK_END, LINK_START, VALUE_START } from './markup.ts';
import type { TemplateValue } from '../channel.ts';
import { BOLD, CODE, isUsableUrl, ITALIC, type Runs, type SlackObject, STRIKE } from './message.ts';

/** By their marks. */
const STYLES: ReadonlyMap<string, number> = new Map([
  ['*', BOLD],
  ['_', ITALIC],
  ['~', STRIKE],
]);

/** What begins nothing: neither a mark of Slack's, nor a cell, nor a value or a link. */
const WORDS = /[^\n*_~`<&:|\ufdd0-\ufdd4]+/y;
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
  #stop = '\n';
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
  read(runs: Runs, stop = '\n'): void {
    this.#stop = stop;
    while (!this.#endsHere()) {
      const words = this.#match(WORDS);
      if (words === undefined) this.#readSpecial(runs);
      else this.#readPlain(runs, words[0]);
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
    const next = this.source[this.at];
    return next === undefined || next === '\n' || next === this.#stop || this.#fenceEnd() !== -1;
  }

  #fenceEnd(): number {
    if (!this.source.startsWith(FENCE, this.at)) return -1;
    const inside = this.at + FENCE.length;
    let end = findOwn(this.source, '`', inside);
    while (end !== -1 && !this.source.startsWith(FENCE, end)) end = findOwn(this.source, '`', end + 1);
    return end;
  }

  #readSpecial(runs: Runs): void {
    const next = this.source.charAt(this.at);
    const style = STYLES.get(next);
    if (style !== undefined) return this.#readStyle(style, next, runs);
    switch (next) {
      case VALUE_START:
        return this.#readValue(runs);
      case LINK_START:
        return this.#readLink(runs);
      case '`':
        return this.#readCode(runs);
      case '<':
        return this.#readControl(runs);
      case '&':
        return this.#readEntity(runs);
      case ':':
        return this.#readEmoji(runs);
      case '|':
        return this.#readPlain(runs);
      default:
        // A mark without its counterpart.
        this.at += 1;
    }
  }

  #readEmoji(runs: Runs): void {
    const found = isWord(this.source, this.at - 1) ? undefined : this.#match(EMOJI);
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

  /** The template's own words; by default a character that begins nothing after all. */
  #readPlain(runs: Runs, words = this.source.charAt(this.at)): void {
    runs.addWords(words, this.#style);
    this.at += words.length;
  }

  #readValue(runs: Runs): void {
    const end = nextMark(this.source, this.at);
    runs.addValue(this.source.slice(this.at + 1, end), this.#style);
    this.at = end;
  }

  #readLink(runs: Runs): void {
    const wordsAt = nextMark(this.source, this.at);
    const end = endOf(this.source, LINK_END, wordsAt);
    const address = this.source.slice(this.at + 1, wordsAt);
    this.at = end + 1;
    addLink(runs, address, plainWords(this.source.slice(wordsAt + 1, end)), this.#style);
  }

  #readStyle(bit: number, mark: string, runs: Runs): void {
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
  #closerOf(bit: number, mark: string): number {
    const { source, at } = this;
    if (isWord(source, at - 1) || !isSolid(source, at + 1, mark) || at < (this.#unclosed[bit] ?? 0))
      return -1;
    let closer = findOwn(source, mark, at + 1, this.#stop);
    while (closer !== -1 && (!isSolid(source, closer - 1, mark) || isWord(source, closer + 1)))
      closer = findOwn(source, mark, closer + 1, this.#stop);
    if (closer === -1) this.#unclosed[bit] = endOf(source, '\n', at);
    return closer;
  }

  #readCode(runs: Runs): void {
    const end = findOwn(this.source, '`', this.at + 1, this.#stop);
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
    const end = findOwn(this.source, '>', from, '\n');
    if (end === -1) this.#unclosedBracket = endOf(this.source, '\n', from);
    return end;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source) ?? undefined;
  }
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
  /\ufdd0(?<value>[^\ufdd0-\ufdd4]*)|\ufdd2(?<address>[^\ufdd0-\ufdd4]*)\ufdd3(?<words>[^\ufdd4]*)|(?<own>[^\ufdd0-\ufdd4]+)/gu;

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

/** Where the template's own `wanted` next is, before its own `stop` or the end of the line, if it stops; -1 where it is not. */
function findOwn(source: string, wanted: string, from: number, stop?: string): number {
  for (let at = from; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === wanted) return at;
    if (character === VALUE_START) at = nextMark(source, at) - 1;
    else if (character === LINK_START) at = endOf(source, LINK_END, at);
    else if (stop !== undefined && (character === stop || character === '\n')) return -1;
  }
  return -1;
}

const MARK = /[\ufdd0-\ufdd4]/gu;

/** Where a value or an address ends: no mark can be in one, whichever the template itself holds by mistake. */
function nextMark(source: string, from: number): number {
  MARK.lastIndex = from + 1;
  return MARK.exec(source)?.index ?? source.length;
}

function endOf(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from);
  return end === -1 ? source.length : end;
}

/** Letters and digits as in names such as `order_no`; and values, which may be such. */
function isWord(source: string, at: number): boolean {
  return /[a-z0-9\ufdd0-\ufdd4]/i.test(source.charAt(at));
}

/** Neither white space, nor the mark itself, nor the end. */
function isSolid(source: string, at: number, mark: string): boolean {
  const character = source.charAt(at);
  return character > ' ' && character !== '\u3000' && character !== mark;
}
