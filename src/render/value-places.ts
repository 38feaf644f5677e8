/** The places of values in a template's string: no value may act as markup, whatever its text. */
import type { TextKind, ValuePlace } from '../channels/channel.ts';
import { OWN_ADDRESS } from './filters.ts';
import type { LiquidFault } from './liquid-faults.ts';

const VALUE = /\{\{-?(?<expression>.*?)-?\}\}/gs;

/** An expression that gives an address: `job_url`, `page_url`, `file.url`, `output.files[0].url`. */
const ADDRESS = /^\s*(?:job_url|page_url|[\w.[\]]+\.url)\s*$/u;

/** A fault for each value in a place where no value, or only an address, is allowed. */
export function findMisplaced(source: string, kind: TextKind): readonly LiquidFault[] {
  return [...source.matchAll(VALUE)].flatMap(({ index, groups }) => {
    const message = faultAt(placeAt(source, index, kind), groups?.['expression'] ?? '');
    return message === undefined ? [] : [{ message, ...positionOf(source, index) }];
  });
}

function faultAt(place: ValuePlace, expression: string): string | undefined {
  if (place === 'text' || (place === 'address' && ADDRESS.test(expression))) return undefined;
  if (place === 'address')
    return 'an address can only be "job_url", "page_url" or the "url" of a file, and it alone';
  return 'no value may stand here: whatever it says would act';
}

/** The source with a filter on each value in the place of an address, which prints only addresses that Botbell made. */
export function withOwnAddresses(source: string, kind: TextKind): string {
  return source.replace(VALUE, (tag, expression: string, offset: number) =>
    placeAt(source, offset, kind) === 'address'
      ? tag.replace(expression, `${expression.trimEnd()} | ${OWN_ADDRESS} `)
      : tag,
  );
}

/** Line and column count from 1. */
function positionOf(source: string, index: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const TAG = /\{%.*?%\}/gs;

/** Replaces a value in the text that `placeOf` gets. */
const VALUE_MARK = '\u0001';

function placeAt(source: string, offset: number, kind: TextKind): ValuePlace {
  const behind = source.slice(offset).replace(/^\{\{.*?\}\}/s, '');
  return kind.placeOf(withoutLiquid(source.slice(0, offset)), withoutLiquid(behind));
}

/** The template's own markup, with a mark for each value and without tags. */
function withoutLiquid(source: string): string {
  return source.replace(VALUE, VALUE_MARK).replace(TAG, '');
}
