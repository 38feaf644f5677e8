/** PromQL as Prometheus' own grammar has it: which series an expression asks for. */
import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** `name{label="value"}` */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Labels that the expression groups it by. */
  readonly groupedBy: readonly string[];
}

/** @throws {Error} it is no PromQL */
export function selectorsIn(expression: string): readonly Selector[] {
  const tree = parser.parse(expression);
  const selectors: Selector[] = [];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => expression.slice(from, to);
  tree.iterate({
    enter({ name, type, from, node }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      if (name !== 'VectorSelector') return;
      const metric = textOf(node.getChild('Identifier') ?? { from, to: from });
      const matchers = all(node.getChild('LabelMatchers'), 'UnquotedLabelMatcher').map((matcher) => ({
        label: textOf(matcher.getChild('LabelName') ?? matcher),
        operator: textOf(matcher.getChild('MatchOp') ?? matcher),
        value: JSON.parse(textOf(matcher.getChild('StringLiteral') ?? matcher)) as string,
      }));
      selectors.push({ metric, matchers, groupedBy: groupingsAbove(node).map(textOf) });
    },
  });
  return selectors;
}

function groupingsAbove(selector: SyntaxNode): readonly SyntaxNode[] {
  const labels: SyntaxNode[] = [];
  for (let node = selector.parent; node !== null; node = node.parent) {
    if (node.name !== 'AggregateExpr') continue;
    const modifier = node.getChild('AggregateModifier');
    labels.push(...all(modifier?.getChild('GroupingLabels') ?? null, 'LabelName'));
  }
  return labels;
}

function all(node: SyntaxNode | null, name: string): readonly SyntaxNode[] {
  return node?.getChildren(name) ?? [];
}
