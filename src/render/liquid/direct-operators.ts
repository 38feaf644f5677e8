/** Liquid's operators: liquidjs' own, but that what most conditions compare takes no generator. */
import { defaultOperators, Tokenizer } from 'liquidjs';
import type { Context, LiteralToken, Operators } from 'liquidjs';
import { checkTime } from './direct-run.ts';
import { isScalar } from './value-text.ts';

type Comparison = '==' | '!=' | '>' | '<' | '>=' | '<=';
type Handler = (left: unknown, right: unknown, context: Context) => boolean;
type BinaryHandler = (left: unknown, right: unknown, context: Context) => never;

/** Scalars compare as in JavaScript; drops, lists, what is absent and whatever else as liquidjs has it. */
export const directOperators: Operators = {
  ...defaultOperators,
  '==': orBlank(
    ofScalars('==', (left, right) => left === right),
    true,
  ),
  '!=': orBlank(
    ofScalars('!=', (left, right) => left !== right),
    false,
  ),
  '>': ofScalars('>', (left, right) => left > right),
  '<': ofScalars('<', (left, right) => left < right),
  '>=': ofScalars('>=', (left, right) => left >= right),
  '<=': ofScalars('<=', (left, right) => left <= right),
  contains: inTime('contains'),
};

/** What stands for `blank`; liquidjs exports no name for it. */
const BLANK: unknown = (new Tokenizer('blank').readValue() as LiteralToken).content;

/** `message != blank`, of a text or of nothing at all. */
function orBlank(otherwise: Handler, ifBlank: boolean): Handler {
  return (left, right, context) => {
    if (right !== BLANK) return otherwise(left, right, context);
    if (left === undefined || left === null) return ifBlank;
    return typeof left === 'string' ? /^\s*$/.test(left) === ifBlank : otherwise(left, right, context);
  };
}

/** Of what may be long: lists, and whatever is looked for in something. */
function inTime(name: Comparison | 'contains'): Handler {
  const handler = defaultOperators[name] as BinaryHandler;
  return (left, right, context) => {
    checkTime(context);
    return handler(left, right, context);
  };
}

type Scalar = string | number | boolean;

function ofScalars(name: Comparison, compare: (left: Scalar, right: Scalar) => boolean): Handler {
  const otherwise = inTime(name);
  return (left, right, context) =>
    isScalar(left) && isScalar(right) ? compare(left, right) : otherwise(left, right, context);
}
