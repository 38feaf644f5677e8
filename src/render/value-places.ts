/** The places of values in a template's string: no value may act as markup, whatever its text. */
import type { TextKind, ValuePlace } from '../channels/channel.ts';
import { fault } from '../config/words.ts';
import { OWN_ADDRESS } from './filters.ts';
import { type LiquidFault, placeIn } from './liquid-faults.ts';

const VALUE = /\{\{-?(?<expression>.*?)-?\}\}/gs;

/** An expression that gives an address: `job_url`, `file.url`, `output.files[0].url` of an output, `job_url | default: page_url`. */
const ONE = String.raw`(?:job_url|page_url|incident_url|link_url|(?!callback\b|output\b(?!\.(?:files\b|url$)))[\w.[\]]+\.url)`;
const ADDRESS = new RegExp(String.raw`^\s*${ONE}(?:\s*\|\s*default:\s*${ONE})?\s*$`, 'u');

/**
 * @returns the source with a filter on each value in the place of an address, which prints only addresses that Botbell made; and a
 * fault for each value where none, or only an address, is allowed
 */
export function guarded(source: string, kind: TextKind) {
  const faults: LiquidFault[] = [];
  const text = source.replace(VALUE, (tag, expression: string, offset: number) => {
    const place = placeAt(source, offset, kind);
    if (place === 'text') return tag;
    if (place === 'address' && ADDRESS.test(expression))
      return tag.replace(expression, `${expression.trimEnd()} | ${OWN_ADDRESS} `);
    faults.push({ what: fault(`liquid.${place}`), ...placeIn(source, offset) });
    return tag;
  });
  return { text, faults };
}

const TAG = /\{%.*?%\}/gs;

/** Replaces a value in the text that `placeOf` gets. */
const VALUE_MARK = '\u0001';

function placeAt(source: string, offset: number, kind: TextKind): ValuePlace {
  const behind = withoutLiquid(source.slice(offset).replace(/^\{\{.*?\}\}/s, ''));
  const before = source.slice(0, offset);
  const [place, ...others] = [before, unbranched(before), repeated(source, offset)].map((printed) =>
    kind.placeOf(withoutLiquid(printed), behind),
  );
  return place !== undefined && others.every((other) => other === place) ? place : 'nowhere';
}

const OPENS = String.raw`\{%-?\s*(?:if|unless|case|for|comment)\b(?:(?!\{%-?\s*(?:if|unless|case|for|comment)\b).)*`;
const BLOCK = new RegExp(String.raw`${OPENS}?\{%-?\s*end(?:if|unless|case|for|comment)\b.*?%\}`, 'gs');
const BRANCH = new RegExp(String.raw`${OPENS}\{%-?\s*(?:else|elsif|when)\b.*?%\}`, 'gs');

/** The source without its branches, since none may be printed, with a quote or tag that it begins. */
function unbranched(source: string): string {
  const rest = source.replace(BLOCK, '');
  return rest === source ? source.replace(BRANCH, '') : unbranched(rest);
}

/** The template's own markup, with a mark for each value and without tags. */
function withoutLiquid(source: string): string {
  return source.replace(VALUE, VALUE_MARK).replace(TAG, '');
}

const LOOP = /\{%-?\s*for\b(?:(?!\{%-?\s*for\b).)*?\{%-?\s*endfor\b.*?%\}/gs;

/** What stands before it when the loop around it comes round again. */
function repeated(source: string, offset: number): string {
  const begin = /.*(?=\{%-?\s*for\b)/s.exec(withoutLoops(source.slice(0, offset)))?.[0].length;
  const end = withoutLoops(source.slice(offset)).search(/\{%-?\s*endfor\b/);
  if (begin === undefined || end === -1) return source.slice(0, offset);
  return source.slice(0, offset + end) + source.slice(begin, offset);
}

/** Blanks in their place, so that all else stays where it is. */
function withoutLoops(source: string): string {
  const rest = source.replace(LOOP, (loop) => ' '.repeat(loop.length));
  return rest === source ? source : withoutLoops(rest);
}
