/** Which tests are likely to notice a mutant: those that go where few go near it, or noticed one there, and take little time. */
import type { Ran } from './subject.ts';

export interface Test extends Omit<Ran['tests'][number], 'by'> {
  readonly by: ReadonlySet<number>;
}

/** Mutants so far from another are near it: about a function. */
const NEAR = 20;
const MOST_OF_FILE = 1000;

export type Likeliest = ReturnType<typeof likeliestOf>;

/** @param files the first mutant of each file */
export function likeliestOf(tests: readonly Test[], files: readonly number[]) {
  const times = new Map<number, number>();
  for (const mutant of tests.flatMap(({ by }) => [...by])) times.set(mutant, (times.get(mutant) ?? 0) + 1);
  const noticed = new Map<string, Set<number>>();

  /** By what each mutant from the one to the other says of a test that goes by it, and of one that noticed it. */
  function weightOf({ title, by, ms }: Test, from: number, to: number): number {
    let weight = 0;
    for (let other = from; other <= to; other += 1) {
      if (by.has(other)) weight += 1 / (times.get(other) ?? Infinity);
      if (noticed.get(title)?.has(other)) weight += 1;
    }
    return weight / Math.sqrt(Math.max(ms, 1));
  }

  function inTurn(these: readonly Test[], from: number, to: number): readonly Test[] {
    return these
      .map((test) => ({ test, weight: weightOf(test, from, to) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ test }) => test);
  }

  return {
    add: (title: string, mutant: number) =>
      void noticed.set(title, (noticed.get(title) ?? new Set()).add(mutant)),
    /** @param ms after so long no further one begins, as long as they take without mutants */
    of(mutant: number, ms: number): readonly Test[] {
      const through = tests.filter(({ by }) => by.has(mutant));
      return within(ms, inTurn(through, mutant - NEAR, mutant + NEAR));
    },
    /** Of one that is run before any test, as a constant is: those that go where few go in its file. */
    ofLoaded(mutant: number, ms: number): readonly Test[] {
      const first = files.findLast((start) => start <= mutant) ?? 0;
      const end = files.find((start) => start > mutant) ?? first + MOST_OF_FILE;
      // What passes by no mutant may judge what was made while it was loaded.
      const silent = tests.filter(({ by }) => by.size === 0);
      const others = tests.filter(({ by }) => by.size > 0);
      return [...within(ms, silent), ...within(2 * ms, inTurn(others, first, end - 1))];
    },
  };
}

function within(ms: number, tests: readonly Test[]): readonly Test[] {
  let taken = 0;
  return tests.filter((test) => (taken += test.ms) - test.ms < ms);
}
