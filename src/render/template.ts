/** One template file, compiled: YAML whose strings are Liquid. */
import type { Liquid } from 'liquidjs';
import type { MessagePart, RenderedParts, TemplateValue, TextKind } from '../channels/channel.ts';
import { textOf } from '../channels/value-text.ts';
import type { Place, Problem } from '../config/config.ts';
import type { Path } from '../config/path.ts';
import { YamlSource } from '../config/yaml/yaml-source.ts';
import { isJsonObject } from '../text/json-object.ts';
import { didYouMean } from '../text/nearest.ts';
import type { Engines, Rendering } from './engine.ts';
import { faultOf, findUnknownVariables, type LiquidFault, parseLiquid } from './liquid-faults.ts';
import type { SourceFile } from './template-folder.ts';
import { findMisplaced, withOwnAddresses } from './value-places.ts';

/** What a template file of a kind may hold. */
export interface TemplateKind {
  readonly parts: Readonly<Record<string, MessagePart>>;
  /** Undefined: plain text. */
  textAt(path: Path, parent: TemplateValue): TextKind | undefined;
}

type Render = (rendering: Rendering) => TemplateValue;

const ONE_VARIABLE = /^\{\{ *(?<name>[a-z_]+) *\}\}$/;

/** Compiled when it is first used: most of the built-in ones never are. */
export class Template {
  readonly file: SourceFile;
  readonly #kind: TemplateKind;
  readonly #engines: Engines;
  #compiled: Compiled | undefined;

  constructor(file: SourceFile, kind: TemplateKind, engines: Engines) {
    this.file = file;
    this.#kind = kind;
    this.#engines = engines;
  }

  /** Whether it may place what a channel draws. */
  get mayDraw(): boolean {
    return /\bdrawn?\b/.test(this.file.text);
  }

  /** What keeps the file from being rendered. */
  get problems(): readonly Problem[] {
    return this.#compile().problems;
  }

  findUnknownVariables(knownNames: readonly string[]): readonly Problem[] {
    return this.#compile().unknownIn(knownNames);
  }

  placeOf(path: Path): Place {
    return this.#compile().placeOf(path);
  }

  /**
   * @param startPart is told of each top-level part before it is rendered
   * @throws {TemplateFault}
   */
  render(rendering: Rendering, startPart: (name: string) => void = () => undefined): RenderedParts {
    const { parts, problems } = this.#compile();
    const [first] = problems;
    if (first !== undefined) throw new TemplateFault(first.place, first.message);
    const rendered: Record<string, TemplateValue> = {};
    for (const [name, render] of parts) {
      startPart(name);
      rendered[name] = render(rendering);
    }
    return rendered;
  }

  #compile(): Compiled {
    this.#compiled ??= compile(this.file, this.#kind, this.#engines);
    return this.#compiled;
  }
}

interface Compiled {
  readonly parts: ReadonlyMap<string, Render>;
  readonly problems: readonly Problem[];
  readonly placeOf: (path: Path) => Place;
  readonly unknownIn: (knownNames: readonly string[]) => readonly Problem[];
}

function compile(file: SourceFile, kind: TemplateKind, engines: Engines): Compiled {
  const source = new YamlSource(file.path, file.text);
  const compiler = new Compiler(source, kind, engines);
  const parts = source.data === undefined ? new Map<string, Render>() : compiler.compileParts(source.data);
  return {
    parts,
    problems: [...source.problems, ...compiler.problems],
    placeOf: (path) => source.placeOf(path),
    unknownIn: (knownNames) => compiler.analyses.flatMap((findUnknown) => findUnknown(knownNames)),
  };
}

class Compiler {
  readonly problems: Problem[] = [];
  /** One of each string: the variables in it that nothing gives. */
  readonly analyses: ((knownNames: readonly string[]) => readonly Problem[])[] = [];
  readonly #source: YamlSource;
  readonly #kind: TemplateKind;
  readonly #engines: Engines;

  constructor(source: YamlSource, kind: TemplateKind, engines: Engines) {
    this.#source = source;
    this.#kind = kind;
    this.#engines = engines;
  }

  compileParts(data: unknown): ReadonlyMap<string, Render> {
    const { parts } = this.#kind;
    const compiled = new Map<string, Render>();
    if (!isJsonObject(data) || Object.keys(data).length === 0) {
      this.#report([], `a template is a map that gives "${Object.keys(parts).join('", "')}"`);
      return compiled;
    }
    for (const [name, { required }] of Object.entries(parts))
      if (required && !Object.hasOwn(data, name)) this.#report([], `"${name}" is missing`);
    for (const [name, value] of Object.entries(data))
      if (this.#isRightPart(name, value)) compiled.set(name, this.#compileValue(value, [name], value));
    return compiled;
  }

  #isRightPart(name: string, value: unknown): value is TemplateValue {
    const { parts } = this.#kind;
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (part === undefined) {
      const message = `unknown part "${name}"${didYouMean(name, Object.keys(parts))}`;
      this.problems.push({ place: this.#source.placeOfKey([name]), message, severity: 'error' });
      return false;
    }
    if (kindOf(value) === part.kind) return true;
    this.#report([name], `"${name}" must be ${part.kind === 'object' ? 'an' : 'a'} ${part.kind}`);
    return false;
  }

  #compileValue(value: TemplateValue, path: Path, parent: TemplateValue): Render {
    if (typeof value === 'string') return this.#compileText(value, path, parent);
    if (typeof value !== 'object' || value === null) return () => value;
    if (isList(value)) {
      const items = value.map((item, index) => this.#compileValue(item, [...path, index], value));
      return (rendering) => items.map((render) => render(rendering));
    }
    const entries = Object.entries(value).map(
      ([key, item]) => [key, this.#compileValue(item, [...path, key], value)] as const,
    );
    return (rendering) => Object.fromEntries(entries.map(([key, render]) => [key, render(rendering)]));
  }

  #compileText(text: string, path: Path, parent: TemplateValue): Render {
    if (!text.includes('{{') && !text.includes('{%')) return () => text;
    const kind = this.#kind.textAt(path, parent);
    const liquid = this.#engines.for(kind);
    const misplaced = kind === undefined ? [] : findMisplaced(text, kind);
    const { templates, fault } = parseLiquid(
      liquid,
      kind === undefined ? text : withOwnAddresses(text, kind),
    );
    for (const each of fault === undefined ? misplaced : [fault]) this.#reportIn(path, each);
    if (templates === undefined) return () => '';
    this.analyses.push((knownNames) =>
      findUnknownVariables(liquid, templates, knownNames).map((each) => this.#problemIn(path, each)),
    );
    const variable = kind === undefined ? ONE_VARIABLE.exec(text)?.groups?.['name'] : undefined;
    return (rendering) => {
      // Most strings of a card are a variable and nothing else.
      if (variable !== undefined && Object.hasOwn(rendering.view, variable))
        return textOf(Reflect.get(rendering.view, variable));
      try {
        return rendering.print(liquid, templates);
      } catch (error) {
        throw this.#faultIn(path, liquid, error, Object.keys(rendering.view));
      }
    };
  }

  #faultIn(path: Path, liquid: Liquid, error: unknown, knownNames: readonly string[]): TemplateFault {
    const { line, column, message } = faultOf(liquid, error, knownNames);
    return new TemplateFault(this.#source.placeInString(path, line, column), message, { cause: error });
  }

  #report(path: Path, message: string): void {
    this.problems.push({ place: this.#source.placeOf(path), message, severity: 'error' });
  }

  #reportIn(path: Path, fault: LiquidFault): void {
    this.problems.push(this.#problemIn(path, fault));
  }

  #problemIn(path: Path, { line, column, message }: LiquidFault): Problem {
    return { place: this.#source.placeInString(path, line, column), message, severity: 'error' };
  }
}

function isList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'object' : typeof value;
}

export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly place: Place;

  constructor(place: Place, message: string, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }

  /** `file:line:column: what is wrong`, on one line. */
  describe(): string {
    const { file, line, column } = this.place;
    return `${file}:${line}:${column}: ${this.message}`;
  }
}
