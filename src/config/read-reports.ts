/** Converts sections of reports and of the budget that have passed the schema. */
import type { BudgetConfig, ReportConfig } from './config.ts';
import type { RootSection } from './schema.ts';

export function reportsOf({ reports }: RootSection): readonly ReportConfig[] {
  return reports.map(({ bots = [], notify, ...report }) => ({
    ...report,
    botIds: [bots].flat(),
    notify: notify.told,
  }));
}

export function budgetOf({ budget }: RootSection): BudgetConfig | undefined {
  if (budget === undefined) return undefined;
  const { hours, from_day: fromDay, warn, calendar, notify } = budget;
  return { hours, fromDay, calendar, warn: warn.toSorted((a, b) => a - b), notify: notify.told };
}
