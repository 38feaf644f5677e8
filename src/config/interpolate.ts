/** `${NAME}`, `${NAME:-default}` and `${file:/path}` in the strings of a config; `$${` stands for a literal `${`. */
import { isJsonObject } from '../text/json-object.ts';
import { type Path, pathText } from './path.ts';

interface InterpolationSources {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string;
  /** What is not set, or empty by default, is set where the config is used. */
  readonly withoutSecrets?: boolean;
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const FILE = /^file:(.+)$/s;

/** Data with every reference replaced, and a memory of what came from outside. */
export class Interpolated {
  readonly data: unknown;
  readonly problems: { readonly path: Path; readonly message: string }[] = [];
  /** Without secrets: what is taken for granted instead of being a problem, a variable or `file:` and a path. */
  readonly missing = new Set<string>();
  /** What was put in, by `pathText` of the string that it went into. */
  readonly values = new Map<string, string[]>();
  /** The `pathText` of each string with a reference to what is not there. */
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

  /** As in a shell, `:-` also stands in for a variable that is there but empty. */
  private variable(name: string, fallback: string | undefined, path: Path): string | undefined {
    const value = Object.hasOwn(this.sources.variables, name) ? this.sources.variables[name] : undefined;
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    // An empty default switches off what is switched on where the variable is set.
    if (fallback !== undefined && (fallback !== '' || this.sources.withoutSecrets !== true)) return fallback;
    const hint = `set it (no .env file is read by itself), or give a default as \${${name}:-…}`;
    return this.miss(path, name, `the environment variable ${name} is not set: ${hint}`);
  }

  private contentOf(file: string, path: Path): string | undefined {
    try {
      const content = this.sources.readFile(file).replace(/\r?\n$/, '');
      // Whatever was to write the secret has failed, or is not through: empty would mean that there is no password.
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
