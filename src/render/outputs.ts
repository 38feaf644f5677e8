/** The output values of a callback as templates see them: each named, sorted into kinds, with its files. */
import { cleanLine } from '../text/clean.ts';
import { once } from './once.ts';
import {
  compactJson,
  fileEntries,
  fileName,
  inlineList,
  inlineText,
  isJsonObject,
  isScalar,
} from './value-text.ts';
import type { JsonObject } from './value-text.ts';

export interface FileView {
  readonly name: string;
  /** Unit unknown to the interface, bytes in practice; '' where there is none. */
  readonly size: number | '';
  /** Local time; '' where there is none. */
  readonly timestamp: string;
  readonly ref: string;
  /** '' where no link is configured. */
  readonly url: string;
}

export interface OutputView {
  readonly name: string;
  readonly kind: 'scalar' | 'list' | 'files' | 'other';
  /** A scalar as it came; a list or files on one line; anything else as compact JSON. */
  readonly value: string | number | boolean;
  /** A list's elements as they came. */
  readonly items: readonly unknown[];
  readonly files: readonly FileView[];
}

/** How entries of `files` become what templates see. */
export interface FileContext {
  urlOf(file: { readonly ref: string; readonly name: string; readonly size: number | '' }): string;
  instantText(ms: number): string;
}

/** Whether a timestamp counts seconds or milliseconds is not said; past this it can only be milliseconds (or the year 5138). */
const LEAST_MILLISECONDS = 1e11;
/** 1973: what is smaller is no time a file of today was written. */
const LEAST_SECONDS = 1e8;
/** The end of the year 9999. */
const MOST_MILLISECONDS = 253_402_300_799_999;

const NO_NAME = '–';

export function viewOutputs(output: unknown, context: FileContext): readonly OutputView[] {
  if (!isJsonObject(output)) return [];
  return Object.entries(output).map(([name, value]) =>
    viewOutput(cleanLine(name) || NO_NAME, value, context),
  );
}

function viewOutput(name: string, value: unknown, context: FileContext): OutputView {
  if (isScalar(value)) return { name, kind: 'scalar', value, items: [], files: [] };
  if (Array.isArray(value)) return viewList(name, value, context);
  const entries = fileEntries(value);
  if (entries === undefined) return { name, kind: 'other', value: compactJson(value), items: [], files: [] };
  return {
    name,
    kind: 'files',
    value: inlineText(value),
    items: [],
    files: entries.map((entry) => viewFile(entry, context)),
  };
}

function viewList(name: string, items: readonly unknown[], context: FileContext): OutputView {
  const files = once(() => items.flatMap(entriesInside).map((entry) => viewFile(entry, context)));
  return {
    name,
    kind: 'list',
    get value() {
      return inlineList(items);
    },
    items,
    get files() {
      return files();
    },
  };
}

/** File entries of an element and of its direct members. */
function entriesInside(item: unknown): readonly unknown[] {
  if (!isJsonObject(item)) return [];
  return fileEntries(item) ?? Object.values(item).flatMap((value) => fileEntries(value) ?? []);
}

function viewFile(entry: unknown, context: FileContext): FileView {
  const object: JsonObject = isJsonObject(entry) ? entry : {};
  const meta: JsonObject = isJsonObject(object['meta']) ? object['meta'] : {};
  const ref = typeof object['ref'] === 'string' ? object['ref'] : '';
  const name = fileName(entry);
  const size = sizeOf(meta['size']);
  return {
    name,
    size,
    get timestamp() {
      const instant = instantOf(meta['timestamp']);
      return instant === undefined ? '' : context.instantText(instant);
    },
    ref,
    url: ref === '' ? '' : context.urlOf({ ref, name, size }),
  };
}

function sizeOf(size: unknown): number | '' {
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : '';
}

/** Milliseconds since the epoch. */
function instantOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp) || timestamp < LEAST_SECONDS)
    return undefined;
  const ms = timestamp < LEAST_MILLISECONDS ? timestamp * 1000 : timestamp;
  return ms <= MOST_MILLISECONDS ? ms : undefined;
}
