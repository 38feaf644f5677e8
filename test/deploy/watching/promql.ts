/** Which series a PromQL expression asks for, read by its words: that it is PromQL, promtool says in the nightly run. */

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** `name{label="value"}` */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Labels that the expression groups by. */
  readonly groupedBy: readonly string[];
}

/** Names of the product, of its process, of rules that record (`job:…`), and of Prometheus' own `up`. */
const SELECTOR = /(?<![\w:"])((?:job:)?(?:botbell|process|nodejs)_\w+(?::\w+)?|up)\b(?:\{([^}]*)\})?/g;
const MATCHER = /(\w+)(=~|!~|!=|=)("(?:[^"\\]|\\.)*")/g;

export function selectorsIn(expression: string): readonly Selector[] {
  const groupedBy = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
  return [...expression.matchAll(SELECTOR)].map(([, metric = '', matchers = '']) => ({
    metric,
    matchers: [...matchers.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value: JSON.parse(value) as string,
    })),
    groupedBy,
  }));
}
