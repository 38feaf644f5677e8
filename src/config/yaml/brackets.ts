/** Brackets and quotes that are not closed, and what is missing between them. */
import {
  restOf,
  problem,
  type Reading,
  type YamlProblem,
  endOf,
  isClosing,
  isFilling,
  isOpening,
  isQuoted,
  type Token,
} from './reading.ts';

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

const COMMENT = 'a value that begins with # is read as a comment: put the whole value in quotes';

const IN_DOUBLE_QUOTES =
  'inside double quotes, a double quote is written \\", or the value stands in single quotes';
const IN_SINGLE_QUOTES =
  "inside single quotes, an apostrophe is written twice (''), or the value stands in double quotes";

export function findBrackets({ text, tokens }: Reading): YamlProblem[] {
  const walk = new Walk(text);
  for (const token of tokens) walk.pass(token);
  return walk.problems;
}

class Walk {
  readonly problems: YamlProblem[] = [];
  private readonly text: string;
  private readonly open: Token[] = [];
  /** The first comment within brackets that looks like a value. */
  private comment: Token | undefined;
  private last: Token | undefined;
  private isSameLine = false;
  /** What stands before it is explained already. */
  private skipTo = 0;

  constructor(text: string) {
    this.text = text;
  }

  pass(token: Token): void {
    if (token.offset < this.skipTo) return;
    if (token.type === 'newline') this.isSameLine = false;
    if (this.open.length > 0 && /^#[^\s#]/.test(token.source)) this.comment ??= token;
    if (isFilling(token)) return;
    if (token.type === 'flow-error-end') this.breakOff();
    else if (isBraces(this.text, token)) this.skipBraces(token);
    else if (isReference(this.last, token)) this.quoteReference(this.last);
    else this.check(token);
    this.last = token;
    this.isSameLine = true;
  }

  private check(token: Token): void {
    const problem = this.problemBefore(token);
    if (problem !== undefined) this.problems.push(problem);
    if (isOpening(token)) this.open.push(token);
    if (isClosing(token)) this.close(token);
    if (isQuoted(token) && !/^(["'])[^]*\1$/.test(token.source)) this.problems.push(unclosed(token));
  }

  /** Between what came last and the token. */
  private problemBefore(token: Token): YamlProblem | undefined {
    const { last } = this;
    if (last === undefined) return undefined;
    if (isQuoted(last) && token.offset === endOf(last) && isText(token)) return quoteWithin(last, token);
    if (this.open.length > 0 && isValueEnd(last) && isValueStart(token)) {
      const edits = [{ offset: endOf(last), remove: 0, insert: ',' }];
      return { offset: token.offset, message: 'a comma is missing before this', edits };
    }
    if (last.type !== 'map-value-ind' || token.type !== 'seq-item-ind' || !this.isSameLine) return undefined;
    return problem(token.offset, 'a list begins on the line below its key, or stands in brackets: [a, b]');
  }

  private close(token: Token): void {
    const index = this.open.findLastIndex(({ source }) => CLOSERS[source] === token.source);
    const top = this.open.at(-1);
    const { offset, source } = token;
    if (index === -1) {
      const closer = CLOSERS[top?.source ?? ''] ?? '';
      const message =
        top === undefined
          ? `this ${source} closes nothing: remove it, or add the bracket that opens it`
          : `this ${source} stands where ${closer} must: it closes a ${top.source}`;
      this.problems.push({ offset, message, edits: [{ offset, remove: 1, insert: closer }] });
    } else if (index < this.open.length - 1) {
      this.problems.push(this.notClosed(this.open.slice(index + 1)));
    }
    this.open.length = index === -1 ? Math.max(0, this.open.length - 1) : index;
  }

  /** A line outside of the brackets has come, or the end of the file. */
  private breakOff(): void {
    if (this.open.length > 0)
      this.problems.push(this.comment ? quoted(this.comment) : this.notClosed(this.open));
    this.open.length = 0;
    this.comment = undefined;
  }

  private notClosed(open: readonly Token[]): YamlProblem {
    const closers = open.map(({ source }) => CLOSERS[source] ?? '').toReversed();
    const offset = this.last === undefined ? this.text.length : endOf(this.last);
    return {
      offset: open[0]?.offset ?? 0,
      message: `this bracket is not closed: ${closers.join('')} is missing`,
      edits: [{ offset, remove: 0, insert: closers.join('') }],
    };
  }

  /** What they make of the rest of their line is explained by them. */
  private skipBraces({ offset }: Token): void {
    this.skipTo = offset + restOf(this.text, offset).length;
    this.open.length = 0;
  }

  private quoteReference({ offset }: Token): void {
    const [value = ''] = /^[^]*?\$\{[^}\n]*\}?[^\s,\]}]*/.exec(this.text.slice(offset)) ?? [];
    this.skipTo = offset + value.length;
    this.problems.push({
      offset,
      message: 'a ${…} inside brackets must stand in quotes: "${NAME}"',
      edits: [inQuotes(offset), inQuotes(this.skipTo)],
    });
  }
}

/** `{{` and `{%`, which are Liquid's and were meant to stand in quotes. */
function isBraces(text: string, token: Token): boolean {
  return token.source === '{' && isOpening(token) && /^[{%]$/.test(text.charAt(token.offset + 1));
}

/** `${NAME}` within brackets, where its braces are YAML's. */
function isReference(last: Token | undefined, token: Token): last is Token {
  return (
    last?.type === 'text' && last.source.endsWith('$') && token.source === '{' && token.offset === endOf(last)
  );
}

function isText(token: Token): boolean {
  return token.type === 'text' || isQuoted(token);
}

function isValueEnd(token: Token): boolean {
  return isText(token) || token.type === 'alias' || isClosing(token);
}

function isValueStart(token: Token): boolean {
  return isText(token) || token.type === 'alias' || isOpening(token);
}

/** One quote ended where another was meant to. */
function quoteWithin(last: Token, { offset }: Token): YamlProblem {
  if (last.source.includes('\n')) return unclosed(last);
  if (last.type === 'double-quoted-scalar') return problem(offset - 1, IN_DOUBLE_QUOTES);
  return { offset: offset - 1, message: IN_SINGLE_QUOTES, edits: [{ offset, remove: 0, insert: "'" }] };
}

function unclosed({ offset }: Token): YamlProblem {
  return problem(offset, 'this quote is not closed');
}

function quoted({ offset, source }: Token): YamlProblem {
  const [value = ''] = /^[^\s,\]}]*/.exec(source) ?? [];
  return { offset, message: COMMENT, edits: [inQuotes(offset), inQuotes(offset + value.length)] };
}

function inQuotes(offset: number) {
  return { offset, remove: 0, insert: '"' };
}
