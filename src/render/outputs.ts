/** The first output values of a callback as templates and channels see them: name, kind, value and files. */
import type { FileView, OutputView } from '../channels/card.ts';
import { fileEntries, fileName, inlineText, isScalar, keyText, memberText } from '../channels/value-text.ts';
import { cleanLine } from '../text/clean.ts';
import { isJsonObject, keysOf, plainNumber, exactJson } from '../text/json.ts';
import { endsOf } from '../text/cut.ts';

/** No channel shows more outputs, files of an output or characters of a value. */
const MOST_OUTPUTS = 40;
const MOST_FILES = 20;
const LONGEST_VALUE = 20_000;

/** How a file entry gets its address and its time in words. */
export interface FileContext {
  readonly urlOf: (file: Pick<FileView, 'ref' | 'name' | 'size'>) => string;
  readonly instantText: (ms: number) => string;
}

/** A function that makes its value when it is called for the first time. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

export function viewOutputs(output: unknown, context: FileContext): readonly OutputView[] {
  if (!isJsonObject(output)) return [];
  return keysOf(output)
    .slice(0, MOST_OUTPUTS)
    .map((name) => viewOutput(keyText(name), output[name], context));
}

function viewOutput(name: string, value: unknown, context: FileContext): OutputView {
  const plain = { name, items: [], files: [], fileCount: 0 };
  if (isScalar(value)) return { kind: 'scalar', value, ...plain };
  const items = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  const entries = items === undefined ? fileEntries(value) : entriesInside(items);
  if (entries === undefined)
    return { kind: 'other', value: endsOf(exactJson(value), LONGEST_VALUE), ...plain };
  return {
    name,
    kind: items === undefined ? 'files' : 'list',
    items: items ?? [],
    files: entries.slice(0, MOST_FILES).map((entry) => viewFile(entry, context)),
    fileCount: entries.length,
    // A getter, since no channel shows it, and few templates do.
    get value() {
      return cleanLine(items === undefined ? inlineText(value) : memberText(items));
    },
  };
}

/** The file entries in the elements of a list and in their direct members. */
function entriesInside(items: readonly unknown[]): readonly unknown[] {
  const found: unknown[] = [];
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    if (fileEntries(item) !== undefined) addEntries(found, item);
    else for (const key of keysOf(item)) addEntries(found, item[key]);
  }
  return found;
}

function addEntries(found: unknown[], holder: unknown): void {
  for (const entry of fileEntries(holder) ?? []) found.push(entry);
}

function viewFile(entry: unknown, { urlOf, instantText }: FileContext): FileView {
  const object = isJsonObject(entry) ? entry : {};
  const meta = isJsonObject(object['meta']) ? object['meta'] : {};
  const name = fileName(entry);
  const size = sizeOf(plainNumber(meta['size']));
  const ref = typeof object['ref'] === 'string' ? object['ref'] : '';
  const instant = instantOf(plainNumber(meta['timestamp']));
  const url = lazily(() => (ref === '' ? '' : urlOf({ ref, name, size })));
  return {
    name,
    size,
    // Getters, since no channel shows the time or the link of every file.
    get timestamp() {
      return instant === undefined ? '' : instantText(instant);
    },
    ref,
    get url() {
      return url();
    },
  };
}

function sizeOf(size: unknown): number | '' {
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : '';
}

/** The unit of a timestamp is not specified. From this value on it is milliseconds, since as seconds it is past the year 5138. */
const LEAST_MILLISECONDS = 1e11;
/** The year 1973 in seconds: a smaller timestamp cannot be the time of a file. */
const LEAST_SECONDS = 1e8;
/** The end of the year 9999. */
const MOST_MILLISECONDS = 253_402_300_799_999;

/** Milliseconds since 1970; undefined: not plausible as a time. */
function instantOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp) || timestamp < LEAST_SECONDS)
    return undefined;
  const ms = timestamp < LEAST_MILLISECONDS ? timestamp * 1000 : timestamp;
  return ms <= MOST_MILLISECONDS ? ms : undefined;
}
