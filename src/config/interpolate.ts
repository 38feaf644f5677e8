/** Replaces `${NAME}`, `${NAME:-default}` and `${file:/path}` in the strings of a config; `$${` is a literal `${`. */
import { isJsonObject } from '../text/json-object.ts';
import { type Path, pathText } from './path.ts';

interface InterpolationSources {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string;
  /** Accepts references to unset variables (also those with an empty default) and to unreadable files, instead of reporting them. */
  readonly withoutSecrets?: boolean;
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const FILE = /^file:(.+)$/s;

export class Interpolated {
  readonly data: unknown;
  readonly problems: { readonly path: Path; readonly message: string }[] = [];
  /** With `withoutSecrets`: the references accepted without a value, each a variable's name or `file:` and a path. */
  readonly missing = new Set<string>();
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
    return text.replaceAll(REFERENCE, (match, reference: string | undefined, end: string) => {
      if (reference === undefined) return '${';
      const value =
        end === ''
          ? this.fail(path, 'a ${ is not closed by }: write $${ for a literal ${')
          : this.lookUp(reference, path);
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
    if (name !== undefined) return this.variable(name, fallback, path);
    const hint = 'write ${NAME}, ${NAME:-default} or ${file:/path}, and $${ for a literal ${';
    return this.fail(path, `\${${reference}} is not a reference: ${hint}`);
  }

  /** As in a shell, the default after `:-` also applies to a variable that is set but empty. */
  private variable(name: string, fallback: string | undefined, path: Path): string | undefined {
    const value = Object.hasOwn(this.sources.variables, name) ? this.sources.variables[name] : undefined;
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    // An empty default usually turns a setting off here that is on in production, so with `withoutSecrets` it counts as missing.
    if (fallback !== undefined && (fallback !== '' || this.sources.withoutSecrets !== true)) return fallback;
    const hint = `set it (no .env file is read by itself), or give a default as \${${name}:-…}`;
    return this.miss(path, name, `the environment variable ${name} is not set: ${hint}`);
  }

  private contentOf(file: string, path: Path): string | undefined {
    try {
      const content = this.sources.readFile(file).replace(/\r?\n$/, '');
      // An empty file means that its writer failed or has not finished; an empty value would turn the password off.
      return content.trim() === '' ? this.miss(path, `file:${file}`, `the file ${file} is empty`) : content;
    } catch (error) {
      return this.miss(path, `file:${file}`, `the file ${file} cannot be read: ${(error as Error).message}`);
    }
  }

  private miss(path: Path, reference: string, message: string): undefined {
    if (this.sources.withoutSecrets !== true) return this.fail(path, message);
    this.unresolved.add(pathText(path));
    this.missing.add(reference);
  }

  private fail(path: Path, message: string): undefined {
    this.unresolved.add(pathText(path));
    this.problems.push({ path, message });
  }
}
