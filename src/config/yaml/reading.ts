/** A YAML text as its slips are looked for in it: as tokens, and as the lines that its writer sees. */
import { linesOf, type Line } from './lines.ts';
import { tokensOf, type Token } from './tokens.ts';

export interface Reading {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly lines: readonly Line[];
}

export function readingOf(text: string): Reading {
  const tokens = tokensOf(text);
  return { text, tokens, lines: linesOf(text, tokens) };
}

/** From `offset` to the end of its line. */
export function restOf(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end === -1 ? undefined : end).replace(/\r$/, '');
}

export function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Of `offset`, from 1. */
export function lineNumberOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
