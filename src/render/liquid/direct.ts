/**
 * Runs what liquidjs parsed by plain calls: its generators take five times as long. For speed alone: without
 * `runDirectly`, liquidjs renders the same.
 */
import {
  AssignTag,
  BlockTag,
  CaseTag,
  CommentTag,
  Context,
  type Emitter,
  evalToken,
  type Expression,
  type Filter,
  ForTag,
  IfTag,
  isTruthy,
  LayoutTag,
  type Liquid,
  LiquidError,
  Output,
  type PropertyAccessToken,
  RenderError,
  type Scope,
  type Template,
  type Token,
  toValue,
  toValueSync,
  TypeGuards,
  UndefinedVariableError,
  UnlessTag,
  type Value,
} from 'liquidjs';
import { asOne, EscapedCaptureTag, EscapeFilter, FILTER_TOKEN } from './escape.ts';
import { isScalar } from '../../channels/value-text.ts';

type Run = (context: Context, emitter: Emitter) => void;
type Evaluate = (context: Context) => unknown;
type Key = string | number;

/** Templates that render as those given: by plain calls as far as liquidjs' public tree goes, its own way beyond. */
export function runDirectly(templates: readonly Template[], liquid: Liquid): Template[] {
  return asOne(templates, compileBlock(templates, liquid));
}

/** liquidjs' context, which keeps to itself where a variable is. */
export class DirectContext extends Context {
  readonly #scopes: object[] = [this.bottom()];
  /** liquidjs would find "constructor" among the blocks that every object has. */
  readonly blocks: unknown = this.setRegister('blocks', Object.create(null));

  override push(scope: object): number {
    this.#scopes.push(scope);
    return super.push(scope);
  }

  override pop(): Scope | undefined {
    this.#scopes.pop();
    return super.pop();
  }

  override spawn(scope: object = {}): Context {
    const { opts, sync, globals, renderLimit, memoryLimit } = this;
    const liquid = this.liquid as Liquid;
    return new DirectContext(scope, opts, { sync, globals }, { renderLimit, memoryLimit, liquid });
  }

  scopeOf(name: Key): Scope {
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const scope = this.#scopes[index] as Scope;
      if (name in scope) return scope;
    }
    return name in this.environments ? this.environments : this.globals;
  }
}

function compileBlock(templates: readonly Template[], liquid: Liquid): Run {
  const runs = templates.map((template) => compile(template, liquid));
  return (context, emitter) => {
    let done = 0;
    try {
      for (const run of runs) {
        run(context, emitter);
        if (context.breakCalled || context.continueCalled) break;
        done += 1;
      }
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, templates[done] as Template);
    }
  };
}

function compile(template: Template, liquid: Liquid): Run {
  if (TypeGuards.isHTMLToken(template.token)) {
    const text = template.token.getContent();
    return (_, emitter) => emitter.write(text);
  }
  if (template instanceof Output) {
    const evaluate = compileValue(template.value, liquid);
    return (context, emitter) => emitter.write(evaluate(context));
  }
  if (template instanceof IfTag || template instanceof UnlessTag) return compileIf(template, liquid);
  if (template instanceof EscapedCaptureTag) return compileCapture(template, liquid);
  if (template instanceof AssignTag) return compileAssign(template, liquid);
  if (template instanceof CommentTag) return () => undefined;
  compileInside(template, liquid);
  return (context, emitter) => {
    checkTime(context);
    const text: unknown = toValueSync(template.render(context, emitter));
    if (text) emitter.write(text);
  };
}

/** Of tags that liquidjs runs itself. */
function compileInside(tag: Template, liquid: Liquid): void {
  if (tag instanceof ForTag || tag instanceof BlockTag || tag instanceof LayoutTag)
    tag.templates = runDirectly(tag.templates, liquid);
  if (tag instanceof CaseTag)
    for (const branch of tag.branches) branch.templates = runDirectly(branch.templates, liquid);
}

/** `{% if %}` and `{% unless %}`, each with what may follow. */
function compileIf({ branches, elseTemplates = [] }: IfTag | UnlessTag, liquid: Liquid): Run {
  return branches.reduceRight<Run>(
    (otherwise, { value, templates, ...others }) => {
      const evaluate = compileValue(value, liquid);
      const holds = 'test' in others ? others.test : isTruthy;
      const block = compileBlock(templates, liquid);
      return (context, emitter) => (holds(evaluate(context), context) ? block : otherwise)(context, emitter);
    },
    compileBlock(elseTemplates, liquid),
  );
}

function compileCapture(tag: EscapedCaptureTag, liquid: Liquid): Run {
  const block = compileBlock(tag.templates, liquid);
  return (context) => {
    const captured = new TextEmitter();
    block(context, captured);
    setVariable(context, tag.variable, tag.captured(captured.buffer));
  };
}

/** liquidjs' own asks each text what it is. */
export class TextEmitter implements Emitter {
  buffer = '';

  write(text: string): void {
    this.buffer += text;
  }
}

function compileAssign(tag: AssignTag, liquid: Liquid): Run {
  const [value] = tag.arguments() as Iterable<Value>;
  const [name] = tag.localScope();
  const evaluate = compileValue(value as Value, liquid);
  return (context) => setVariable(context, String(name?.content), evaluate(context));
}

function setVariable(context: Context, name: string, value: unknown): void {
  (context.bottom() as Record<string, unknown>)[name] = value;
}

/** What `value` evaluates to, and which error it throws, as where liquidjs itself renders synchronously. */
function compileValue({ initial, filters }: Pick<Value, 'initial' | 'filters'>, liquid: Liquid): Evaluate {
  const evaluate = filters.reduce(
    (value, filter) => compileFilter(value, filter, liquid),
    compileExpression(initial, liquid),
  );
  if (filters.length === 0 && initial.postfix.length === 1) return evaluate;
  // Filters and operators may take long.
  return (context) => {
    checkTime(context);
    return evaluate(context);
  };
}

/** @throws {Error} liquidjs' own, when the message has had its time */
function checkTime(context: Context): void {
  context.renderLimit.check(performance.now());
}

/** Nearly all filters take one operand or none, and a list of them takes longer than most filters. */
function compileFilter(value: Evaluate, filter: Filter, liquid: Liquid): Evaluate {
  const { args } = filter;
  const handler = filter instanceof EscapeFilter ? filter.print : liquid.filters[filter.name];
  // Operands that have names are for liquidjs to put together.
  if (typeof handler !== 'function' || args.some((arg) => Array.isArray(arg)))
    return (context) => toValueSync<unknown>(filter.render(value(context), context));
  const thisOf = (context: Context) => ({ context, liquid, token: FILTER_TOKEN });
  const operands = args.map((arg) => compileOperand(arg as Token));
  const [first, second] = operands;
  if (first === undefined) return (context) => settle(handler.call(thisOf(context), value(context)));
  if (second === undefined)
    return (context) => settle(handler.call(thisOf(context), value(context), first(context)));
  return (context) => {
    const values = operands.map((operand) => operand(context));
    return settle(handler.call(thisOf(context), value(context), ...values));
  };
}

/** An expression comes in postfix notation: an operator takes what was compiled last. */
function compileExpression(expression: Expression, { options }: Liquid): Evaluate {
  const compiled: Evaluate[] = [];
  for (const token of expression.postfix) {
    const evaluate = TypeGuards.isOperatorToken(token)
      ? compileOperator(token.operator, options.operators[token.operator] as Operator, compiled)
      : compileOperand(token);
    // What lacks an operand is evaluated as liquidjs has it.
    if (evaluate === undefined) return (context) => toValueSync(expression.evaluate(context));
    compiled.push(evaluate);
  }
  return compiled[0] ?? (() => undefined);
}

type Operator = (...operands: unknown[]) => unknown;
type Scalar = string | number | boolean;

/** Of scalars, as in JavaScript; drops, lists, what is absent and whatever else are for liquidjs. */
const OF_SCALARS: ReadonlyMap<string, (left: Scalar, right: Scalar) => boolean> = new Map([
  ['==', (left, right) => left === right],
  ['!=', (left, right) => left !== right],
  ['>', (left, right) => left > right],
  ['<', (left, right) => left < right],
  ['>=', (left, right) => left >= right],
  ['<=', (left, right) => left <= right],
  ['and', (left, right) => left !== false && right !== false],
  ['or', (left, right) => left !== false || right !== false],
]);

/** Takes its operands from the end of `compiled`; undefined where there are too few. */
function compileOperator(name: string, operator: Operator, compiled: Evaluate[]): Evaluate | undefined {
  const right = compiled.pop();
  if (name === 'not') return right && ((context) => settle(operator(right(context), context)));
  const left = compiled.pop();
  if (left === undefined || right === undefined) return undefined;
  const compare = OF_SCALARS.get(name);
  return (context) => {
    const one = left(context);
    const other = right(context);
    if (compare !== undefined && isScalar(one) && isScalar(other)) return compare(one, other);
    return settle(operator(one, other, context));
  };
}

function compileOperand(token: Token): Evaluate {
  if ('content' in token) {
    const { content } = token;
    return () => content;
  }
  const keys = TypeGuards.isPropertyAccessToken(token) ? keysOf(token) : undefined;
  return keys === undefined
    ? (context) => toValueSync<unknown>(evalToken(token, context))
    : readProperty(token, keys);
}

/** Undefined where a key is only known when rendering, or where it is not a variable that is read. */
function keysOf({ variable, props }: PropertyAccessToken): readonly Key[] | undefined {
  const isConstant = variable === undefined && props.every((prop) => 'content' in prop);
  return isConstant ? props.map((prop) => toValue('content' in prop && prop.content) as Key) : undefined;
}

function readProperty(token: Token, keys: readonly Key[]): Evaluate {
  const [name = '', ...inner] = keys;
  return (context) => {
    if (!(context instanceof DirectContext)) return toValueSync<unknown>(evalToken(token, context));
    try {
      let value = readKey(context.scopeOf(name), name, context);
      for (const key of inner) value = readKey(value, key, context);
      return value;
    } catch (error) {
      throw new UndefinedVariableError(error as Error, token);
    }
  };
}

/** What an object has itself, a list too, needs none of the questions that liquidjs asks of drops and methods. */
function readKey(value: unknown, key: Key, context: Context): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, key)) {
    const member = (value as Readonly<Record<Key, unknown>>)[key];
    if (member !== undefined && typeof member !== 'function') return member;
  }
  return key === 'size' && Array.isArray(value)
    ? value.length
    : settle(context.readProperty(value as Scope, key));
}

/** The end of a generator; asking a string whether it is one takes longer than most of what is asked for. */
function settle(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? toValueSync(value) : value;
}
