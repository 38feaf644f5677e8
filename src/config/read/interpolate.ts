/** Replaces `${NAME}`, `${NAME:-default}` and `${file:/path}` in the strings of a config; `$${` is a literal `${`. */
import { type Fault, unreadable } from '../../text/fault.ts';
import { isJsonObject } from '../../text/json.ts';
import { type Path, pathText } from '../path.ts';
import { fault } from '../words.ts';

interface InterpolationSources {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string;
  /** @returns the whole path of what the config names */
  readonly whole: (path: string) => string;
  /** Accepts references to unset variables (also those with an empty default) and to unreadable files, instead of reporting them. */
  readonly withoutSecrets?: boolean;
}

const BRACED = [1, 2, 3, 4, 5].reduce((inner) => String.raw`(?:[^{}]|\{${inner}\})*`, '[^{}]*');
/** Braces within a reference are balanced, five deep: a default of a default may be Liquid. */
const REFERENCE = new RegExp(String.raw`\$\$\{|\$\{(${BRACED})\}|(\$\{)`, 'g');
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const FILE = /^file:(.+)$/s;

const KEY_BLOCKS = /-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g;

/** @returns what an editor, a shell or a file left in a value that is no part of it; undefined if nothing */
export function faultOfSecret(value: string): Fault | undefined {
  if (/^(?:(["'])(?:(?!\1).)*\1|[“”„‘’‚«»][^“”„‘’‚«»]*[“”‘’«»])$/s.test(value)) return fault('secret.quotes');
  return /[\p{Cc}\uFEFF]/u.test(value.replaceAll(KEY_BLOCKS, '')) ? fault('secret.control') : undefined;
}

/** A reference that `withoutSecrets` accepts without a value. */
export interface MissingReference {
  /** A variable's name, or `file:` and a path. */
  readonly reference: string;
  /** Of the config, such as `routes`. */
  readonly section: string;
}

/** Data with every reference replaced, and the values that were put in. */
export class Interpolated {
  readonly data: unknown;
  readonly problems: { readonly path: Path; readonly fault: Fault }[] = [];
  readonly missing: MissingReference[] = [];
  /** The values put into each string, by the string's `pathText`. */
  readonly values = new Map<string, string[]>();
  /** The `pathText` of each string with a reference that could not be resolved. */
  readonly unresolved = new Set<string>();
  private readonly sources: InterpolationSources;

  constructor(data: unknown, sources: InterpolationSources) {
    this.sources = sources;
    this.data = this.valueOf(data, []);
  }

  private valueOf(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return this.textOf(value, path);
    if (Array.isArray(value)) return value.map((item, index) => this.valueOf(item, [...path, index]));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, this.valueOf(item, [...path, key])]);
    return Object.fromEntries(entries) as unknown;
  }

  private textOf(text: string, path: Path): string {
    return text.replaceAll(REFERENCE, (match, reference: string | undefined, open?: string) => {
      if (reference === undefined && open === undefined) return '${';
      const value =
        reference === undefined ? this.fail(path, fault('reference.open')) : this.lookUp(reference, path);
      if (value === undefined) return match;
      const key = pathText(path);
      this.values.set(key, [...(this.values.get(key) ?? []), value]);
      return value;
    });
  }

  private lookUp(reference: string, path: Path): string | undefined {
    const file = FILE.exec(reference)?.[1];
    if (file !== undefined) return this.contentOf(file, path);
    const [, name, fallback] = NAME.exec(reference) ?? [];
    if (name === undefined)
      return this.fail(path, fault('reference.none', { reference: `\${${reference}}` }));
    const value = Object.hasOwn(this.sources.variables, name) ? this.sources.variables[name] : undefined;
    // As in a shell, the default after `:-` also applies to a variable that is set but empty.
    if (value !== undefined && (value !== '' || fallback === undefined))
      return this.clean(value, path, (what) => fault('variable.fault', { name, what }));
    // An empty default usually turns a setting off here that is on in production, so with `withoutSecrets` it counts as missing.
    if (fallback !== undefined && (fallback !== '' || this.sources.withoutSecrets !== true))
      return this.textOf(fallback, path);
    return this.miss(path, name, fault('variable.unset', { name }));
  }

  private contentOf(named: string, path: Path): string | undefined {
    const file = this.sources.whole(named);
    try {
      const content = this.sources.readFile(file).replace(/^\uFEFF|\r?\n$/g, '');
      // An empty file means that its writer failed or has not finished; an empty value would turn the password off.
      if (content.trim() === '') return this.miss(path, `file:${named}`, fault('file.empty', { file }));
      return this.clean(content, path, (what) => fault('file.fault', { file, what }));
    } catch (error) {
      return this.miss(path, `file:${named}`, fault('file.unread', { file, why: unreadable(error) }));
    }
  }

  private clean(value: string, path: Path, of: (what: Fault) => Fault): string | undefined {
    const what = faultOfSecret(value);
    return what === undefined ? value : this.fail(path, of(what));
  }

  private miss(path: Path, reference: string, what: Fault): undefined {
    if (this.sources.withoutSecrets !== true) return this.fail(path, what);
    this.unresolved.add(pathText(path));
    this.missing.push({ reference, section: String(path[0]) });
  }

  private fail(path: Path, what: Fault): undefined {
    this.unresolved.add(pathText(path));
    // A text may have the same reference twice.
    const isSame = (each: (typeof this.problems)[number]) =>
      each.path === path && each.fault.in('en') === what.in('en');
    if (!this.problems.some(isSame)) this.problems.push({ path, fault: what });
  }
}
