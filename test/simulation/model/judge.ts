import type { Observed } from '../observed.ts';
import type { Scenario } from '../scenario.ts';
export function judge(_scenario: Scenario, observed: Observed, _now: number): readonly string[] {
  return [
    ...observed.unforeseen.map((each) => `unforeseen: ${each}`),
    ...(observed.stuck ? [`end: ${observed.stuck}`] : []),
  ];
}
