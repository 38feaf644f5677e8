/** Runs the tags that most templates use by plain calls, as `DirectRenderer` runs what stands between them. */
import { AssignTag, CommentTag, ForTag, IfTag, isTruthy, LookupType, RenderTag, UnlessTag } from 'liquidjs';
import type { Context, Hash, Template, Value } from 'liquidjs';
import { EscapedCaptureTag } from './capture-tag.ts';
import { Captured } from './captured.ts';
import { compileOperand, compileValue } from './compile-value.ts';
import type { Evaluate } from './compile-value.ts';
import { compileFor } from './direct-loop.ts';
import { checkTime, TextEmitter } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';

/** What liquidjs declares private. */
interface RenderTagInternals {
  /** A name, or what gives one while rendering. */
  readonly file: unknown;
  readonly hash: Hash;
  readonly with?: unknown;
  readonly forBinding?: unknown;
}
interface AssignTagInternals {
  readonly key: string;
  readonly value: Value;
}

/** Undefined for a tag that must render itself. */
export function compileTag(template: Template, compiler: BlockCompiler): Run | undefined {
  if (template instanceof IfTag || template instanceof UnlessTag) return compileIf(template, compiler);
  if (template instanceof ForTag) return compileFor(template, compiler);
  if (template instanceof RenderTag) return compileRender(template, compiler);
  if (template instanceof EscapedCaptureTag) return compileCapture(template, compiler);
  if (template instanceof AssignTag) return compileAssign(template, compiler);
  return template instanceof CommentTag ? () => undefined : undefined;
}

/** `{% if %}` and `{% unless %}`, each with what may follow. */
function compileIf({ branches, elseTemplates = [] }: IfTag | UnlessTag, compiler: BlockCompiler): Run {
  const compiled = branches.map(({ value, templates, ...others }) => ({
    evaluate: compileValue(value, compiler.liquid),
    holds: 'test' in others ? others.test : isTruthy,
    block: compiler.compileBlock(templates),
  }));
  const otherwise = compiler.compileBlock(elseTemplates);
  return (context, emitter) => {
    for (const { evaluate, holds, block } of compiled) {
      if (holds(evaluate(context), context)) return block(context, emitter);
    }
    otherwise(context, emitter);
  };
}

/** `{% render "name", key: value %}`; a tag that names its partial or its scope otherwise renders itself. */
function compileRender(tag: RenderTag, compiler: BlockCompiler): Run | undefined {
  const { file, hash, ...others } = tag as unknown as RenderTagInternals;
  if (!isPlainName(file) || others.with !== undefined || others.forBinding !== undefined) return undefined;
  const entries = Object.entries(hash.hash).map(([key, token]): [string, Evaluate] => [
    key,
    token === undefined ? () => true : compileOperand(token),
  ]);
  let block: Run | undefined;
  return (context, emitter) => {
    const inner = context.spawn();
    const scope = inner.bottom();
    for (const [key, evaluate] of entries) Object.assign(scope, { [key]: evaluate(context) });
    // Not before it is asked for: a partial may render itself.
    block ??= compiler.compileBlock(compiler.liquid.parseFileSync(file, LookupType.Partials));
    checkTime(context);
    block(inner, emitter);
  };
}

/** Anything else is worked out while rendering, or from where the tag stands. */
function isPlainName(file: unknown): file is string {
  return typeof file === 'string' && /^[\w-]+$/u.test(file);
}

function compileCapture({ templates, variable }: EscapedCaptureTag, compiler: BlockCompiler): Run {
  const block = compiler.compileBlock(templates);
  return (context) => {
    const emitter = new TextEmitter();
    checkTime(context);
    block(context, emitter);
    setVariable(context, variable, new Captured(emitter.buffer));
  };
}

function compileAssign(tag: AssignTag, { liquid }: BlockCompiler): Run {
  const { key, value } = tag as unknown as AssignTagInternals;
  const evaluate = compileValue(value, liquid);
  return (context) => setVariable(context, key, evaluate(context));
}

function setVariable(context: Context, name: string, value: unknown): void {
  (context.bottom() as Record<string, unknown>)[name] = value;
}
