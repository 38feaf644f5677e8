/** Collects and formats the problems of a config, each with its place and without interpolated values, which may be secret. */
import { visibleOnOneLine } from '../text/clean.ts';
import type { Problem } from './config.ts';
import type { Interpolated } from './interpolate.ts';
import { pathText, type Path } from './path.ts';
import type { YamlSource } from './yaml-source.ts';

/** In characters. Shorter values are no secrets, and hiding them would garble the messages. */
const MIN_HIDDEN_LENGTH = 3;

const HIDDEN = '[hidden]';

/** Of each severity. A file can have any number of them, and the place of each is looked for. */
const MOST_SHOWN = 100;

export class Problems {
  readonly #found: Problem[] = [];
  readonly #count = { error: 0, warning: 0 };
  /** The sections that have errors. */
  readonly #broken = new Set<string | number>();
  readonly #source: YamlSource;
  readonly #interpolated: Interpolated;
  /** What the file calls a key that has another name now, by the key's path. */
  readonly #written = new Map<string, string>();

  constructor(source: YamlSource, interpolated: Interpolated) {
    this.#source = source;
    this.#interpolated = interpolated;
    for (const { path, message } of interpolated.problems) this.#add('error', path, message);
  }

  /**
   * Ignores a value whose reference could not be resolved, which has its own problem.
   * @param what follows the value's path: `must be text`, or `: message` for a message with a subject of its own
   */
  error(path: Path, what: string): void {
    this.#report('error', path, what);
  }

  warning(path: Path, what: string): void {
    this.#report('warning', path, what);
  }

  /** Warns that the file has the key under an earlier name; what is wrong with its value is reported where it stands. */
  deprecated(path: Path, written: string): void {
    this.#written.set(pathText(path), written);
    const inFile = this.#inFile(path);
    this.#add('warning', inFile, `${pathText(inFile)} is deprecated: it is called ${pathText(path)} now`);
  }

  isUnknown(path: Path): boolean {
    return this.#interpolated.unresolved.has(pathText(this.#inFile(path)));
  }

  /** @param sections left out: in any */
  hasErrors(sections?: readonly string[]): boolean {
    return sections ? sections.some((key) => this.#broken.has(key)) : this.#count.error > 0;
  }

  /** Errors and warnings in the order of the file; of too many, how many more there are. */
  inOrder(): Problem[] {
    const shown = inFileOrder(this.#found);
    const { place, severity } = shown.at(-1) ?? {};
    const more = this.#count.error + this.#count.warning - shown.length;
    if (place === undefined || severity === undefined || more === 0) return shown;
    return [...shown, { place, severity, message: `and ${more} more problems, which are not shown` }];
  }

  /** Hides interpolated values, since a rule's message may quote the value that it checked. */
  #report(severity: Problem['severity'], at: Path, what: string): void {
    if (this.isUnknown(at)) return;
    const path = this.#inFile(at);
    const hidden = (this.#interpolated.values.get(pathText(path)) ?? [])
      .filter((value) => value.length >= MIN_HIDDEN_LENGTH)
      // Longest first, since one value may be part of another.
      .sort((a, b) => b.length - a.length);
    const said = hidden.reduce((text, value) => text.replaceAll(value, HIDDEN), what);
    // A URL where a webhook's name belongs is secret.
    const shown = pathText(path.map((step) => (String(step).includes('://') ? '…' : step)));
    const begin = path.length === 0 || said.startsWith(':') ? shown : `${shown} `;
    this.#add(severity, path, `${begin}${said}`);
  }

  #inFile(path: Path): Path {
    return path.map((step, index) => this.#written.get(pathText(path.slice(0, index + 1))) ?? step);
  }

  #add(severity: Problem['severity'], path: Path, message: string): void {
    this.#count[severity] += 1;
    if (severity === 'error') this.#broken.add(path[0] ?? '');
    if (this.#count[severity] > MOST_SHOWN) return;
    this.#found.push({ place: this.#source.placeOf(path), message, severity });
  }
}

/** `file:line:col: message`, or `file:line:col: warning: message`. */
export function formatProblem({ place, message, severity }: Problem): string {
  const prefix = severity === 'warning' ? 'warning: ' : '';
  return visibleOnOneLine(`${place.file}:${place.line}:${place.column}: ${prefix}${message}`);
}

/** Keeps the files in the order of their first problems, and sorts each file's problems by place. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ place }) => place.file))];
  return problems.toSorted(
    ({ place: a }, { place: b }) =>
      files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
}
