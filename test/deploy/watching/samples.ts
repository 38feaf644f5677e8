/** What /metrics gives, and which of it a selector finds. */
import type { Matcher, Selector } from './promql.ts';

export interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels that Prometheus itself gives each target. */
const OF_THE_TARGET = new Set(['job', 'instance']);

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** @param text Prometheus' text format */
export function samplesIn(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = ''] = SAMPLE.exec(line) ?? [];
    if (metric === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value] as const);
    return [{ metric, labels: Object.fromEntries(pairs) }];
  });
}

/** Those that Prometheus would find, and that have each label that they are grouped by. */
export function found(selector: Selector, samples: readonly Sample[]): readonly Sample[] {
  const matchers = selector.matchers.filter(({ label }) => !OF_THE_TARGET.has(label));
  const grouped = selector.groupedBy.filter((label) => !OF_THE_TARGET.has(label));
  return samples.filter(
    ({ metric, labels }) =>
      metric === selector.metric &&
      matchers.every((matcher) => holds(matcher, labels[matcher.label] ?? '')) &&
      grouped.every((label) => label in labels),
  );
}

function holds({ operator, value }: Matcher, actual: string): boolean {
  if (operator === '=') return actual === value;
  if (operator === '!=') return actual !== value;
  const isMatch = new RegExp(`^(?:${value})$`).test(actual);
  return operator === '=~' ? isMatch : !isMatch;
}
