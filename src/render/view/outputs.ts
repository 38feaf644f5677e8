/** The output values of a callback as templates see them: each named, sorted into kinds, with its files. */
import { isJsonObject, type JsonObject, keysOf } from '../../text/json-object.ts';
import { lazyList, once, ownGetter } from './lazy.ts';
import {
  compactJson,
  fileEntries,
  fileName,
  inlineList,
  inlineText,
  isScalar,
  nameText,
} from '../../channels/value-text.ts';

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

export type LinkedFile = Pick<FileView, 'ref' | 'name' | 'size'>;

/** How entries of `files` become what templates see. */
export interface FileContext {
  urlOf(file: LinkedFile): string;
  instantText(ms: number): string;
}

/** Whether a timestamp counts seconds or milliseconds is not said; past this it can only be milliseconds (or the year 5138). */
const LEAST_MILLISECONDS = 1e11;
/** 1973: what is smaller is no time a file of today was written. */
const LEAST_SECONDS = 1e8;
/** The end of the year 9999. */
const MOST_MILLISECONDS = 253_402_300_799_999;

const NO_NAME = '–';
const NOTHING: JsonObject = {};

export function viewOutputs(output: unknown, context: FileContext): readonly OutputView[] {
  if (!isJsonObject(output)) return [];
  const names = keysOf(output);
  return lazyList(names.length, (index) => {
    const name = names[index] as string;
    return viewOutput(nameText(name) || NO_NAME, output[name], context);
  });
}

function viewOutput(name: string, value: unknown, context: FileContext): OutputView {
  if (isScalar(value)) return { name, kind: 'scalar', value, items: [], files: [] };
  if (Array.isArray(value)) {
    const filesOf = () => viewFiles(entriesInside(value), context);
    return new LazyOutput({ name, kind: 'list', items: value }, () => inlineList(value), filesOf);
  }
  const entries = fileEntries(value);
  if (entries === undefined)
    return new LazyOutput(
      { name, kind: 'other', items: [] },
      () => compactJson(value),
      () => [],
    );
  const filesOf = () => viewFiles(entries, context);
  return new LazyOutput({ name, kind: 'files', items: [] }, () => inlineText(value), filesOf);
}

/** Whatever takes long is worked out when it is read, and not again. */
class LazyOutput implements OutputView {
  static readonly #value = ownGetter((output: LazyOutput) => output.#valueOf());
  static readonly #files = ownGetter((output: LazyOutput) => output.#filesOf());

  readonly name: string;
  readonly kind: OutputView['kind'];
  readonly items: readonly unknown[];
  declare readonly value: string;
  declare readonly files: readonly FileView[];
  readonly #valueOf: () => string;
  readonly #filesOf: () => readonly FileView[];

  constructor(
    { name, kind, items }: Pick<OutputView, 'name' | 'kind' | 'items'>,
    valueOf: () => string,
    filesOf: () => readonly FileView[],
  ) {
    this.name = name;
    this.kind = kind;
    this.items = items;
    this.#valueOf = once(valueOf);
    this.#filesOf = once(filesOf);
    Object.defineProperty(this, 'value', LazyOutput.#value);
    Object.defineProperty(this, 'files', LazyOutput.#files);
  }
}

function viewFiles(entries: readonly unknown[], context: FileContext): readonly FileView[] {
  return lazyList(entries.length, (index) => new FileEntry(entries[index], context));
}

/** File entries of the elements and of their direct members. */
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

class FileEntry implements FileView {
  static readonly #timestamp = ownGetter((file: FileEntry) => file.#timestampText());

  readonly name: string;
  readonly size: number | '';
  readonly ref: string;
  readonly url: string;
  declare readonly timestamp: string;
  readonly #meta: JsonObject;
  readonly #context: FileContext;

  constructor(entry: unknown, context: FileContext) {
    const object: JsonObject = isJsonObject(entry) ? entry : NOTHING;
    this.#meta = isJsonObject(object['meta']) ? object['meta'] : NOTHING;
    this.#context = context;
    this.name = fileName(entry);
    this.size = sizeOf(this.#meta['size']);
    this.ref = typeof object['ref'] === 'string' ? object['ref'] : '';
    this.url = this.ref === '' ? '' : context.urlOf(this);
    Object.defineProperty(this, 'timestamp', FileEntry.#timestamp);
  }

  #timestampText(): string {
    const instant = instantOf(this.#meta['timestamp']);
    return instant === undefined ? '' : this.#context.instantText(instant);
  }
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
