/** Converts sections of reports and of the budget that have passed the schema. */
import { isJsonObject, type JsonObject } from '../text/json.ts';
import { calendarNamed } from './config.ts';
import type { BudgetConfig, Calendars, Destination, ReportConfig } from './config.ts';
import { parseTimeOfDay } from './field-rules.ts';
import type { NotifyReader } from './read-notify.ts';
import type { BudgetSection, ReportSection } from './schema-days.ts';
import type { RootSection } from './schema.ts';

/** Whom the reports and the budget tell, in the order of their sections. */
interface ToldOfDays {
  readonly reports: readonly (readonly Destination[])[];
  readonly budget: readonly Destination[];
}

/** Reads them also where other parts have errors, so that all are reported at once. */
export function readToldOfDays({ reports, budget }: JsonObject, reader: NotifyReader): ToldOfDays {
  const all: readonly unknown[] = Array.isArray(reports) ? reports : [];
  return {
    reports: all.map((each, index) =>
      isJsonObject(each) ? reader.read(each['notify'], ['reports', index, 'notify']) : [],
    ),
    budget: isJsonObject(budget) ? reader.read(budget['notify'], ['budget', 'notify']) : [],
  };
}

interface AsRead {
  readonly told: ToldOfDays;
  readonly calendars: Calendars;
}

export function reportsAndBudget(
  { reports = [], budget }: Pick<RootSection, 'reports' | 'budget'>,
  asRead: AsRead,
) {
  return { reports: reportsOf(reports, asRead), budget: budget && budgetOf(budget, asRead) };
}

function reportsOf(sections: readonly ReportSection[], { told, calendars }: AsRead): readonly ReportConfig[] {
  return sections.map(({ every, at, calendar, bots = [] }, index) => ({
    every,
    at: parseTimeOfDay(at) ?? 0,
    calendar: calendarNamed(calendar, calendars),
    botIds: [bots].flat(),
    notify: told.reports[index] ?? [],
  }));
}

function budgetOf(
  { hours, from_day: fromDay, warn, calendar }: BudgetSection,
  { told, calendars }: AsRead,
): BudgetConfig {
  return {
    hours,
    fromDay,
    warn: warn.toSorted((a, b) => a - b),
    calendar: calendarNamed(calendar, calendars),
    notify: told.budget,
  };
}
