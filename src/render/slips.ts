/** Finds mistakes in expressions that liquidjs accepts silently: it stops reading there, or reads nothing. */
import { type Liquid, Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs';
import { fault } from '../config/words.ts';
import type { Fault } from '../text/fault.ts';
import { LIKE_A_QUOTE, type LiquidFault, placeIn } from './liquid-faults.ts';

const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gsu;
const RANGE = /\([^()]*\.\.[^()]*\)/gu;

const SLIPS: readonly (readonly [slip: RegExp, what: Fault])[] = [
  [/["']/u, fault('condition.quote')],
  [LIKE_A_QUOTE, fault('liquid.quotes')],
  [/(?<![=!<>])=(?!=)|===|<>|&&|\|\|/u, fault('condition.operator')],
  [/[()]/u, fault('condition.parentheses')],
  [/\.(?=\s|$)|[|:,](?=\s*(?:$|[|,:]))/u, fault('condition.cut')],
  [/(?:^|\|)[^:|,]*,/u, fault('condition.comma')],
  [/(?<![^\s,:|])\[/u, fault('condition.bracket')],
];

/** The first slip, and where in the expression it is. */
export function slipIn(expression: string): { readonly what: Fault; readonly at: number } | undefined {
  const letters = (text: string) => 'x'.repeat(text.length);
  const bare = expression.replace(STRING, letters).replace(RANGE, letters);
  const [slip, what] = SLIPS.find(([each]) => each.test(bare)) ?? [];
  return slip && what && { what, at: bare.search(slip) };
}

/** Whether values and operators alternate. liquidjs accepts a missing operand and values without an operator between them. */
export function isWhole(expression: string, { options }: Liquid): boolean {
  let wantsValue = true;
  for (const token of new Tokenizer(expression, options.operators).readExpressionTokens()) {
    const isNot = TypeGuards.isOperatorToken(token) && token.operator === 'not';
    if ((TypeGuards.isOperatorToken(token) && !isNot) === wantsValue) return false;
    wantsValue = TypeGuards.isOperatorToken(token);
  }
  return !wantsValue;
}

/** The slips in a text's values and conditions. @param isParsed whether liquidjs can parse the text; if not, its own error says more */
export function slipsIn(source: string, liquid: Liquid, isParsed: boolean): readonly LiquidFault[] {
  const faults: LiquidFault[] = [];
  for (const [expression, begin] of expressionsIn(source, liquid)) {
    const isRight = !isParsed || isWhole(expression, liquid);
    const slip = slipIn(expression) ?? (isRight ? undefined : { what: fault('liquid.expression'), at: 0 });
    if (slip !== undefined) faults.push({ what: slip.what, ...placeIn(source, begin + slip.at) });
  }
  return faults;
}

const BRANCHES: ReadonlySet<string> = new Set(['if', 'elsif', 'unless']);

/** The expressions of values and conditions outside of comments, and where they begin. */
function* expressionsIn(
  source: string,
  liquid: Liquid,
): Iterable<readonly [expression: string, begin: number]> {
  let isComment = false;
  for (const token of tokensOf(source, liquid)) {
    const isTag = TypeGuards.isTagToken(token);
    if (isTag && /^(?:end)?comment$/.test(token.name)) isComment = token.name === 'comment';
    const inside = isTag && BRANCHES.has(token.name) ? token.args : undefined;
    const expression = TypeGuards.isOutputToken(token) ? source.slice(...token.contentRange).trim() : inside;
    if (expression !== undefined && !isComment) yield [expression, source.indexOf(expression, token.begin)];
  }
}

function tokensOf(source: string, { options }: Liquid): readonly TopLevelToken[] {
  try {
    return new Tokenizer(source, options.operators).readTopLevelTokens(options);
  } catch {
    return [];
  }
}
