/** One template, compiled: YAML whose strings are Liquid. */
import type { Liquid, Template as LiquidTemplate } from 'liquidjs';
import type { Card } from '../channels/card.ts';
import { isList, type OwnMessages, type RenderedParts } from '../channels/channel.ts';
import type { TemplateValue, TextKind } from '../channels/channel.ts';
import type { Problem } from '../config/config.ts';
import { fault } from '../config/words.ts';
import { type Path, pathText } from '../config/path.ts';
import type { Fault } from '../text/fault.ts';
import { formatProblem, Problems } from '../config/problems.ts';
import { readSection } from '../config/read/section.ts';
import { type PlacedData, YamlSource } from '../config/yaml-source.ts';
import { isContainer, isJsonObject } from '../text/json.ts';
import type { Language } from '../time/display.ts';
import { type Engines, TIME_LIMIT_MS, wordsIn } from './engine.ts';
import { faultOf, findUnknownVariables, type LiquidFault, parseLiquid } from './liquid-faults.ts';
import { slipsIn } from './slips.ts';
import type { SourceFile } from './template-folder.ts';
import { guarded } from './value-places.ts';

/** The parts that one kind of template file may have, and how their strings are printed. */
export interface TemplateKind extends Pick<OwnMessages<unknown>, 'parts' | 'showsCard'> {
  /** The kind of text in the string at `path`; undefined: plain text. */
  textAt(path: Path, parent: TemplateValue): TextKind | undefined;
}

/** A file, or what the config holds in place of one. */
export type TemplateSource = SourceFile | { readonly set: string; readonly placed: PlacedData };

/** A string that holds Liquid beyond words and variables. */
interface LiquidString {
  readonly path: Path;
  readonly kind: TextKind | undefined;
  readonly liquid: Liquid;
  readonly nodes: LiquidTemplate[];
}

interface Reading {
  readonly view: Readonly<Record<string, unknown>>;
  /** Variables beside those of the view. */
  readonly globals: object;
  readonly until: number;
  /** What is printed in place of a string that fails; left out: its error is thrown. */
  readonly otherwise?: string;
}

type Render<Value = TemplateValue> = (reading: Reading) => Value;

export class Template {
  readonly file: TemplateSource;
  readonly language: Language;
  /** With any of these, the template cannot be rendered. */
  readonly problems: Problem[] = [];
  readonly #source: PlacedData;
  readonly #kind: TemplateKind;
  readonly #engines: Engines;
  readonly #parts = new Map<string, Render>();
  readonly #strings: LiquidString[] = [];
  /** The paths of values with a wrong type. */
  readonly #wrong = new Set<unknown>();

  constructor(file: TemplateSource, kind: TemplateKind, language: Language, engines: Engines) {
    this.file = file;
    this.language = language;
    this.#kind = kind;
    this.#engines = engines;
    this.#source = 'text' in file ? new YamlSource(file.path, file.text) : file.placed;
    this.problems.push(...this.#source.problems);
    if (this.#source.data !== undefined) this.#compileParts(this.#source.data);
  }

  get showsCard(): boolean {
    return this.#kind.showsCard === true;
  }

  /** @param card as for `render` */
  findUnknownVariables(knownNames: readonly string[], card: Card | undefined): readonly Problem[] {
    return this.#strings.flatMap(({ path, liquid, nodes }) =>
      findUnknownVariables(liquid, nodes, knownNames, this.#globalsOf(card)).map((found) =>
        this.#problemIn(path, found),
      ),
    );
  }

  /**
   * @param limitMs Infinity for a built-in template: it is short, and must not fail because a busy machine pauses the process
   * @param card for a message that may show the card
   * @throws {TemplateFault}
   */
  render(view: Reading['view'], limitMs = TIME_LIMIT_MS, card?: Card): RenderedParts {
    const [first] = this.problems;
    if (first !== undefined) throw new TemplateFault(first);
    return this.#rendered({ view, until: performance.now() + limitMs, globals: this.#globalsOf(card) });
  }

  /** Like {@link render}, after that has failed: prints the card's summary in place of each string that fails. */
  renderDespite(view: Reading['view'], card: Card): RenderedParts {
    const until = performance.now() + 2 * TIME_LIMIT_MS;
    return this.#rendered({ view, until, globals: this.#globalsOf(card), otherwise: card.summary });
  }

  #rendered(reading: Reading): RenderedParts {
    const rendered: Record<string, TemplateValue> = {};
    for (const [name, render] of this.#parts) rendered[name] = render(reading);
    return rendered;
  }

  #globalsOf(card: Card | undefined): Readonly<Record<string, object>> {
    return card !== undefined && this.showsCard ? { card } : {};
  }

  #print({ path, kind, liquid, nodes }: LiquidString, { view, globals, until, otherwise }: Reading): string {
    const left = Math.max(0, until - performance.now());
    try {
      // Half of the time left, so that a string that does not end leaves some for the others.
      const renderLimit = otherwise === undefined ? left : left / 2;
      return String(liquid.renderSync(nodes, view, { globals, renderLimit }));
    } catch (error) {
      if (otherwise !== undefined) return kind?.escape(otherwise) ?? otherwise;
      throw new TemplateFault(this.#problemIn(path, faultOf(liquid, error)));
    }
  }

  #compileParts(data: unknown): void {
    const { parts } = this.#kind;
    if (!isJsonObject(data) || Object.keys(data).length === 0) {
      const names = Object.keys(parts.fields).map((name) => `"${name}"`);
      this.#report([], fault('template.no map', { names: names.join(', ') }));
      return;
    }
    const problems = new Problems(this.#source);
    const known = readSection(parts, data, [], { problems }).read as RenderedParts;
    for (const problem of problems.inOrder()) {
      this.problems.push(problem);
      this.#wrong.add(problem.path);
    }
    for (const [name, value] of Object.entries(known))
      this.#parts.set(name, this.#compileValue(value, [name], value));
  }

  #compileValue(value: TemplateValue, path: Path, parent: TemplateValue): Render {
    if (typeof value === 'string') return this.#compileText(value, path, parent);
    if (!isContainer(value) || this.#wrong.has(pathText(path))) return () => value;
    // A text with markup cannot be a list of pieces: where a value stands in the markup would depend on the other pieces.
    const isPlain = this.#kind.textAt(path, parent) === undefined;
    if (isPlain && isListOfTexts(value)) return this.#compilePieces(value, path);
    if (isList(value)) {
      const items = value.map((item, index) => this.#compileValue(item, [...path, index], value));
      return (reading) => items.map((render) => render(reading));
    }
    const entries = Object.entries(value).map(([key, item]) => {
      if (/\{[{%]/.test(key)) this.#report([...path, key], fault('template.liquid key'));
      return [key, this.#compileValue(item, [...path, key], value)] as const;
    });
    const blank = Object.fromEntries(Object.keys(value).map((key) => [key, null as TemplateValue]));
    return (reading) => {
      // V8 copies an object much faster than it adds keys to one.
      const made = { ...blank };
      for (const [key, render] of entries) made[key] = render(reading);
      return made;
    };
  }

  #compilePieces(pieces: readonly string[], path: Path): Render {
    const prints = pieces.map((piece, index) => this.#compileText(piece, [...path, index], pieces, true));
    return (reading) => prints.reduce((before, piece) => before + piece(reading), '');
  }

  #compileText(text: string, path: Path, parent: TemplateValue, isPiece = false): Render<string> {
    if (!text.includes('{{') && !text.includes('{%')) return () => text;
    const kind = this.#kind.textAt(path, parent);
    const liquid = this.#engines(kind);
    const source = kind === undefined ? { text, faults: [] } : guarded(text, kind);
    const { templates: nodes, fault: found } = parseLiquid(liquid, source.text);
    const slips = slipsIn(text, liquid, found === undefined);
    const faults = [...source.faults, ...slips];
    for (const each of found === undefined || slips.length > 0 ? faults : [found])
      this.problems.push(this.#problemIn(path, each));
    if (nodes === undefined) return () => '';
    const string = { path, kind, liquid, nodes };
    this.#strings.push(string);
    const words = wordsIn(text, liquid);
    return words === undefined
      ? (reading) => this.#print(string, reading)
      : ({ view }) => words(view, isPiece);
  }

  #report(path: Path, what: Fault): void {
    this.problems.push({ place: this.#source.placeOf(path), fault: what, severity: 'error' });
  }

  #problemIn(path: Path, { line, column, what }: LiquidFault): Problem {
    return { place: this.#source.placeInString(path, line, column), fault: what, severity: 'error' };
  }
}

function isListOfTexts(value: TemplateValue): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === 'string');
}

/** A problem of a template, thrown when it is rendered. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(formatProblem(problem, 'en'));
    this.problem = problem;
  }
}
