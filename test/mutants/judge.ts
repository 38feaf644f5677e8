/** Which mutants the tests notice: in one process that has them all, or each in its own where it shows only from the beginning. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Likeliest, likeliestOf, type Test } from './likeliest.ts';
import type { Asked, Loaded, Ran } from './subject.ts';

export interface Subject {
  /** JavaScript with mutants in it, by its file's URL. */
  readonly sources: Readonly<Record<string, string>>;
  /** Those to be judged. */
  readonly mutants: readonly number[];
  /** The first mutant of each file. */
  readonly files: readonly number[];
  readonly tests: readonly string[];
  /** What the tests that judge a mutant may take together, without it. */
  readonly judgedMs: number;
}

/** `unseen`: no test runs it, or has the condition otherwise than it is fixed. */
export type Fate = 'noticed' | 'survived' | 'unseen';

const NONE = -1;
const LONGEST_MS = 600_000;
/** A store there waits for no disk. */
const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** So many at first. */
const FIRST = 8;

/** @throws {Error} the tests fail as they are, or do once they have run with mutants */
export async function judge(subject: Subject, tell: (mutant: number, fate: Fate) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-mutants-'));
  const sources = join(folder, 'sources.json');
  writeFileSync(sources, JSON.stringify(subject.sources));
  const start = (first: number) => startSubject([sources, String(first), ...subject.tests]);
  let shared = await start(NONE);
  const { loadedBy } = shared;
  const isNoticedBy = async (awake: number, tests: readonly Test[], likeliest: Likeliest) => {
    if (tests.length === 0) return false;
    if (shared.isSpent()) shared = await start(NONE);
    const { failed } = await shared.run({ awake, only: tests.map(({ title }) => title) }, timeFor(tests));
    if (failed !== undefined) likeliest.add(failed, awake);
    return failed !== undefined;
  };

  const fateOf = async (awake: number, likeliest: Likeliest): Promise<Fate> => {
    const inTurn = likeliest.of(awake, subject.judgedMs);
    if (await isNoticedBy(awake, inTurn.slice(0, FIRST), likeliest)) return 'noticed';
    if (await isNoticedBy(awake, inTurn.slice(FIRST), likeliest)) return 'noticed';
    if (!loadedBy.includes(awake)) return inTurn.length > 0 ? 'survived' : 'unseen';
    const own = await start(awake);
    const tests = likeliest.ofLoaded(awake, subject.judgedMs);
    const only = tests.map(({ title }) => title);
    const { failed } = own.isSpent() ? { failed: '' } : await own.run({ awake, only }, timeFor(tests));
    own.end();
    if (failed !== undefined) likeliest.add(failed, awake);
    return failed === undefined ? 'survived' : 'noticed';
  };

  try {
    const { tests, failed } = await shared.run({ awake: NONE }, LONGEST_MS);
    if (failed !== undefined) throw new Error(`Without any mutant fails “${failed}”`);
    const passing = tests.map((test) => ({ ...test, by: new Set(test.by) }));
    const likeliest = likeliestOf(passing, subject.files);
    for (const awake of subject.mutants) tell(awake, await fateOf(awake, likeliest));
    if (!shared.isSpent() && (await shared.run({ awake: NONE }, LONGEST_MS)).failed !== undefined)
      throw new Error('The tests leave something behind by which they fail when they run again');
  } finally {
    shared.end();
    rmSync(folder, { recursive: true });
  }
}

/** With a mutant, tests may take much longer, and do not end where one makes a loop endless. */
function timeFor(tests: readonly Test[]): number {
  return 4000 + 20 * tests.reduce((sum, { ms }) => sum + ms, 0);
}

/** They end with this process: a mutant may loop for ever, and hear of nothing. */
const alive = new Set<() => void>();
process.once('exit', () => alive.forEach((end) => end()));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

async function startSubject(args: readonly string[]) {
  /** Of the stores and other files that tests make, which would fill the memory within a night. */
  const folder = mkdtempSync(join(IN_MEMORY, 'botbell-mutants-'));
  const env = { ...process.env, TMPDIR: folder };
  const child = fork(join(import.meta.dirname, 'subject.ts'), args, { stdio: 'ignore', env });
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    child.kill('SIGKILL');
    alive.delete(end);
    // It may still write for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  alive.add(end);
  const loaded = await answerOf<Loaded>(child, LONGEST_MS);
  const made = readdirSync(folder);
  return {
    loadedBy: loaded?.loadedBy ?? [],
    end,
    /** Whether it ended, or may still do something that an earlier run began. */
    isSpent: () => loaded === undefined || hasEnded || !child.connected,
    async run(asked: Asked, ms: number): Promise<Ran> {
      // With a callback, it is no error that nobody handles if the process ends at this moment.
      child.send(asked, () => undefined);
      const ran = (await answerOf<Ran>(child, ms)) ?? { failed: 'it ended', isSpent: true, tests: [] };
      if (ran.isSpent) end();
      else
        for (const name of readdirSync(folder))
          if (!made.includes(name)) rmSync(join(folder, name), { recursive: true });
      return ran;
    },
  };
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
