/** The tokens of a YAML text with their places, also of one that is not valid: the lexer never fails. */
import { CST, Lexer } from 'yaml';

export type TokenType = NonNullable<ReturnType<typeof CST.tokenType>>;

export interface Token {
  /** `text` is a plain scalar, `block-text` what stands below `|` or `>`. */
  readonly type: TokenType | 'text' | 'block-text';
  readonly source: string;
  readonly offset: number;
  /** How many brackets are open around it. */
  readonly depth: number;
}

const OPENING: ReadonlySet<Token['type']> = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSING: ReadonlySet<Token['type']> = new Set(['flow-map-end', 'flow-seq-end']);
const QUOTED: ReadonlySet<Token['type']> = new Set(['single-quoted-scalar', 'double-quoted-scalar']);
const FILLING: ReadonlySet<Token['type']> = new Set(['space', 'newline', 'comment', 'byte-order-mark']);

/** They stand for something in the lexer's output, and for nothing in the text. */
const MARKERS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  let depth = 0;
  let scalar: 'text' | 'block-text' = 'text';
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    const type: Token['type'] = isScalar ? scalar : (CST.tokenType(source) ?? 'text');
    if (type === 'block-scalar-header') scalar = 'block-text';
    else if (isScalar) scalar = 'text';
    isScalar = type === 'scalar';
    if (type === 'flow-error-end') depth = 0;
    if (CLOSING.has(type)) depth = Math.max(0, depth - 1);
    if (!MARKERS.has(source) || type === 'flow-error-end') tokens.push({ type, source, offset, depth });
    if (OPENING.has(type)) depth += 1;
    if (!MARKERS.has(source)) offset += source.length;
  }
  return tokens;
}

export function isOpening({ type }: Token): boolean {
  return OPENING.has(type);
}

export function isClosing({ type }: Token): boolean {
  return CLOSING.has(type);
}

export function isQuoted({ type }: Token): boolean {
  return QUOTED.has(type);
}

/** Blanks, line ends and comments. */
export function isFilling({ type }: Token): boolean {
  return FILLING.has(type);
}

export function endOf({ offset, source, type }: Token): number {
  return type === 'flow-error-end' ? offset : offset + source.length;
}
