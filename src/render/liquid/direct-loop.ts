/** Runs `for` by plain calls, as far as templates commonly go with it. */
import { Drop } from 'liquidjs';
import type { Context, Emitter, ForTag, NumberToken, Token } from 'liquidjs';
import { compileOperand } from './compile-value.ts';
import { checkTime, runItself } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';

/** `{% for item in list limit: 10 %}`; said otherwise, or over what is no list, the tag renders itself. */
export function compileFor(tag: ForTag, compiler: BlockCompiler): Run | undefined {
  const options = Object.entries(tag.hash.hash);
  if (!options.every(([name, token]) => name === 'limit' && isNumber(token))) return undefined;
  const [limit] = options.map(([, token]) => (token as NumberToken).content);
  const evaluate = compileOperand(tag.collection);
  const otherwise = compiler.compileBlock(tag.elseTemplates);
  const repeat = loopOver(tag, compiler.compileBlock(tag.templates));
  const run = runItself(tag);
  return (context, emitter) => {
    const collection = evaluate(context) ?? [];
    if (!Array.isArray(collection)) return run(context, emitter);
    if (collection.length === 0) return otherwise(context, emitter);
    repeat(limit === undefined ? collection : collection.slice(0, limit), context, emitter);
  };
}

function isNumber(token: Token | undefined): token is NumberToken {
  return token !== undefined && 'content' in token && typeof token.content === 'number';
}

function loopOver({ variable, collection }: ForTag, block: Run) {
  const name = `${variable}-${collection.getText()}`;
  // What a later loop's `offset: continue` reads.
  const register = `continue-${name}`;
  return (items: readonly unknown[], context: Context, emitter: Emitter): void => {
    context.setRegister(register, items.length);
    const forloop = new Forloop(items.length, name);
    const scope = Object.create(null) as Record<string, unknown>;
    scope['forloop'] = forloop;
    context.push(scope);
    for (const item of items) {
      scope[variable] = item;
      if (!goesOn(block, context, emitter)) break;
      forloop.next();
    }
    context.continueCalled = context.breakCalled = false;
    context.pop();
  };
}

/** Runs the body; false where it says `break`. */
function goesOn(block: Run, context: Context, emitter: Emitter): boolean {
  context.continueCalled = context.breakCalled = false;
  checkTime(context);
  block(context, emitter);
  return !context.breakCalled;
}

/** What a loop's body sees; liquidjs keeps its own to itself. */
class Forloop extends Drop {
  // As liquidjs names them, since a template may print them all.
  private i = 0;
  readonly length: number;
  readonly name: string;

  constructor(length: number, name: string) {
    super();
    this.length = length;
    this.name = name;
  }

  next(): void {
    this.i += 1;
  }

  index0(): number {
    return this.i;
  }

  index(): number {
    return this.i + 1;
  }

  first(): boolean {
    return this.i === 0;
  }

  last(): boolean {
    return this.i === this.length - 1;
  }

  rindex(): number {
    return this.length - this.i;
  }

  rindex0(): number {
    return this.length - this.i - 1;
  }

  override valueOf(): string {
    return JSON.stringify(this);
  }
}
