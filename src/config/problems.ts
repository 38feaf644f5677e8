/** Collects what is wrong with a config, each with its place and no value from outside shown, and prints it. */
import type { Place, Problem } from './config.ts';
import type { Interpolated } from './interpolate.ts';
import { pathText, type Path } from './path.ts';
import type { YamlSource } from './yaml/yaml-source.ts';
import { visibleOnOneLine } from '../text/clean.ts';

/** Shorter values are no secrets, and hiding them would riddle every sentence. */
const MIN_HIDDEN_LENGTH = 3;

const HIDDEN = '[hidden]';

export class Problems {
  private readonly found: Problem[];
  private readonly source: YamlSource;
  private readonly interpolated: Interpolated;

  constructor(source: YamlSource, interpolated: Interpolated) {
    this.found = [...source.problems];
    this.source = source;
    this.interpolated = interpolated;
    for (const { path, message } of interpolated.problems)
      this.add('error', this.source.placeOf(path), message);
  }

  /**
   * Nothing is said of a value whose reference could not be resolved: that has been said.
   * @param what goes on behind the value's path: `must be text`, or `: what others said`
   */
  error(path: Path, what: string): void {
    this.errorInValue(path, sentence(path, what));
  }

  warning(path: Path, what: string): void {
    if (!this.isUnknown(path)) this.add('warning', this.source.placeOf(path), sentence(path, what));
  }

  /** The same in a sentence of its own. */
  errorInValue(path: Path, message: string): void {
    if (!this.isUnknown(path)) this.add('error', this.source.placeOf(path), message);
  }

  /** The same at a line and column (from 1) of the string that stands there. */
  errorInString(path: Path, { line, column }: { line: number; column: number }, what: string): void {
    if (!this.isUnknown(path))
      this.add('error', this.placeInString(path, line, column), sentence(path, what));
  }

  errorAtKey(path: Path, message: string): void {
    this.add('error', this.placeOfKey(path), message);
  }

  warningAtKey(path: Path, message: string): void {
    this.add('warning', this.placeOfKey(path), message);
  }

  /** Whether the value at `path` refers to what is not there. */
  isUnknown(path: Path): boolean {
    return this.interpolated.unresolved.has(pathText(path));
  }

  hasErrors(): boolean {
    return this.found.some(({ severity }) => severity === 'error');
  }

  isInterpolated(path: Path): boolean {
    return this.interpolated.values.has(pathText(path));
  }

  placeOfKey(path: Path): Place {
    return this.source.placeOfKey(path);
  }

  /** The digits of a whole number as they are written: an address may have more than a double holds. */
  digitsAt(path: Path): string | undefined {
    return /^\d+$/.exec(this.source.writtenAt(path) ?? '')?.[0];
  }

  /** Of a line and column (from 1) within the string at `path`; where that came from a variable, of the string. */
  placeInString(path: Path, line: number, column: number): Place {
    return this.isInterpolated(path)
      ? this.source.placeOf(path)
      : this.source.placeInString(path, line, column);
  }

  /** The value in quotes for a message, or a word for it where it came from outside. */
  shown(path: Path, value: string): string {
    return this.isInterpolated(path) ? 'of this name' : JSON.stringify(value);
  }

  /** A message that others wrote, without what came from outside. */
  redact(message: string): string {
    const hidden = [...this.interpolated.values.values()]
      .flat()
      .filter((value) => value.length >= MIN_HIDDEN_LENGTH)
      // The longest first: one may be a part of another.
      .sort((a, b) => b.length - a.length);
    return hidden.reduce((text, value) => text.replaceAll(value, HIDDEN), message);
  }

  /** Errors and warnings in the order of the file. */
  inOrder(): Problem[] {
    return inFileOrder(this.found);
  }

  private add(severity: Problem['severity'], place: Place, message: string): void {
    const problem = { place, message, severity };
    if (!this.found.some((each) => formatProblem(each) === formatProblem(problem))) this.found.push(problem);
  }
}

function sentence(path: Path, what: string): string {
  return `${pathText(path)}${what.startsWith(':') ? '' : ' '}${what}`;
}

/** `file:line:col: message`, or `file:line:col: warning: message`. */
export function formatProblem({ place, message, severity }: Problem): string {
  const prefix = severity === 'warning' ? 'warning: ' : '';
  return visibleOnOneLine(`${place.file}:${place.line}:${place.column}: ${prefix}${message}`);
}

/** The files in the order in which they first come up. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ place }) => place.file))];
  return problems.toSorted(
    ({ place: a }, { place: b }) =>
      files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
}
