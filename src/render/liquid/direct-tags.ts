/** Runs the tags that most templates use by plain calls, as `DirectRenderer` runs what stands between them. */
import {
  AssignTag,
  BlockTag,
  CommentTag,
  ForTag,
  IfTag,
  isTruthy,
  LayoutTag,
  RenderTag,
  UnlessTag,
} from 'liquidjs';
import type { Context, Template, Value } from 'liquidjs';
import { EscapedCaptureTag } from './capture-tag.ts';
import { compileValue } from './compile-value.ts';
import { compileFor } from './direct-loop.ts';
import { compileBlockTag, compileLayout, compileRender } from './direct-partials.ts';
import { TextEmitter } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';

/** What liquidjs declares private. */
interface AssignTagInternals {
  readonly key: string;
  readonly value: Value;
}

/** Undefined for a tag that must render itself. */
export function compileTag(template: Template, compiler: BlockCompiler): Run | undefined {
  if (template instanceof IfTag || template instanceof UnlessTag) return compileIf(template, compiler);
  if (template instanceof ForTag) return compileFor(template, compiler);
  if (template instanceof RenderTag) return compileRender(template, compiler);
  if (template instanceof LayoutTag) return compileLayout(template, compiler);
  if (template instanceof BlockTag) return compileBlockTag(template, compiler);
  if (template instanceof EscapedCaptureTag) return compileCapture(template, compiler);
  if (template instanceof AssignTag) return compileAssign(template, compiler);
  return template instanceof CommentTag ? () => undefined : undefined;
}

/** `{% if %}` and `{% unless %}`, each with what may follow. */
function compileIf({ branches, elseTemplates = [] }: IfTag | UnlessTag, compiler: BlockCompiler): Run {
  return branches.reduceRight<Run>((otherwise, { value, templates, ...others }) => {
    const evaluate = compileValue(value, compiler.liquid);
    const holds = 'test' in others ? others.test : isTruthy;
    const block = compiler.compileBlock(templates);
    return (context, emitter) => (holds(evaluate(context), context) ? block : otherwise)(context, emitter);
  }, compiler.compileBlock(elseTemplates));
}

function compileCapture(tag: EscapedCaptureTag, compiler: BlockCompiler): Run {
  const block = compiler.compileBlock(tag.templates);
  return (context) => {
    const emitter = new TextEmitter();
    block(context, emitter);
    setVariable(context, tag.variable, tag.captured(emitter.buffer));
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
