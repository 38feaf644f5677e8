/** Collects and formats the problems of a config, each with its place and without interpolated values, which may be secret. */
import { visibleOnOneLine } from '../text/clean.ts';
import type { Fault } from '../text/fault.ts';
import type { Language } from '../time/display.ts';
import type { Problem } from './config.ts';
import type { Interpolated } from './read/interpolate.ts';
import { parsePath, pathText, type Path } from './path.ts';
import { fault } from './words.ts';
import type { YamlSource } from './yaml-source.ts';

/** In characters. Shorter values are no secrets, and hiding them would garble the messages. */
const MIN_HIDDEN_LENGTH = 3;

const HIDDEN = '[hidden]';

/** Most problems kept of each severity, since a file can have any number of them, and the place of each has to be looked for. */
const MOST_SHOWN = 100;

type References = Pick<Interpolated, 'problems' | 'values' | 'unresolved'>;

const NO_REFERENCES: References = { problems: [], values: new Map(), unresolved: new Set() };

export class Problems {
  readonly #found: Problem[] = [];
  readonly #count = { error: 0, warning: 0 };
  /** The sections that have errors. */
  readonly #touched = new Set<unknown>();
  /** The routes and the keys of sections that have errors, and the sections that are wrong as a whole. */
  readonly #broken = new Set<string>();
  readonly #source: Pick<YamlSource, 'placeOf'>;
  readonly #interpolated: References;
  /** The earlier names by which the file calls keys, by the path of the key. */
  readonly #written = new Map<string, string>();

  /** @param interpolated left out: the file has no references */
  constructor(source: Pick<YamlSource, 'placeOf'>, interpolated: References = NO_REFERENCES) {
    this.#source = source;
    this.#interpolated = interpolated;
    for (const each of interpolated.problems) this.#add('error', each.path, each.fault);
  }

  /** Ignores a value whose reference could not be resolved, which has its own problem. */
  error(path: Path, what: Fault): void {
    this.#report('error', path, what);
  }

  warning(path: Path, what: Fault): void {
    this.#report('warning', path, what);
  }

  /** Warns that the file has the key under an earlier name. Problems of its value are reported under that name, too. */
  deprecated(path: Path, written: string): void {
    this.#written.set(pathText(path), written);
    const inFile = this.#inFile(path);
    this.#add('warning', inFile, fault('deprecated', { name: pathText(path) }), pathText(inFile));
  }

  isUnknown(path: Path): boolean {
    return this.#interpolated.unresolved.has(pathText(this.#inFile(path)));
  }

  /** @param parts sections, their keys (`admin.listen`) or routes (`routes[0]`); left out: in any */
  hasErrors(parts?: readonly string[]): boolean {
    if (parts === undefined) return this.#count.error > 0;
    return parts.some((part) => {
      const path = this.#inFile(parsePath(part));
      if (path.length === 1) return this.#touched.has(path[0]);
      return this.#broken.has(pathText(path)) || this.#broken.has(pathText(path.slice(0, 1)));
    });
  }

  /** Errors and warnings in the order of the file. If there are too many, the last problem says how many more. */
  inOrder(): Problem[] {
    const shown = inFileOrder(this.#found);
    const { place, severity } = shown.at(-1) ?? {};
    const more = this.#count.error + this.#count.warning - shown.length;
    if (place === undefined || severity === undefined || more === 0) return shown;
    return [...shown, { place, severity, fault: fault('more', { count: more }) }];
  }

  /** Hides interpolated values, since a rule's message may quote the value that it checked. */
  #report(severity: Problem['severity'], at: Path, what: Fault): void {
    if (this.isUnknown(at)) return;
    const path = this.#inFile(at);
    const hidden = (this.#interpolated.values.get(pathText(path)) ?? [])
      .filter((value) => value.length >= MIN_HIDDEN_LENGTH)
      // Longest first, since one value may be part of another.
      .sort((a, b) => b.length - a.length);
    const said = what.with((text) => hidden.reduce((all, value) => all.replaceAll(value, HIDDEN), text));
    // A URL in place of a webhook's name is secret.
    const shown = pathText(path.map((step) => (String(step).includes('://') ? '…' : step)));
    this.#add(severity, path, said, shown);
  }

  #inFile(path: Path): Path {
    return path.map((step, index) => this.#written.get(pathText(path.slice(0, index + 1))) ?? step);
  }

  #add(severity: Problem['severity'], path: Path, what: Fault, shown = ''): void {
    this.#count[severity] += 1;
    if (severity === 'error') {
      this.#touched.add(path[0]);
      this.#broken.add(pathText(path.slice(0, 2)));
    }
    if (this.#count[severity] > MOST_SHOWN) return;
    this.#found.push({ place: this.#source.placeOf(path), path: shown, fault: what, severity });
  }
}

/** `routes[0].on must be a list`, without its place. */
export function problemInWords(
  { path = '', fault: what }: Pick<Problem, 'path' | 'fault'>,
  language: Language,
): string {
  const said = what.in(language);
  if (path === '') return said;
  if (language === 'ja') return `${path}：${said}`;
  return said.startsWith(':') ? path + said : `${path} ${said}`;
}

/** `file:line:col: message`, or `file:line:col: warning: message`. */
export function formatProblem(problem: Problem, language: Language): string {
  const { place, severity } = problem;
  const prefix = severity === 'error' ? '' : { en: 'warning: ', ja: '警告：' }[language];
  const said = problemInWords(problem, language);
  return visibleOnOneLine(`${place.file}:${place.line}:${place.column}: ${prefix}${said}`);
}

/** As `formatProblem` writes each. */
export function problemLines(problems: readonly Problem[], language: Language = 'en'): string[] {
  return problems.map((problem) => formatProblem(problem, language));
}

/** Keeps the files in the order of their first problems, and sorts each file's problems by place. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ place }) => place.file))];
  return problems.toSorted(
    ({ place: a }, { place: b }) =>
      files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
}
