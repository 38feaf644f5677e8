/** Runs `render`, `layout` and `block` by plain calls: what brings one template into another. */
import { Drop, LookupType } from 'liquidjs';
import type { BlockTag, Context, Emitter, Hash, LayoutTag, RenderTag } from 'liquidjs';
import { compileOperand } from './compile-value.ts';
import { runWithin, TextEmitter } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';

/** What liquidjs declares private. */
interface RenderTagInternals {
  /** A name, or what gives one while rendering. */
  readonly file: unknown;
  readonly hash: Hash;
  readonly with?: unknown;
  readonly forBinding?: unknown;
}

/** liquidjs' registers, and what it keeps in them. */
const MODE = 'blockMode';
const OUTPUT = 0;
const STORE = 1;

type RenderBlock = (superBlock: SuperBlock, emitter: Emitter) => void;

/** `{% render "name", key: value %}`; a tag that names its partial or its scope otherwise renders itself. */
export function compileRender(tag: RenderTag, compiler: BlockCompiler): Run | undefined {
  const { file, hash, ...others } = tag as unknown as RenderTagInternals;
  if (!isPlainName(file) || others.with !== undefined || others.forBinding !== undefined) return undefined;
  const assign = compileHash(hash);
  const partial = compileFile(file, LookupType.Partials, compiler);
  return (context, emitter) => {
    const inner = context.spawn();
    assign(context, inner.bottom());
    runWithin(inner, partial(), emitter);
  };
}

/** `{% layout "name", key: value %}`: what follows it stores its blocks, then the layout prints them. */
export function compileLayout(tag: LayoutTag, compiler: BlockCompiler): Run | undefined {
  const { file, args, templates } = tag;
  if (!isPlainName(file)) return undefined;
  const assign = compileHash(args);
  const rest = compiler.compileBlock(templates);
  const layoutOf = compileFile(file, LookupType.Layouts, compiler);
  return (context, emitter) => {
    const layout = layoutOf();
    const unnamed = new TextEmitter();
    context.setRegister(MODE, STORE);
    runWithin(context, rest, unnamed);
    blocksOf(context)[''] ??= (_, target) => target.write(unnamed.buffer);
    context.setRegister(MODE, OUTPUT);
    const scope = emptyScope();
    assign(context, scope);
    context.push(scope);
    runWithin(context, layout, emitter);
    context.pop();
  };
}

/** `{% block name %}`: stored below a `layout`, printed where the layout has it. */
export function compileBlockTag(tag: BlockTag, compiler: BlockCompiler): Run {
  const content = compiler.compileBlock(tag.templates);
  return (context, emitter) => {
    const blocks = blocksOf(context);
    const override = Object.hasOwn(blocks, tag.block) ? blocks[tag.block] : undefined;
    const render = withOverride(override, (superBlock, target) => {
      const stack = context.getRegister('blockStack', []) as BlockTag[];
      if (stack.includes(tag)) throw new Error('block tag cannot be nested');
      stack.push(tag);
      context.push(Object.assign(emptyScope(), { block: superBlock }));
      runWithin(context, content, target);
      context.pop();
      stack.pop();
    });
    if (context.getRegister(MODE) === STORE) blocks[tag.block] = render;
    else render(new SuperBlock(), emitter);
  };
}

/** A block that the layout has and the template has too prints the template's. */
function withOverride(override: RenderBlock | undefined, own: RenderBlock): RenderBlock {
  if (override === undefined) return own;
  return (superBlock, emitter) =>
    override(new SuperBlock((superEmitter) => own(superBlock, superEmitter)), emitter);
}

/** What `{{ block.super }}` asks; liquidjs keeps its own to itself. */
class SuperBlock extends Drop {
  // As liquidjs names it, since a template may print it all.
  private readonly superBlockRender: (emitter: Emitter) => void;

  constructor(superBlockRender: (emitter: Emitter) => void = () => undefined) {
    super();
    this.superBlockRender = superBlockRender;
  }

  super(): string {
    const emitter = new TextEmitter();
    this.superBlockRender(emitter);
    return emitter.buffer;
  }
}

/** Not parsed before it is asked for: a file may render itself. */
function compileFile(name: string, lookup: LookupType, compiler: BlockCompiler): () => Run {
  let block: Run | undefined;
  return () => (block ??= compiler.compileBlock(compiler.liquid.parseFileSync(name, lookup)));
}

function compileHash({ hash }: Hash): (context: Context, scope: object) => void {
  const entries = Object.entries(hash).map(
    ([key, token]) => [key, token === undefined ? () => true : compileOperand(token)] as const,
  );
  return (context, scope) => {
    for (const [key, evaluate] of entries) Object.assign(scope, { [key]: evaluate(context) });
  };
}

function blocksOf(context: Context): Record<string, RenderBlock | undefined> {
  return context.getRegister('blocks', emptyScope()) as Record<string, RenderBlock | undefined>;
}

function emptyScope(): object {
  return Object.create(null) as object;
}

/** Anything else is worked out while rendering, or from where the tag stands. */
function isPlainName(file: unknown): file is string {
  return typeof file === 'string' && /^[\w-]+$/u.test(file);
}
