/**
 * A process that has mutants in it: it runs tests as often as `judge.ts` asks, each time with another mutant awake. Started with the path
 * of what is loaded (JSON: JavaScript by URL), the mutant that is awake from the beginning (-1: none), and the tests.
 */
import { register } from 'node:module';
import * as fc from 'fast-check';
import Mocha from 'mocha';
import { LEFT_OUT } from './tests-of.ts';

export interface Asked {
  readonly awake: number;
  /** Titles of the tests to run; undefined: all. */
  readonly only?: readonly string[];
}

export interface Ran {
  /** The first test that failed. */
  readonly failed?: string | undefined;
  /** What this run began may still go on: the next one needs another process. */
  readonly isSpent: boolean;
  /** Which mutants each test passed by. */
  readonly tests: readonly { readonly title: string; readonly by: readonly number[]; readonly ms: number }[];
}

export interface Loaded {
  /** The mutants that were passed by before any test. */
  readonly loadedBy: readonly number[];
}

const [instrumented = '', first = '-1', ...files] = process.argv.slice(2);

let awake = Number(first);
let passedBy = new Set<number>();
const isAwake = (mutant: number): boolean => {
  passedBy.add(mutant);
  return mutant === awake;
};
/** Where a condition is as it would be fixed, the mutant shows nothing. */
const condition = (ifTrue: number | undefined, ifFalse: number | undefined, value: unknown): unknown => {
  const other = value ? ifTrue : ifFalse;
  if (other !== undefined) passedBy.add(other);
  return value;
};
Object.assign(globalThis, { isAwake, isFixed: (mutant: number) => mutant === awake, condition });

const hooks = `
  import { readFileSync } from 'node:fs';
  const sources = JSON.parse(readFileSync(${JSON.stringify(instrumented)}, 'utf8'));
  export const load = (url, context, next) => {
    const source = sources[url.split('?')[0]];
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
  };`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// What fails has failed: nobody reads by which least example.
fc.configureGlobal({ endOnFailure: true });
const mocha = new Mocha({ timeout: 60_000, bail: true, reporter: 'dot' });
mocha.cleanReferencesAfterRun(false);
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();

/** In milliseconds: the work of this process, whatever else the machine does, and a tenth of the time that it waits. */
function costNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + performance.now() / 10;
}

function run({ awake: asked, only }: Asked, done: (ran: Ran) => void): void {
  awake = asked;
  const isAsked = (title: string) => only?.includes(title) ?? !LEFT_OUT.test(` ${title} `);
  mocha.grep({ test: isAsked } as RegExp);
  const tests: Ran['tests'][number][] = [];
  let failed: string | undefined;
  let isSpent = false;
  const runner = mocha.run(() => done({ failed, isSpent, tests }));
  let begun = costNow();
  // What hooks pass by, and take, counts with the test that follows.
  runner.on('test end', (test) => {
    const ended = costNow();
    tests.push({ title: test.fullTitle(), by: [...passedBy], ms: ended - begun });
    passedBy = new Set();
    begun = ended;
  });
  runner.on('fail', (test, error: { code?: string }) => {
    failed = test.fullTitle();
    isSpent = error.code === 'ERR_MOCHA_TIMEOUT';
  });
}

const send = (message: Loaded | Ran) => process.send?.(message);
process.on('message', (asked: Asked) => run(asked, send));
// Whoever asks may be killed.
process.once('disconnect', () => process.exit());
send({ loadedBy: [...passedBy] });
