/** Strings of words and variables alone, as most are, printed without Liquid: beginning a rendering costs more than most strings. */
import type { Liquid } from 'liquidjs';
import type { NoticeView } from './view.ts';

/** Prints such a string. @param isPiece it prints nothing where a variable is empty */
export type PrintWords = (view: NoticeView, isPiece: boolean) => string;

/** The other names are none for liquidjs, or none of the view. */
const VARIABLE = /\{\{ *(?!(?:true|false|nil|null|empty|blank|card) *\}\})([a-z_]\w*) *\}\}/;

/** Prints what `liquid` would. @returns undefined: the text holds more than words and variables */
export function wordsIn(text: string, { options: { outputEscape } }: Liquid): PrintWords | undefined {
  // Words and names of variables in turn.
  const parts = text.split(VARIABLE);
  const isMore = parts.some((part, index) => index % 2 === 0 && /\{[{%]|[%}]\}/.test(part));
  if (isMore || outputEscape === undefined) return undefined;
  const [first = '', ...rest] = parts;
  return (view, isPiece) => {
    let printed = first;
    for (let index = 0; index < rest.length; index += 2) {
      const value = outputEscape(valueOf(view, rest[index] as string));
      if (isPiece && value === '') return '';
      printed += value + (rest[index + 1] as string);
    }
    return printed;
  };
}

function valueOf(view: NoticeView, name: string): unknown {
  const value = Object.hasOwn(view, name) ? view[name] : undefined;
  return typeof value === 'function' ? (value as () => unknown)() : value;
}
