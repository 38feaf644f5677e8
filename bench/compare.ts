/** Subjects beside each other: in each round each of them once, each round in another order. */
import { type Figures, type Laboratory, measure } from './measure.ts';
import type { ComparisonEffort } from './options.ts';
import { median, orderInRound } from './statistics.ts';
import type { Subject } from './subjects.ts';

/** The figures of each subject, round by round. */
export class Comparison {
  readonly #rounds = new Map<string, Figures[]>();

  add(name: string, figures: Figures): void {
    this.#rounds.set(name, [...this.of(name), figures]);
  }

  names(): string[] {
    return [...this.#rounds.keys()];
  }

  of(name: string): readonly Figures[] {
    return this.#rounds.get(name) ?? [];
  }

  median(name: string, key: keyof Figures): number {
    return median(this.of(name).map((figures) => figures[key]));
  }

  /** The median of the rounds' ratios: what slows a whole round down slows both. */
  ratio(name: string, base: string, key: keyof Figures): number {
    const bases = this.of(base);
    return median(this.of(name).map((figures, round) => figures[key] / (bases[round]?.[key] ?? Number.NaN)));
  }

  /** From the smallest to the largest round. */
  range(name: string, key: keyof Figures): readonly [number, number] {
    const values = this.of(name).map((figures) => figures[key]);
    return [Math.min(...values), Math.max(...values)];
  }
}

export async function compare(
  subjects: readonly Subject[],
  laboratory: Laboratory,
  effort: ComparisonEffort,
): Promise<Comparison> {
  const measured = subjects.map(() => [] as Figures[]);
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const index of orderInRound([...subjects.keys()], round)) {
      const subject = subjects[index] as Subject;
      console.error(`round ${round + 1} of ${effort.rounds}: ${subject.name}`);
      measured[index]?.push(await measure(subject, laboratory, effort));
    }
  }
  const comparison = new Comparison();
  subjects.forEach(({ name }, index) => measured[index]?.forEach((figures) => comparison.add(name, figures)));
  return comparison;
}
