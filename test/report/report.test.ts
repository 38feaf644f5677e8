/** What a report says in files, in which order, and against which month. */
import { expect } from 'chai';
import {
  type CameOfRun,
  type Figures,
  figuresOfRun,
  type KnownRun,
  NO_FIGURES,
  sumOf,
  withCallback,
} from '../../src/report/figures.ts';
import {
  answersCostMs,
  csvFile,
  csvOf,
  type Days,
  monthBefore,
  monthOf,
  nameOfDays,
  type ReportedBot,
  reportOf,
} from '../../src/report/report.ts';
import { dateOf, dayIn } from '../../src/signal/calendar.ts';

const DAYS = daysOf('2026-11-01', '2026-12-01');

function daysOf(from: string, to: string): Days {
  return { from: dayIn(from) ?? NaN, to: dayIn(to) ?? NaN };
}

function bot(botId: string, more: Partial<ReportedBot> = {}): ReportedBot {
  return { ...NO_FIGURES, incidents: 0, incidentMs: 0, botId, botName: '', ...more };
}

describe('A report', () => {
  it('as CSV has a line for each BOT and one for all, times in seconds, and the last day that counts', () => {
    const one = bot('a', { runs: 3, errors: 1, runningMs: 61_250, incidents: 1, incidentMs: 3_600_000 });
    const other = bot('b', { runs: 1, unfinished: 1, answerMs: 7, retries: 2, estimated: 1 });
    expect(csvOf(reportOf(DAYS, [other, one])).split('\r\n')).to.deep.equal([
      'from,to,bot_id,bot_name,runs,unfinished,succeeded,errors,missed,overdue,running_seconds,estimated_runs,incidents,incident_seconds,answer_seconds,retries',
      '2026-11-01,2026-11-30,a,,3,0,0,1,0,0,61.25,0,1,3600,0,0',
      '2026-11-01,2026-11-30,b,,1,1,0,0,0,0,0,1,0,0,0.007,2',
      '2026-11-01,2026-11-30,,,4,1,0,1,0,0,61.25,1,1,3600,0.007,2',
      '',
    ]);
  });

  for (const [name, cell] of [
    ['請求書取込', '請求書取込'],
    ['invoice-import', 'invoice-import'],
    ['a "b", c', '"a ""b"", c"'],
    ['two\nlines', '"two\nlines"'],
    ['a;=1+1', '"a;=1+1"'],
    ['a\tb', '"a\tb"'],
    ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['＝1+1', "'＝1+1"],
    ['＠x', "'＠x"],
  ] as const)
    it(`as CSV lets no name become a formula, or more than one cell: ${JSON.stringify(name)}`, () => {
      const csv = csvOf(reportOf(DAYS, [bot('a', { botName: name })]));
      expect(csv).to.contain(`\r\n2026-11-01,2026-11-30,a,${cell},0,`);
    });

  it('names first what went wrong most often, then what had incidents, then what ran longest', () => {
    const bots = [
      bot('short', { runningMs: 1, runs: 99, succeeded: 99 }),
      bot('long', { runningMs: 2 }),
      bot('incident', { incidents: 1 }),
      bot('overdue and missed', { overdue: 1, missed: 1 }),
      bot('errors', { errors: 3 }),
      bot('one error', { errors: 1, runningMs: 9 }),
    ];
    const { bots: sorted } = reportOf(DAYS, bots);
    const order = sorted.map(({ botId }) => botId).join(', ');
    expect(order).to.equal('errors, overdue and missed, one error, incident, long, short');
  });

  it('counts half a minute for each retry that was asked for to what the answers cost', () => {
    expect(answersCostMs({ ...NO_FIGURES, answerMs: 1200, retries: 3 })).to.equal(91_200);
  });

  for (const [from, to, before] of [
    ['2026-11-01', '2026-12-01', '2026-10-01 2026-11-01'],
    ['2026-03-01', '2026-04-01', '2026-02-01 2026-03-01'],
    ['2027-01-01', '2027-02-01', '2026-12-01 2027-01-01'],
    ['2026-11-01', '2026-11-30', undefined],
    ['2026-11-02', '2026-12-01', undefined],
    ['2026-10-01', '2026-12-01', undefined],
  ] as const)
    it(`is compared with the month before where it is a month: ${from} to ${to}`, () => {
      const month = monthBefore(daysOf(from, to));
      expect(month && `${dateOf(month.from)} ${dateOf(month.to)}`).to.equal(before);
    });

  const SOME_DAYS = '2026-11-01 – 2026-11-29';
  for (const [from, to, en, ja, file] of [
    ['2026-11-01', '2026-12-01', 'November 2026', '2026年11月', '2026-11'],
    ['2026-11-01', '2026-11-30', SOME_DAYS, SOME_DAYS, '2026-11-01-2026-11-29'],
    ['2026-11-29', '2026-11-30', '2026-11-29', '2026-11-29', '2026-11-29'],
  ] as const)
    it(`from ${from} to before ${to} is called ${en}, ${ja}, and botbell-${file}.csv`, () => {
      const days = daysOf(from, to);
      expect([nameOfDays(days, 'en'), nameOfDays(days, 'ja')]).to.deep.equal([en, ja]);
      expect(csvFile(days, 'a,b')).to.deep.equal({ name: `botbell-${file}.csv`, text: '\ufeffa,b' });
    });

  it('of a month ends where the next one begins, also in February', () => {
    expect(monthOf(dayIn('2028-02-29') ?? NaN)).to.deep.equal(daysOf('2028-02-01', '2028-03-01'));
    expect(monthOf(dayIn('2026-12-31') ?? NaN)).to.deep.equal(daysOf('2026-12-01', '2027-01-01'));
  });
});

describe('A run', () => {
  const DAY = 86_400_000;
  const LATER = 40 * DAY;
  const [SUCCEEDED, ERROR, EXECUTING] = [0, 1, 2] as const;
  const came = (
    status: CameOfRun['status'],
    startedAt: number,
    receivedAt: number,
    elapsedSeconds?: number,
  ) => ({ status, startedAt, receivedAt, elapsedSeconds });
  const rows: [what: string, all: CameOfRun[], day: number, figures: Partial<Figures>][] = [
    ['that has begun is unfinished', [came(EXECUTING, 5, 9)], 0, { unfinished: 1 }],
    [
      'without a time took from its start to its first result, by an estimate',
      [came(EXECUTING, 5, 9), came(SUCCEEDED, 5, 12), came(ERROR, 5, 50)],
      0,
      { errors: 1, runningMs: 7, estimated: 1 },
    ],
    ['took the time that it says', [came(SUCCEEDED, 5, 9, 2.0006)], 0, { succeeded: 1, runningMs: 2001 }],
    [
      'took the longest time that is said of it',
      [came(ERROR, 5, 9, 2), came(ERROR, 5, 10, 3), came(ERROR, 5, 11, 1), came(ERROR, 5, 12)],
      0,
      { errors: 1, runningMs: 3000 },
    ],
    ['takes 400 days at most', [came(SUCCEEDED, 5, 9, 9e9)], 0, { succeeded: 1, runningMs: 400 * DAY }],
    [
      'keeps its result when a late start comes',
      [came(SUCCEEDED, 5, 9), came(EXECUTING, 5, 10)],
      0,
      { succeeded: 1, runningMs: 4, estimated: 1 },
    ],
    [
      'that is told when it ends counts on the day of its start, up to 31 days before',
      [came(SUCCEEDED, LATER - 31 * DAY, LATER)],
      9,
      { succeeded: 1, runningMs: 31 * DAY, estimated: 1 },
    ],
    [
      'whose start is longer ago counts on the day when it is told',
      [came(SUCCEEDED, LATER - 31 * DAY - 1, LATER)],
      40,
      { succeeded: 1, estimated: 1 },
    ],
    [
      'whose start is to come counts on the day when it is told',
      [came(SUCCEEDED, LATER + DAY, LATER)],
      40,
      { succeeded: 1, estimated: 1 },
    ],
    [
      'stays on its first day',
      [came(EXECUTING, 5, 9), came(SUCCEEDED, LATER, LATER)],
      0,
      { succeeded: 1, estimated: 1 },
    ],
  ];
  for (const [what, all, day, figures] of rows)
    it(what, () => {
      let run: KnownRun | undefined;
      for (const each of all) run = withCallback(run, each, (instant) => Math.floor(instant / DAY));
      expect(run?.day).to.equal(day);
      expect(run && sumOf([figuresOfRun(run)])).to.deep.equal({ ...NO_FIGURES, runs: 1, ...figures });
    });
});
