/** The mutants of a source file: small changes, each of which a test should notice. */
import * as ts from 'typescript/unstable/ast';
import { sqlMutants } from './sql-mutants.ts';

/** The expression `node` with `after` in the place of what stands from `start` to `end` in the file. */
export interface Mutant {
  readonly node: ts.Node;
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

const K = ts.SyntaxKind;

const COMPARISONS: ReadonlyMap<ts.SyntaxKind, string | undefined> = new Map([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, undefined],
  [K.ExclamationEqualsEqualsToken, undefined],
  [K.InKeyword, undefined],
  [K.InstanceOfKeyword, undefined],
]);

/** A comparison's is its boundary: its negation is found by whoever finds `true` and `false`. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, string | undefined> = new Map([
  ...COMPARISONS,
  [K.AmpersandAmpersandToken, '||'],
  [K.BarBarToken, '&&'],
  [K.QuestionQuestionToken, '&&'],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
  [K.PercentToken, '*'],
  [K.PlusEqualsToken, '-='],
  [K.MinusEqualsToken, '+='],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** What is written to logs is no promise. */
const LOGS = /\blog(ger)?\??\.(debug|info|warn|error)$/;
/** Who waits for whom, one process does not show, nor SQLite what PostgreSQL is asked alone. */
const ELSEWHERE =
  /^(lock(Jobs?|FreeJobs|JobsOf|WithoutJobs|Row|Callback|Deliveries|Held|Bursts)?|shared|isSqlite|waitForOthers|namesInSchema|asLast|keysOf|byKey|tx\.beside\?\.set)$/;
/** A code of ours or of a remote; not words, which are compared as a whole. */
const CODE = /^'[\w.-]+'$/;

export function mutantsOf(file: ts.SourceFile): readonly Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) return;
    mutants.push(...mutantsAt(node));
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return mutants;
}

function isLeftAlone(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isThrowStatement(node)) return true;
  if (ts.isFunctionDeclaration(node)) return ELSEWHERE.test(node.name?.text ?? '');
  const isCondition = ts.isIfStatement(node) && node.elseStatement === undefined;
  return isCallLeftAlone(isCondition ? node.thenStatement : node);
}

function isCallLeftAlone(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || ts.isExpressionStatement(node)) return isCallLeftAlone(node.expression);
  if (!ts.isCallExpression(node)) return false;
  const name = node.expression.getText();
  return LOGS.test(name) || ELSEWHERE.test(name);
}

function mutantsAt(node: ts.Node): readonly Mutant[] {
  const put = (after: string, of: ts.Node = node) => ({ node, start: of.getStart(), end: of.end, after });
  if (ts.isTaggedTemplateExpression(node)) return inSql(node);
  if (isCondition(node)) return [...fixed(node), ...operator(node)].map((each) => put(...each));
  if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword)
    return isValue(node) ? [put(String(node.kind === K.FalseKeyword))] : [];
  if (ts.isStringLiteral(node)) return isValue(node) && CODE.test(node.getText()) ? [put("''")] : [];
  const others = [...operator(node), ...method(node), ...literal(node)].map((each) => put(...each));
  return isDropped(node) && node.getText() !== 'undefined' ? [put('undefined'), ...others] : others;
}

type Put = readonly [after: string, of?: ts.Node];

function inSql(node: ts.TaggedTemplateExpression): readonly Mutant[] {
  if (node.tag.getText() !== 'sql') return [];
  const { template } = node;
  const texts = ts.isTemplateExpression(template)
    ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
    : [template];
  return texts.flatMap((text, index) => {
    const next = ts.isTemplateExpression(template) ? template.templateSpans[index]?.expression.getText() : '';
    return sqlMutants(text.getText(), next).map(({ at, before, after }) => {
      const start = text.getStart() + at;
      return { node, start, end: start + before.length, after };
    });
  });
}

function isCondition(node: ts.Node): boolean {
  return isTrueOrFalse(node) || isAskedForTruth(node);
}

function isTrueOrFalse(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) return true;
  if (ts.isPrefixUnaryExpression(node)) return node.operator === K.ExclamationToken;
  return isLogical(node) && isTrueOrFalse(node.right);
}

function isAskedForTruth(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  if (ts.isConditionalExpression(parent)) return parent.condition === node;
  return isLogical(parent) && node !== parent.operatorToken && isCondition(parent);
}

function isLogical(node: ts.Node): node is ts.BinaryExpression {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind === K.AmpersandAmpersandToken || kind === K.BarBarToken;
}

/** Without what comes to the same as fixing the whole of an `&&` or an `||`. */
function fixed({ parent }: ts.Node): readonly Put[] {
  if (!isLogical(parent) || !isCondition(parent)) return [['true'], ['false']];
  return [[parent.operatorToken.kind === K.BarBarToken ? 'false' : 'true']];
}

function operator(node: ts.Node): readonly Put[] {
  if (!ts.isBinaryExpression(node) || isText(node.left) || isText(node.right)) return [];
  const after = OPERATORS.get(node.operatorToken.kind);
  return after === undefined ? [] : [[`(${node.left.getText()}) ${after} (${node.right.getText()})`]];
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)
  );
}

function method(node: ts.Node): readonly Put[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { name } = node.expression;
  const after = METHODS.get(name.text);
  return after === undefined ? [] : [[after, name]];
}

function literal(node: ts.Node): readonly Put[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 && !isAssigned(node) ? [['[]']] : [];
  if (!ts.isPrefixUnaryExpression(node) || node.operator !== K.MinusToken) return [];
  return [[node.operand.getText()]];
}

/** `[a, b]` in `[a, b] = pair` is no value. */
function isAssigned(node: ts.Node): boolean {
  const { parent } = node;
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === K.EqualsToken && parent.left === node;
}

/** What a function gives, or a statement does. */
function isDropped(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isExpressionStatement(parent))
    return !ts.isCallExpression(node) || node.expression.kind !== K.SuperKeyword;
  return (
    ts.isReturnStatement(parent) ||
    (ts.isArrowFunction(parent) && parent.body === node && ts.isExpression(node))
  );
}

/** No name, nor that of a class of errors; and what is compared is changed with its comparison. */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyDeclaration(parent)) return false;
  if (ts.isPropertyAssignment(parent)) return parent.name !== node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return !ts.isBinaryExpression(parent) || parent.operatorToken.kind === K.EqualsToken;
}
