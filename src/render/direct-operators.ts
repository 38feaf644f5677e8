/** Liquid's operators: liquidjs' own, but that what most conditions compare takes no generator. */
import { defaultOperators } from 'liquidjs';
import type { Context, Operators } from 'liquidjs';
import { isScalar } from './value-text.ts';

type Comparison = '==' | '!=' | '>' | '<' | '>=' | '<=';
type BinaryHandler = (left: unknown, right: unknown, context: Context) => never;

/** Scalars compare as in JavaScript; drops, lists, what is absent and whatever else as liquidjs has it. */
export const directOperators: Operators = {
  ...defaultOperators,
  '==': ofScalars('==', (left, right) => left === right),
  '!=': ofScalars('!=', (left, right) => left !== right),
  '>': ofScalars('>', (left, right) => left > right),
  '<': ofScalars('<', (left, right) => left < right),
  '>=': ofScalars('>=', (left, right) => left >= right),
  '<=': ofScalars('<=', (left, right) => left <= right),
};

type Scalar = string | number | boolean;

function ofScalars(
  name: Comparison,
  compare: (left: Scalar, right: Scalar) => boolean,
): (left: unknown, right: unknown, context: Context) => boolean {
  const otherwise = defaultOperators[name] as BinaryHandler;
  return (left, right, context) =>
    isScalar(left) && isScalar(right) ? compare(left, right) : otherwise(left, right, context);
}
