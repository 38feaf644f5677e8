/** Where the values of a template's string stand: none may act where it lands, whatever it says. */
import type { TextKind, ValuePlace } from '../channels/channel.ts';
import { OWN_ADDRESS } from './filters.ts';
import type { LiquidFault } from './liquid-faults.ts';

const VALUE = /\{\{-?(?<expression>.*?)-?\}\}/gs;

/** `job_url`, `page_url`, `file.url`, `output.files[0].url` */
const ADDRESS = /^\s*(?:job_url|page_url|[\w.[\]]+\.url)\s*$/u;

/** Each value that may not stand where it does. */
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

/** The same text, in which a value that stands for an address is printed only where Botbell made it. */
export function withOwnAddresses(source: string, kind: TextKind): string {
  return source.replace(VALUE, (tag, expression: string, offset: number) =>
    placeAt(source, offset, kind) === 'address'
      ? tag.replace(expression, `${expression.trimEnd()} | ${OWN_ADDRESS} `)
      : tag,
  );
}

function positionOf(source: string, index: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const TAG = /\{%.*?%\}/gs;

/** Stands for a value, and so for something. */
const VALUE_MARK = '\u0001';

function placeAt(source: string, offset: number, kind: TextKind): ValuePlace {
  const behind = source.slice(offset).replace(/^\{\{.*?\}\}/s, '');
  return kind.placeOf(withoutLiquid(source.slice(0, offset)), withoutLiquid(behind));
}

/** The template's own markup. */
function withoutLiquid(source: string): string {
  return source.replace(VALUE, VALUE_MARK).replace(TAG, '');
}
