/** Finds what a template asks of its variables that they can never give: members they lack, values they never take. */
import {
  AssignTag,
  CaptureTag,
  CaseTag,
  type Expression,
  type Filter,
  ForTag,
  Output,
  type PropertyAccessToken,
  type Template,
  type Token,
  toValueSync,
  TypeGuards,
  type Value,
} from 'liquidjs';
import { didYouMean } from '../../text/nearest.ts';
import type { LiquidFault } from './liquid-faults.ts';
import { MAX_DEPTH } from '../liquid/print-value.ts';
import { ANY, itemOf, memberNames, memberOf, SCALAR, type ObjectShape, type Shape } from '../view/shapes.ts';

/** Filters whose first argument names a member of the items. */
const BY_MEMBER: ReadonlySet<string> = new Set([
  'map',
  'where',
  'reject',
  'find',
  'find_index',
  'has',
  'sort',
  'sort_natural',
  'group_by',
  'sum',
  'uniq',
]);

/** Filters that give a list of the same items. */
const SAME_ITEMS: ReadonlySet<string> = new Set([
  'where',
  'reject',
  'sort',
  'sort_natural',
  'uniq',
  'compact',
  'reverse',
  'slice',
  'sample',
]);
const ONE_ITEM: ReadonlySet<string> = new Set(['first', 'last', 'find', 'pop', 'shift']);

/** Tags looked at in one text with all its partials, which may render each other. */
const MOST_TAGS = 10_000;

/** Each with its place, in the text or in one of its partials. */
export function findMisuses(templates: readonly Template[], view: ObjectShape): readonly LiquidFault[] {
  const walk = new Walk(view);
  walk.pass(templates, [new Map()]);
  return walk.faults;
}

const TOO_DEEP = `a message that goes deeper than ${MAX_DEPTH} is made by the built-in template`;

/** From the rendering's own to the innermost loop's. */
type Frames = readonly Map<string, Shape>[];

interface Operand {
  readonly shape: Shape;
  readonly token: Token;
}

class Walk {
  readonly faults: LiquidFault[] = [];
  private readonly view: ObjectShape;
  private readonly partials: string[] = [];
  private tags = 0;

  constructor(view: ObjectShape) {
    this.view = view;
  }

  pass(templates: readonly Template[], frames: Frames): void {
    for (const template of templates) {
      this.tags += 1;
      if (this.tags > MOST_TAGS) return;
      this.passOne(template, frames);
    }
  }

  private passOne(template: Template, frames: Frames): void {
    if (template instanceof Output) this.shapeOfValue(template.value, frames);
    else if (template instanceof AssignTag) this.assign(template, frames);
    else if (template instanceof CaptureTag) this.define(template.variable, SCALAR, frames);
    else if (template instanceof ForTag) return this.passLoop(template, frames);
    else if (template instanceof CaseTag) this.passCase(template, frames);
    else for (const argument of template.arguments?.() ?? []) this.shapeOfArgument(argument, frames);
    this.passChildren(template, frames);
  }

  private passChildren(template: Template, frames: Frames): void {
    const partial = template.partialScope?.();
    if (partial === undefined) {
      const names = [...(template.blockScope?.() ?? [])].map((name) => [name, ANY] as const);
      this.pass(childrenOf(template), [...frames, new Map(names)]);
    } else if (this.partials.includes(partial.name)) {
      this.report(template.token, `"${partial.name}" renders itself: ${TOO_DEEP}`, 'warning');
    } else {
      const own = this.scopeOfPartial(template, frames);
      this.partials.push(partial.name);
      this.pass(childrenOf(template), partial.isolated ? [own] : [...frames, own]);
      this.partials.pop();
    }
  }

  /** What a partial is given by name; the view it sees in any case. */
  private scopeOfPartial(template: Template, frames: Frames): Map<string, Shape> {
    const scope = new Map<string, Shape>([['forloop', ANY]]);
    const given = [...(template.partialScope?.()?.scope ?? [])];
    const shapes = [...(template.arguments?.() ?? [])].map((each) => this.shapeOfArgument(each, frames));
    // A name without a value has no argument, and it cannot be told which one that is.
    const areAllGiven = given.length === shapes.length;
    for (const [index, name] of given.entries()) {
      const shape = (areAllGiven ? shapes[index] : undefined) ?? ANY;
      if (typeof name === 'string') scope.set(name, shape);
      else scope.set(name[0], isForEach(template) ? itemOf(shape) : shape);
    }
    return scope;
  }

  private passLoop(loop: ForTag, frames: Frames): void {
    const item = itemOf(this.shapeOfArgument(loop.collection, frames));
    const own = new Map<string, Shape>([
      [loop.variable, item],
      ['forloop', ANY],
    ]);
    this.pass(loop.templates, [...frames, own]);
    this.pass(loop.elseTemplates, frames);
  }

  private passCase({ value, branches }: CaseTag, frames: Frames): void {
    const shape = this.shapeOfValue(value, frames);
    for (const { values } of branches) for (const token of values) this.checkValue(shape, token);
  }

  private assign(tag: AssignTag, frames: Frames): void {
    const [value] = tag.arguments();
    const [name] = tag.localScope();
    this.define(String(name?.content), this.shapeOfArgument(value, frames), frames);
  }

  /** What is assigned one way here and another way there may be either. */
  private define(name: string, shape: Shape, [own]: Frames): void {
    const before = own?.get(name);
    own?.set(name, before === undefined || before === shape ? shape : ANY);
  }

  private shapeOfArgument(argument: unknown, frames: Frames): Shape {
    if (isValue(argument)) return this.shapeOfValue(argument, frames);
    return this.shapeOfToken(argument as Token, frames);
  }

  private shapeOfValue({ initial, filters }: Pick<Value, 'initial' | 'filters'>, frames: Frames): Shape {
    return filters.reduce(
      (shape, filter) => this.shapeOfFiltered(shape, filter, frames),
      this.shapeOfExpression(initial, frames),
    );
  }

  private shapeOfFiltered(shape: Shape, { name, args }: Filter, frames: Frames): Shape {
    for (const argument of args) if (!Array.isArray(argument)) this.shapeOfArgument(argument, frames);
    const [first] = args;
    const isNamed = BY_MEMBER.has(name) && shape.kind === 'list' && isQuoted(first);
    const member = isNamed ? this.member(itemOf(shape), first.content, first) : ANY;
    if (name === 'map') return { kind: 'list', item: member };
    if (SAME_ITEMS.has(name)) return shape;
    return ONE_ITEM.has(name) ? itemOf(shape) : ANY;
  }

  /** In postfix notation: an operator takes what came last. */
  private shapeOfExpression({ postfix }: Expression, frames: Frames): Shape {
    const operands: Operand[] = [];
    for (const token of postfix) {
      const shape = TypeGuards.isOperatorToken(token)
        ? this.operate(token.operator, operands)
        : this.shapeOfToken(token, frames);
      operands.push({ shape, token });
    }
    return operands.at(-1)?.shape ?? ANY;
  }

  private operate(operator: string, operands: Operand[]): Shape {
    const right = operands.pop();
    const left = operator === 'not' ? undefined : operands.pop();
    if (left && right && (operator === '==' || operator === '!=')) {
      this.checkValue(left.shape, right.token);
      this.checkValue(right.shape, left.token);
    }
    return SCALAR;
  }

  private checkValue(shape: Shape, token: Token): void {
    if (shape.kind !== 'scalar' || shape.values === undefined || !hasLiteral(token)) return;
    const { values } = shape;
    const { content } = token;
    if (values.includes(content)) return;
    const known = values.map((value) => JSON.stringify(value));
    const hint = didYouMean(
      String(content),
      values.filter((value) => typeof value === 'string'),
    );
    this.report(token, `this is never ${JSON.stringify(content)}: it is ${known.join(', ')}${hint}`);
  }

  private shapeOfToken(token: Token, frames: Frames): Shape {
    if (!TypeGuards.isPropertyAccessToken(token)) return ANY;
    if (token.variable !== undefined) return ANY;
    const [root, ...steps] = token.props;
    let shape = root !== undefined && 'content' in root ? this.lookUp(String(root.content), frames) : ANY;
    for (const step of steps) shape = this.step(shape, step, frames);
    return shape;
  }

  private step(shape: Shape, step: PropertyAccessToken['props'][number], frames: Frames): Shape {
    if ('content' in step) return this.member(shape, step.content as string | number, step);
    // Which member it is only shows when rendering.
    this.shapeOfToken(step, frames);
    return itemOf(shape);
  }

  private lookUp(name: string, frames: Frames): Shape {
    const frame = frames.findLast((each) => each.has(name));
    return frame?.get(name) ?? memberOf(this.view, name) ?? ANY;
  }

  private member(shape: Shape, name: string | number, token: Token): Shape {
    const found = memberOf(shape, name);
    if (found !== undefined) return found;
    const known = memberNames(shape);
    const list = known.length === 0 ? ': this is a plain value' : `: there are ${known.join(', ')}`;
    this.report(token, `there is no member "${name}"${didYouMean(String(name), known) || list}`);
    return ANY;
  }

  private report(token: Token, message: string, severity?: 'warning'): void {
    const [line, column] = token.getPosition() as [number, number];
    const partial = token.file === undefined ? {} : { partial: token.file };
    this.faults.push({ message, line, column, ...partial, ...(severity && { severity }) });
  }
}

/** None where they cannot be read: `findUnknownVariables` reports that. */
function childrenOf(template: Template): readonly Template[] {
  try {
    return template.children === undefined ? [] : toValueSync<Template[]>(template.children(true, true));
  } catch {
    return [];
  }
}

/** `{% render "row" for rows as row %}` */
function isForEach({ token }: Template): boolean {
  return TypeGuards.isTagToken(token) && /^(?:"[^"]*"|'[^']*')\s+for\s/u.test(token.args);
}

function isValue(argument: unknown): argument is Pick<Value, 'initial' | 'filters'> {
  return typeof argument === 'object' && argument !== null && 'initial' in argument && 'filters' in argument;
}

function isQuoted(argument: unknown): argument is Token & { readonly content: string } {
  return TypeGuards.isQuotedToken(argument);
}

/** A text or a number in the template itself; `nil`, `blank` and the like are what is absent. */
function hasLiteral(token: Token): token is Token & { readonly content: string | number } {
  return TypeGuards.isQuotedToken(token) || TypeGuards.isNumberToken(token);
}
