/** Which mutants the tests notice: in one process that has them all, or each in its own where it shows only from the beginning. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asked, Loaded, Ran } from './subject.ts';

export interface Subject {
  /** JavaScript with mutants in it, by its file's URL. */
  readonly sources: Readonly<Record<string, string>>;
  readonly mutants: number;
  readonly tests: readonly string[];
}

/** `unseen`: no test runs it. */
export type Fate = 'noticed' | 'survived' | 'unseen';

type Test = Ran['tests'][number];

const NONE = -1;
const LONGEST_MS = 600_000;
/** A mutant is judged by the quickest of the tests that run it, of which no more than these. */
const JUDGED_MS = 10_000;
/** So many at first, of those that noticed most so far. */
const FIRST = 8;

/** @throws {Error} the tests fail as they are, or do once they have run with mutants */
export async function judge(subject: Subject, tell: (mutant: number, fate: Fate) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-mutants-'));
  const sources = join(folder, 'sources.json');
  writeFileSync(sources, JSON.stringify(subject.sources));
  const start = (first: number) => Running.start([sources, String(first), ...subject.tests]);
  let shared = await start(NONE);
  const { loadedBy } = shared;
  const noticed = new Map<string, number>();

  const isNoticedBy = async (awake: number, tests: readonly Test[]): Promise<boolean> => {
    if (tests.length === 0) return false;
    if (shared.isSpent) shared = await start(NONE);
    const only = tests.map(({ title }) => title);
    const { failed } = await shared.run({ awake, only }, timeFor(tests));
    if (failed !== undefined) noticed.set(failed, (noticed.get(failed) ?? 0) + 1);
    return failed !== undefined;
  };

  const fateOf = async (awake: number, tests: readonly Test[]): Promise<Fate> => {
    const through = quickest(tests.filter(({ by }) => by.includes(awake)));
    const successes = ({ title }: Test) => noticed.get(title) ?? 0;
    const inTurn = [...through].sort((a, b) => successes(b) - successes(a));
    if (await isNoticedBy(awake, inTurn.slice(0, FIRST))) return 'noticed';
    if (await isNoticedBy(awake, inTurn.slice(FIRST))) return 'noticed';
    if (!loadedBy.includes(awake)) return through.length > 0 ? 'survived' : 'unseen';
    const own = await start(awake);
    const isNoticed = own.isSpent || (await own.run({ awake }, timeFor(tests))).failed !== undefined;
    own.end();
    return isNoticed ? 'noticed' : 'survived';
  };

  try {
    const { tests, failed } = await shared.run({ awake: NONE }, LONGEST_MS);
    if (failed !== undefined) throw new Error(`Without any mutant fails “${failed}”`);
    for (let awake = 0; awake < subject.mutants; awake += 1) tell(awake, await fateOf(awake, tests));
    if (!shared.isSpent && (await shared.run({ awake: NONE }, LONGEST_MS)).failed !== undefined)
      throw new Error('The tests leave something behind by which they fail when they run again');
  } finally {
    shared.end();
    rmSync(folder, { recursive: true });
  }
}

/** With a mutant, tests may take much longer, and do not end where one makes a loop endless. */
function timeFor(tests: readonly Test[]): number {
  return 10_000 + 10 * tests.reduce((sum, { ms }) => sum + ms, 0);
}

function quickest(tests: readonly Test[]): readonly Test[] {
  let taken = 0;
  return [...tests]
    .sort((a, b) => a.ms - b.ms)
    .filter(({ ms }, index) => (taken += ms) <= JUDGED_MS || index === 0);
}

/** They end with this process: a mutant may loop for ever, and hear of nothing. */
const alive = new Set<ChildProcess>();
process.once('exit', () => alive.forEach((each) => each.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

class Running {
  readonly loadedBy: readonly number[];
  readonly #process: ChildProcess;
  #isSpent = false;

  private constructor(started: ChildProcess, loaded: Loaded | undefined) {
    this.#process = started;
    this.loadedBy = loaded?.loadedBy ?? [];
    this.#isSpent = loaded === undefined;
  }

  static async start(args: readonly string[]): Promise<Running> {
    const started = fork(join(import.meta.dirname, 'subject.ts'), args, { stdio: 'ignore' });
    alive.add(started);
    return new Running(started, await answerOf<Loaded>(started, LONGEST_MS));
  }

  /** Whether it ended, or may still do something that an earlier run began. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  async run(asked: Asked, ms: number): Promise<Ran> {
    this.#process.send(asked);
    const ran = (await answerOf<Ran>(this.#process, ms)) ?? { failed: 'it ended', isSpent: true, tests: [] };
    if (ran.isSpent) this.end();
    return ran;
  }

  end(): void {
    this.#isSpent = true;
    this.#process.kill('SIGKILL');
    alive.delete(this.#process);
  }
}

/** @returns undefined: it ended, or did not answer in time */
function answerOf<T>(asked: ChildProcess, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const answered = (answer?: T) => {
      clearTimeout(timer);
      asked.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(answered, ms);
    asked.once('message', (answer) => answered(answer as T)).once('exit', () => answered());
  });
}
