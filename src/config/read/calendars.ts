/** Reads `calendars`, with the files of days that they name. */
import { type CalendarDoubt, calendarOf, dateOf, dayIn } from '../../signal/calendar.ts';
import { Fault, unreadable } from '../../text/fault.ts';
import { checkSection, entriesOf } from './section.ts';
import type { Calendars, DatesOfFile, NamedCalendar } from '../config.ts';
import { NOTHING_KNOWN } from '../schema/form.ts';
import type { Path } from '../path.ts';
import type { Problems } from '../problems.ts';
import { fault } from '../words.ts';
import { type CalendarSection, calendarSchema } from '../schema/days.ts';

export interface CalendarReading {
  /** @returns the whole path of what the config names */
  readonly whole: (path: string) => string;
  /** Reads a file byte for byte (latin1), since only its dates are read. @throws when it cannot be read */
  readonly readBytes: (path: string) => string;
  /** The dates that earlier readings found, by path. They stay in force if a file cannot be read any more; left out: none was read. */
  readonly datesOfFiles?: Pick<Calendars['files'], 'get'> | undefined;
}

export function readCalendars(section: unknown, problems: Problems, reading: CalendarReading): Calendars {
  const named = new Map<string, NamedCalendar>();
  const files = new Map<string, DatesOfFile>();
  for (const [name, value, path] of entriesOf('calendars', section, problems)) {
    const daysOfFile = (file: string, at: Path) => {
      const whole = reading.whole(file);
      const warn = (what: Fault) => problems.warning([...path, ...at], what);
      const dates = files.get(whole) ?? datesOf(whole, reading, warn);
      if (dates instanceof Fault) return dates;
      files.set(whole, dates);
      return { path: whole, ranges: [...dates].map((day) => [day, day] as const) };
    };
    const known = { ...NOTHING_KNOWN, daysOfFile };
    const checked = checkSection(calendarSchema, value, path, { problems, known });
    // A calendar with errors is known all the same, so that naming it is no second error.
    named.set(name, calendarFrom(checked ?? calendarSchema.getDefault()));
  }
  return { named, files };
}

function calendarFrom({ days, except, also, until }: CalendarSection): NamedCalendar {
  // A reference that is not set has neither days nor a file.
  const known = (entries: readonly ((typeof except)[number] | undefined)[]) =>
    entries.filter((entry) => entry !== undefined && ('file' in entry || 'length' in entry));
  const rangesOf = (entries: typeof except) =>
    known(entries).flatMap((entry) => ('file' in entry ? entry.file.ranges : [entry]));
  const calendar = calendarOf({ days, except: rangesOf(except), also: rangesOf(also), until });
  const files = known([...except, ...also]).flatMap((entry) => ('file' in entry ? entry.file.path : []));
  return { calendar, until, files: [...new Set(files)] };
}

function datesOf(path: string, reading: CalendarReading, warn: (what: Fault) => void): DatesOfFile | Fault {
  try {
    const dates = datesIn(reading.readBytes(path));
    return dates.size > 0 ? dates : fault('calendar.no date', { file: path });
  } catch (error) {
    const known = reading.datesOfFiles?.get(path);
    const values = { why: unreadable(error), file: path };
    if (known === undefined) return fault('path.unread', values);
    warn(fault('calendar.kept', values));
    return known;
  }
}

/** A date at the beginning of a line, whatever follows. */
const DATE = /^[ \t"']*(\d{4})([-/]?)(\d{1,2})\2(\d{1,2})(?!\d)/;

/** @param text bytes as latin1, in whatever encoding: dates are ASCII in all but UTF-16, where a NUL stands beside each character */
function datesIn(text: string): DatesOfFile {
  const days = text
    .replaceAll('\0', '')
    .replace(/^(?:ï»¿|ÿþ|þÿ)/, '')
    .split(/\r\n|\n|\r/)
    .flatMap((line) => {
      const [, year = '', between, month = '', date = ''] = DATE.exec(line) ?? [];
      // Without a sign between them, 2026111 could be two days.
      if (between === '' && month.length + date.length !== 4) return [];
      return dayIn(`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`) ?? [];
    });
  return new Set(days);
}

/** How long before its end a calendar is doubted. */
const SOON_MS = 30 * 86_400_000;

/** @param today as `dayOf` gives it */
export function calendarDoubts({ named, files }: Calendars, today: number): readonly CalendarDoubt[] {
  const year = new Date(today).getUTCFullYear();
  const isOfYear = (day: number) => new Date(day).getUTCFullYear() === year;
  return [...named].flatMap(([calendar, { until, files: own }]) => {
    const old = own.filter((file) => ![...(files.get(file) ?? [])].some(isOfYear));
    return [
      ...(until !== undefined && until <= today + SOON_MS ? [{ calendar, endsOn: dateOf(until) }] : []),
      ...old.map((file) => ({ calendar, file, year })),
    ];
  });
}
