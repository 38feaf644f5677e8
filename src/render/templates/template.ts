/** One template file, compiled: YAML whose strings are Liquid. */
import type { Liquid, Template as LiquidTemplate } from 'liquidjs';
import type {
  OldMessageFormat as MessageFormat,
  RenderedParts,
  TemplateValue,
} from '../../channels/channel.ts';
import type { Place, Problem } from '../../config/config.ts';
import type { Path } from '../../config/path.ts';
import { YamlSource } from '../../config/yaml/yaml-source.ts';
import type { TemplateName } from '../../notice/notice.ts';
import { isJsonObject } from '../../text/json-object.ts';
import { didYouMean } from '../../text/nearest.ts';
import { type Engines, renderText, type SourceFile } from '../liquid/engine.ts';
import { once } from '../view/lazy.ts';
import { type NoticeView, SHAPE_OF } from '../view/view.ts';
import { memberNames } from '../view/shapes.ts';
import { findMisuses } from './find-misuses.ts';
import { faultOf, findUnknownVariables, type LiquidFault, parseLiquid } from './liquid-faults.ts';

/** A part of the file: fixed, or a string to be rendered, or a container of such. */
type Node =
  | { readonly kind: 'fixed'; readonly value: TemplateValue }
  | {
      readonly kind: 'text';
      readonly path: Path;
      readonly liquid: Liquid;
      readonly templates: LiquidTemplate[];
    }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | {
      readonly kind: 'map';
      readonly value: TemplateMap;
      readonly entries: readonly (readonly [string, Node])[];
    };

type TemplateMap = Readonly<Record<string, TemplateValue>>;

interface Compiled {
  readonly parts: ReadonlyMap<string, Node>;
  /** What keeps the file from being rendered. */
  readonly problems: readonly Problem[];
}

/**
 * What a file is compiled to when it is first used: most of the built-in ones never are.
 * Never throws on creation: what is wrong with the file is for `findProblems`.
 */
export class Template {
  readonly file: SourceFile;
  private readonly name: TemplateName;
  private readonly format: MessageFormat;
  private readonly engines: Engines;
  private readonly source = once(() => YamlSource.parse(this.file.path, this.file.text));
  private readonly compiled = once(() => this.compile());

  constructor(name: TemplateName, file: SourceFile, format: MessageFormat, engines: Engines) {
    this.name = name;
    this.file = file;
    this.format = format;
    this.engines = engines;
  }

  /** What is wrong with the file: what keeps it from being rendered, and variables that nothing gives. */
  findProblems(): readonly Problem[] {
    const { parts, problems } = this.compiled();
    return [...problems, ...[...parts.values()].flatMap((node) => this.findUnknownIn(node))];
  }

  /** Whether something keeps it from being rendered at all. */
  get isBroken(): boolean {
    return this.compiled().problems.length > 0;
  }

  /** @throws {TemplateFault} */
  renderPart(name: string, view: NoticeView): TemplateValue | undefined {
    const node = this.compiled().parts.get(name);
    return node && this.renderNode(node, view);
  }

  /** @throws {TemplateFault} */
  render(view: NoticeView): RenderedParts {
    const { parts, problems } = this.compiled();
    if (problems.length > 0) throw this.brokenFile(problems);
    const rendered: Record<string, TemplateValue> = {};
    for (const [name, node] of parts) rendered[name] = this.renderNode(node, view);
    return rendered;
  }

  placeOf(path: Path): Place {
    return this.source().source.placeOf(path);
  }

  private compile(): Compiled {
    const { source, problems } = this.source();
    if (source.data === undefined) return { parts: new Map(), problems };
    const found = [...problems];
    return { parts: this.compileParts(source.data, found), problems: found };
  }

  private findUnknownIn(node: Node): readonly Problem[] {
    switch (node.kind) {
      case 'fixed':
        return [];
      case 'text':
        return this.findFaults(node).map((fault) => this.problemOfFault(node.path, fault));
      case 'list':
        return node.items.flatMap((item) => this.findUnknownIn(item));
      case 'map':
        return node.entries.flatMap(([, item]) => this.findUnknownIn(item));
    }
  }

  private findFaults({ liquid, templates }: Node & { readonly kind: 'text' }): readonly LiquidFault[] {
    const shape = SHAPE_OF[this.name];
    const unknown = findUnknownVariables(liquid, templates, memberNames(shape));
    return [...unknown, ...findMisuses(templates, shape)];
  }

  private brokenFile([first]: readonly Problem[]): TemplateFault {
    return new TemplateFault(first?.place ?? this.placeOf([]), first?.message ?? 'not a template');
  }

  private compileParts(data: unknown, problems: Problem[]): ReadonlyMap<string, Node> {
    const names = Object.keys(this.format.parts);
    if (!isJsonObject(data) || Object.keys(data).length === 0) {
      problems.push(this.problemAt([], `a template is a map that gives "${names.join('", "')}"`));
      return new Map();
    }
    problems.push(...this.findMissingParts(data));
    return new Map(
      Object.entries(data).flatMap(([name, value]) => {
        const node = this.compilePart(name, value as TemplateValue, problems);
        return node === undefined ? [] : [[name, node] as const];
      }),
    );
  }

  private findMissingParts(data: Readonly<Record<string, unknown>>): readonly Problem[] {
    return Object.entries(this.format.parts)
      .filter(([name, part]) => part.required && !Object.hasOwn(data, name))
      .map(([name]) => this.problemAt([], `"${name}" is missing`));
  }

  private compilePart(name: string, value: TemplateValue, problems: Problem[]): Node | undefined {
    const part = Object.hasOwn(this.format.parts, name) ? this.format.parts[name] : undefined;
    if (part === undefined) {
      const hint = didYouMean(name, Object.keys(this.format.parts));
      problems.push({
        ...this.problemAt([], `unknown part "${name}"${hint}`),
        place: this.source().source.placeOfKey([name]),
      });
      return undefined;
    }
    if (kindOf(value) === part.kind) return this.compileNode(value, [name], value, problems);
    problems.push(
      this.problemAt([name], `"${name}" must be ${part.kind === 'object' ? 'an' : 'a'} ${part.kind}`),
    );
    return undefined;
  }

  private compileNode(value: TemplateValue, path: Path, parent: TemplateValue, problems: Problem[]): Node {
    if (typeof value === 'string') return this.compileText(value, path, parent, problems);
    if (typeof value !== 'object' || value === null) return { kind: 'fixed', value };
    if (Array.isArray(value)) return this.compileList(value, path, problems);
    const entries = Object.entries(value).map(
      ([key, item]) => [key, this.compileNode(item, [...path, key], value, problems)] as const,
    );
    const rendered = entries.filter(([, node]) => node.kind !== 'fixed');
    return rendered.length === 0
      ? { kind: 'fixed', value }
      : { kind: 'map', value: value as TemplateMap, entries: rendered };
  }

  private compileList(list: readonly TemplateValue[], path: Path, problems: Problem[]): Node {
    const items = list.map((item, index) => this.compileNode(item, [...path, index], list, problems));
    return items.every(({ kind }) => kind === 'fixed')
      ? { kind: 'fixed', value: list }
      : { kind: 'list', items };
  }

  private compileText(text: string, path: Path, parent: TemplateValue, problems: Problem[]): Node {
    if (!text.includes('{{') && !text.includes('{%')) return { kind: 'fixed', value: text };
    const liquid = this.engines.engineFor(this.format.markupOf(path, parent), text);
    const { templates, fault } = parseLiquid(liquid, text);
    if (fault !== undefined) problems.push(this.problemOfFault(path, fault));
    return templates === undefined ? { kind: 'fixed', value: '' } : { kind: 'text', path, liquid, templates };
  }

  private renderNode(node: Node, view: NoticeView): TemplateValue {
    switch (node.kind) {
      case 'fixed':
        return node.value;
      case 'text':
        return this.renderLeaf(node, view);
      case 'list':
        return node.items.map((item) => this.renderNode(item, view));
      case 'map':
        return this.renderMap(node, view);
    }
  }

  /** Most of a map is fixed, and a copy is made faster than a map of entries. */
  private renderMap({ value, entries }: Node & { readonly kind: 'map' }, view: NoticeView): TemplateMap {
    const rendered: Record<string, TemplateValue> = { ...value };
    for (const [key, item] of entries) rendered[key] = this.renderNode(item, view);
    return rendered;
  }

  private renderLeaf(
    { path, liquid, templates }: Node & { readonly kind: 'text' },
    view: NoticeView,
  ): string {
    try {
      return renderText(liquid, templates, view, this.engines.meter);
    } catch (error) {
      const fault = faultOf(liquid, error);
      throw new TemplateFault(this.placeOfFault(path, fault), fault.message, { cause: error });
    }
  }

  private problemOfFault(path: Path, fault: LiquidFault): Problem {
    const { message, severity = 'error' } = fault;
    return { place: this.placeOfFault(path, fault), message, severity };
  }

  private placeOfFault(path: Path, { line, column, partial }: LiquidFault): Place {
    const file = partial === undefined ? undefined : this.engines.partials.get(partial);
    return file === undefined
      ? this.source().source.placeInString(path, line, column)
      : { file: file.path, line, column };
  }

  private problemAt(path: Path, message: string): Problem {
    return { place: this.placeOf(path), message, severity: 'error' };
  }
}

function kindOf(value: TemplateValue): string {
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

/**
 * A part that the user's template leaves out is the built-in template's, unless the message does without it.
 * @throws {TemplateFault}
 */
export function completeParts(
  parts: RenderedParts,
  format: MessageFormat,
  builtIn: Template,
  view: NoticeView,
): RenderedParts {
  let complete = parts;
  for (const name of Object.keys(format.parts)) {
    if (format.parts[name]?.mayBeLeftOut === true || Object.hasOwn(complete, name)) continue;
    complete = { ...complete, [name]: builtIn.renderPart(name, view) ?? '' };
  }
  return complete;
}
