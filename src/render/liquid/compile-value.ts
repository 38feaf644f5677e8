/** Makes plain functions of the values that liquidjs parsed, which it evaluates by generators itself. */
import { evalToken, isTruthy, toValue, toValueSync, TypeGuards, UndefinedVariableError } from 'liquidjs';
import type { Context, Expression, Filter, Liquid, PropertyAccessToken, Scope, Token, Value } from 'liquidjs';
import { checkTime } from './direct-run.ts';

export type Evaluate = (context: Context) => unknown;

type Key = string | number;
type OperatorHandler = (...operands: unknown[]) => unknown;

/** What liquidjs declares private; that it is still there is what the tests against liquidjs itself show. */
interface FilterInternals {
  readonly handler: (this: object | undefined, ...values: unknown[]) => unknown;
  readonly token: Token;
  readonly liquid: Liquid;
}
interface ContextInternals {
  findScope(name: Key): Scope;
}

/**
 * What `value` evaluates to, and which error it throws, exactly as where liquidjs itself renders synchronously. Filters
 * may take long, so the clock is looked at before them; operators that may look at it themselves.
 */
export function compileValue(value: Pick<Value, 'initial' | 'filters'>, liquid: Liquid): Evaluate {
  const initial = compileExpression(value.initial, liquid);
  if (value.filters.length === 0) return initial;
  const filtered = value.filters.reduce(compileFilter, initial);
  return (context) => {
    checkTime(context);
    return filtered(context);
  };
}

/** Nearly all filters take one operand or none, and a list of them takes longer than most filters. */
function compileFilter(value: Evaluate, filter: Filter): Evaluate {
  const { args } = filter;
  if (args.some((arg) => Array.isArray(arg)))
    return (context) => toValueSync<unknown>(filter.render(value(context), context));
  const { handler } = filter as unknown as FilterInternals;
  const thisOf = compileThis(filter);
  const operands = args.map((arg) => compileOperand(arg as Token));
  const [first, second] = operands;
  if (first === undefined) return (context) => settle(handler.call(thisOf(context), value(context)));
  if (second === undefined)
    return (context) => settle(handler.call(thisOf(context), value(context), first(context)));
  return (context) => {
    const values = [value, ...operands].map((operand) => operand(context));
    return settle(handler.call(thisOf(context), ...values));
  };
}

/** Arrow functions see no `this`, and have no prototype; methods, which have none either, are no filters. */
function compileThis(filter: Filter): (context: Context) => object | undefined {
  const { handler, token, liquid } = filter as unknown as FilterInternals;
  return 'prototype' in handler ? (context) => ({ context, token, liquid }) : () => undefined;
}

/** An expression comes in postfix notation: an operator takes what was compiled last. */
function compileExpression(expression: Expression, { options }: Liquid): Evaluate {
  const compiled: Evaluate[] = [];
  for (const token of expression.postfix) {
    const evaluate = TypeGuards.isOperatorToken(token)
      ? compileOperator(token.operator, options.operators[token.operator] as OperatorHandler, compiled)
      : compileOperand(token);
    // What lacks an operand is evaluated as liquidjs has it.
    if (evaluate === undefined) return (context) => toValueSync(expression.evaluate(context));
    compiled.push(evaluate);
  }
  return compiled[0] ?? (() => undefined);
}

/** Takes its operands from the end of `compiled`; undefined where there are too few. */
function compileOperator(name: string, handler: OperatorHandler, compiled: Evaluate[]): Evaluate | undefined {
  const right = compiled.pop();
  if (name === 'not') return right && ((context) => settle(handler(right(context), context)));
  const left = compiled.pop();
  if (left === undefined || right === undefined) return undefined;
  // Unlike liquidjs, which looks at both sides always: a side that does not matter has no effects either.
  if (name === 'and')
    return (context) => isTruthy(left(context), context) && isTruthy(right(context), context);
  if (name === 'or')
    return (context) => isTruthy(left(context), context) || isTruthy(right(context), context);
  return (context) => settle(handler(left(context), right(context), context));
}

export function compileOperand(token: Token): Evaluate {
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
    try {
      const scope = (context as unknown as ContextInternals).findScope(name);
      let value = readKey(scope, name, context);
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
