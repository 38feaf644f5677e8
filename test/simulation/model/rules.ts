import type { Broken, History } from './history.ts';
export function judgeRules(_history: History, _broken: Broken): void {}
