/** The schemas of what depends on days: windows, calendars, reports and the budget. */
import { isDeepStrictEqual } from 'node:util';
import { array, type InferType, lazy } from 'yup';
import { ALL_STATUSES } from '../../callback/callback.ts';
import { PERIODS, WEEKDAYS } from '../../signal/rules.ts';
import type { NotifyList } from '../destination.ts';
import { memberOf, whole } from './form.ts';
import { fault } from '../words.ts';
import * as form from './forms.ts';
import {
  eachOnce,
  isMap,
  listOf,
  missing,
  notifyList,
  section,
  someOf,
  text,
  texts,
  textOrTexts,
} from './fields.ts';

export const calendarName = text(form.calendar, 'Name of a calendar: it holds only on its days.');

export const windowFields = {
  days: someOf(WEEKDAYS, 'Weekdays. Default: all.'),
  from: text(form.timeOfDay, 'Time of day from which it holds, such as "22:00". Default: midnight.'),
  to: text(form.endOfDay, 'Time of day up to which it holds, such as "07:00". Default: midnight.'),
  dates: texts(form.date, 'Days such as 2026-12-29. Default: all.', {
    least: fault('at least one or none'),
  }),
  calendar: calendarName,
};

export const WINDOW = 'All its keys must hold; a window over midnight belongs to the day it begins on.';
export const outsideSchema = section('On all days but a calendar’s.', {
  outside: text(form.calendar, 'Name of a calendar.').required(),
});
export const muteSchema = section(WINDOW, {
  ...windowFields,
  calendar: lazy((value: unknown) => (isMap(value) ? outsideSchema : calendarName)).meta({
    doc: 'Name of a calendar: it holds only on its days; with { outside: NAME } on all others.',
    jsonSchema: { anyOf: [calendarName.meta()?.jsonSchema, { $ref: '#/$defs/outside' }] },
  }),
  except: someOf(ALL_STATUSES, 'Statuses that are told all the same. Default: none.'),
});

export const daysFileSchema = section('A file with a date at the beginning of a line.', {
  file: text(form.daysFile, 'Path of the file; relative to the config’s folder.').required(),
});

const days = (doc: string) => {
  const dates = text(form.dayRange, doc).defined();
  const entry = lazy((value: unknown) => (isMap(value) ? daysFileSchema : dates));
  const items = { anyOf: [dates.meta()?.jsonSchema, { $ref: '#/$defs/days_file' }] };
  return array(entry)
    .strict()
    .default([])
    .meta({ doc, jsonSchema: { type: 'array', items } });
};

export const calendarSchema = section('Days that rules and reports name.', {
  days: someOf(WEEKDAYS, 'Weekdays. Default: all.').default([...WEEKDAYS]),
  except: days('Days that it does not have: dates, 2026-12-29..2027-01-03, { file: holidays.csv }.'),
  also: days('Days that it has in any case.'),
  until: text(form.day, 'The last day on which `except` counts; `check` warns 30 days before.'),
});

export type CalendarSection = InferType<typeof calendarSchema>;

const reportSchema = section('What BOTs did in a period, told after its end.', {
  every: text(memberOf(PERIODS), 'The period: day, week (from Monday on) or month.', {
    example: 'month',
  }).required(missing('month')),
  at: text(form.timeOfDay, 'Time of day, in the display’s timezone.', '09:00'),
  calendar: text(
    form.calendar,
    'Name of a calendar: told on its next day, and then of all days since the last one.',
  ),
  bots: textOrTexts(form.botIdOfReport, 'Of which BOTs: ids or patterns, as in routes. Default: all.'),
  notify: notifyList('Whom to tell: groups, and addresses.'),
});

export const reportsSchema = listOf(
  reportSchema,
  'Reports of what BOTs did, and how long they ran.',
  '[{ every: month, notify: [boss] }]',
)
  .default([])
  .test('once', (reports: readonly ({ readonly notify?: NotifyList } | null)[], context) => {
    // Reports that tell nobody here may have references that are not set here: where they are set, the reports may differ.
    const isAgain = (report: (typeof reports)[number], index: number) =>
      reports.slice(0, index).some((before) => isDeepStrictEqual(before, report)) &&
      report?.notify?.told.length !== 0;
    return eachOnce(reports, isAgain, context);
  });

export const budgetSchema = section('The running time that the plan includes in a month.', {
  hours: text(whole(1, 1_000_000), 'Hours in a month, of all BOTs.').required(),
  from_day: text(whole(1, 28), 'Day on which a month of the plan begins.', '1'),
  warn: texts(whole(1, 1000), 'At which percentages to tell that so much is used. Default: 80 and 100.')
    .typeError(() => fault('list', { example: '[80, 100]' }))
    .default([80, 100]),
  calendar: text(form.calendar, 'Name of a calendar, by whose days the rest of a month is forecast.'),
  notify: notifyList('Whom to tell: groups, and addresses.'),
});
