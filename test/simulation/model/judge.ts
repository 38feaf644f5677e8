/** Checks all sentences of CONTRACT.md that the model has against what was observed. The model knows neither the code nor its tables. */
import type { Observed } from '../observed.ts';
import type { Scenario } from '../scenario.ts';
import { judgeActs } from './acts.ts';
import { judgeAlerts } from './alerts.ts';
import { judgeAnswers } from './answers.ts';
import { judgeDown } from './down.ts';
import { judgeEnd } from './end.ts';
import { History } from './history.ts';
import { judgeEscalation } from './escalation.ts';
import { judgeIncidents } from './incidents.ts';
import { judgeReloads } from './reloads.ts';
import { judgeReports } from './reports.ts';
import { judgeRetries } from './retries.ts';
import { judgeJobs } from './jobs.ts';
import { judgeOrder } from './order.ts';
import { judgePauses } from './pauses.ts';
import { judgeRules } from './rules.ts';
import { judgeSignals } from './signals.ts';
import { judgeTakeUps } from './take-ups.ts';
import { judgeTold } from './told.ts';

const OF_MESSAGES = [judgeAnswers, judgeTold, judgeDown, judgeRetries, judgeOrder, judgePauses, judgeJobs];
const OF_RULES = [judgeRules, judgeActs, judgeSignals, judgeReloads];
const OF_TROUBLES = [judgeIncidents, judgeAlerts, judgeTakeUps, judgeEscalation, judgeReports];

/** @returns the sentences that do not hold, as `answered in time: job-1/2 was …` */
export function judge(scenario: Scenario, observed: Observed, now: number): readonly string[] {
  const history = new History(scenario, observed, now);
  const all = new Set(judgeEnd(history));
  if (observed.stuck !== undefined) return [...all];
  for (const judgeBy of [...OF_MESSAGES, ...OF_RULES, ...OF_TROUBLES])
    for (const each of judgeBy(history)) all.add(each);
  return [...all];
}
