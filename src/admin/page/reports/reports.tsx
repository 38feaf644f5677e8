/** Reports: all months whose figures are kept, and the report of one month, or of any days, with its BOTs. */
import { type FullReport, loadMonths, loadReport, readReport } from '../../../people/report.ts';
import type { Figures } from '../../../report/figures.ts';
import { type Days, nameOfDays, type Report, type ReportedBot } from '../../../report/report.ts';
import { namingOf } from '../../../render/report-view.ts';
import { dateOf } from '../../../signal/calendar.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { Foreign, pathTo } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';
import { beforeOf, isEmpty, MONTH_FIGURES, notesOn, SAID_FIGURES, titleOf, UNCHANGED } from './sayings.ts';

/** The CSV has further BOTs. */
const MOST_BOTS = 200;

interface ReportsData {
  readonly report: FullReport;
  readonly months: readonly (Days & Figures)[];
}

export const reportsView: View = async ({ query, reader, services: { archive, drawing } }) => {
  const { asked } = readReport(query, reader, true);
  const report = await loadReport(archive, asked, drawing().config);
  const months = await loadMonths(archive, asked);
  return {
    title: reader.t('nav.reports'),
    body: <Reports report={report} months={months} isFiltered={query.size > 0} />,
  };
};

function Reports({ report, months, isFiltered }: ReportsData & { readonly isFiltered: boolean }) {
  const reader = useReader();
  const { t } = reader;
  const { botId: bot_id, from, to } = report;
  const [first, last] = [dateOf(from), dateOf(to - 1)];
  const csv = pathTo(['api', 'report'], { from: first, to: last, bot_id, format: 'csv' });
  return (
    <>
      <FilterForm path="/reports" isFiltered={isFiltered}>
        <Field name="bot_id" label={t('filter.bot_id')} value={bot_id} />
        <Field name="from" label={t('reports.from')} value={first} type="date" />
        <Field name="to" label={t('reports.to')} value={last} type="date" />
      </FilterForm>
      <Section title={titleOf(report, reader)} aside={<a href={csv}>{t('reports.csv')}</a>}>
        <Told report={report} />
      </Section>
      <Section title={t('reports.months')}>
        <Table caption="reports.months" rows={months} empty="reports.none" columns={monthColumns(bot_id)} />
      </Section>
    </>
  );
}

function Told({ report }: Pick<ReportsData, 'report'>) {
  const reader = useReader();
  const { t, language } = reader;
  const { bots, before } = report;
  const rows = isEmpty(report) ? [] : [report, ...bots.slice(0, MOST_BOTS)];
  const more = bots.length - MOST_BOTS;
  const isCompared = before !== undefined && rows.length > 0;
  const compared = isCompared ? [t('reports.small', { month: nameOfDays(before, language) })] : [];
  const notes = [...compared, ...notesOn(report, reader)];
  return (
    <>
      <Table caption="reports.bots" rows={rows} empty="reports.none" columns={columnsOf(report, reader)} />
      {more > 0 ? <p>{t('more', { number: more })}</p> : null}
      {notes.length === 0 ? null : (
        <ul class="reasons">
          {notes.map((note) => (
            <li key={note}>
              <Foreign text={note} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The first row is about all BOTs, each further one about one BOT. */
type Row = Report | ReportedBot;

const isOfAll = (row: Row): row is Report => 'total' in row;

function columnsOf(report: FullReport, { t, redact }: Reader): Columns<Row> {
  const figures = SAID_FIGURES.map(({ head, say, change }): Columns<Row>[number] => [
    head,
    (row, reader) => {
      const [now, before] = isOfAll(row)
        ? [row.total, report.before?.total]
        : [row, beforeOf(report, row.botId)];
      const changed = before && change?.(now, before, reader);
      const said = say(now, reader);
      return (
        <>
          {said === '0' ? <span class="quiet">–</span> : said}
          {changed === undefined || changed === UNCHANGED ? null : <small>{changed}</small>}
        </>
      );
    },
    'number',
  ]);
  const nameOf = namingOf(report.bots.slice(0, MOST_BOTS), { redact });
  const subjectOf = (row: Row) =>
    isOfAll(row) ? (
      t('reports.all')
    ) : (
      <a href={pathTo(['bots'], { bot_id: row.botKey ?? row.botId })}>
        <Foreign text={nameOf(row)} />
      </a>
    );
  return [['bot', subjectOf, 'main'], ...figures];
}

function monthColumns(bot_id: string | undefined): Columns<Days & Figures> {
  return [
    [
      'reports.month',
      (days, { language }) => (
        <a href={pathTo(['reports'], { month: dateOf(days.from).slice(0, 7), bot_id })}>
          {nameOfDays(days, language)}
        </a>
      ),
      'main',
    ],
    ...MONTH_FIGURES.map(({ head, say }): Columns<Days & Figures>[number] => [head, say, 'number']),
  ];
}
