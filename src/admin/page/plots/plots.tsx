/** Day by day: runs and failures, how long they took, and what running time went into them. */
import { COUNT_STEPS, DURATION_STEPS } from '../charts/axes.tsx';
import { DayBars, type Series } from '../charts/day-bars.tsx';
import { FilterForm, SelectField, TextField } from '../parts/forms.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, Link, pathTo } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { SenselessQuery, type Shown, type View, type ViewRequest } from '../view.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { PLOTS_WORDS } from '../words/plots.ts';
import { dayBefore, type DayFigures, figuresOf } from './day-figures.ts';

const TIMES = ['7', '30', '90', '365'] as const;
const COMMON_TIME = '30';

export interface PlotsData {
  /** How many, as the form has it. */
  readonly days: string;
  readonly botId: string | undefined;
  readonly figures: readonly DayFigures[];
}

export const showPlots: View = async (request) => plotsPage(await readPlots(request), request.reader);

/** @throws {SenselessQuery} */
export async function readPlots({
  query,
  reader,
  services: { archive },
}: Pick<ViewRequest, 'query' | 'reader' | 'services'>): Promise<PlotsData> {
  const asked = query.get('days')?.trim() || COMMON_TIME;
  const days = TIMES.find((time) => time === asked);
  if (days === undefined) throw new SenselessQuery([{ parameter: 'days', detail: TIMES.join(', ') }]);
  const botId = query.get('bot_id')?.trim() || undefined;
  const last = reader.formats.dayOf(reader.now);
  const first = dayBefore(last, Number(days) - 1);
  const figures = figuresOf(await archive.days(first, botId), { first, last });
  return { days, botId, figures };
}

export function plotsPage(data: PlotsData, reader: Reader): Shown {
  const words = PLOTS_WORDS[reader.language];
  const { figures, botId } = data;
  const hasSome = figures.some(({ succeeded, failed, started }) => succeeded + failed + started > 0);
  const body = (
    <>
      <div class="head">
        <h1>{botId === undefined ? words.title : <Foreign text={words.titleOf(botId)} />}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <section class="panel" aria-label={PAGE_WORDS[reader.language].filters}>
        <Filter data={data} reader={reader} />
      </section>
      {hasSome ? <Plots data={data} reader={reader} /> : <p class="empty">{words.empty}</p>}
      {hasSome ? <Days data={data} reader={reader} /> : null}
    </>
  );
  return { title: botId === undefined ? words.title : words.titleOf(botId), section: 'plots', body };
}

interface OfPlots {
  readonly data: PlotsData;
  readonly reader: Reader;
}

function Filter({ data: { days, botId }, reader }: OfPlots) {
  const { fields, daysOf } = PLOTS_WORDS[reader.language];
  return (
    <FilterForm
      path="/plots"
      label={PAGE_WORDS[reader.language].filters}
      isFiltered={botId !== undefined || days !== COMMON_TIME}
      reader={reader}
    >
      <SelectField
        name="days"
        label={fields.days}
        value={days}
        any={undefined}
        options={TIMES.map((value) => ({ value, word: daysOf(value) }))}
      />
      <TextField name="bot_id" label={fields.bot_id} value={botId} />
    </FilterForm>
  );
}

interface OfFigures {
  readonly figures: readonly DayFigures[];
  readonly reader: Reader;
}

function Plots({ data: { figures }, reader }: OfPlots) {
  const words = PLOTS_WORDS[reader.language];
  const { number, elapsed } = reader.formats;
  const duration = (seconds: number) => (seconds === 0 ? '0' : elapsed(seconds));
  return (
    <div class="plots">
      <Plot
        title={words.runs.title}
        series={[
          { name: words.runs.succeeded, tone: 'good' },
          { name: words.runs.failed, tone: 'bad' },
        ]}
        figures={figures}
        valuesOf={({ succeeded, failed }) => [succeeded, failed]}
        steps={COUNT_STEPS}
        labelOf={number}
        reader={reader}
      />
      <Plot
        title={words.duration.title}
        series={[{ name: words.duration.mean, tone: 'busy' }]}
        figures={figures}
        valuesOf={({ meanSeconds = 0 }) => [meanSeconds]}
        steps={DURATION_STEPS}
        labelOf={duration}
        reader={reader}
      />
      <Plot
        title={words.time.title}
        series={[
          { name: words.time.spent, tone: 'busy' },
          { name: words.time.retries, tone: 'wait' },
        ]}
        figures={figures}
        valuesOf={({ spentSeconds, retrySeconds }) => [spentSeconds, retrySeconds]}
        steps={DURATION_STEPS}
        labelOf={duration}
        reader={reader}
      />
    </div>
  );
}

interface PlotProps extends OfFigures {
  readonly title: string;
  readonly series: readonly Series[];
  readonly valuesOf: (figures: DayFigures) => readonly number[];
  readonly steps: readonly number[];
  readonly labelOf: (value: number) => string;
}

function Plot({ title, series, figures, valuesOf, steps, labelOf, reader }: PlotProps) {
  const known = new Map(figures.map((each) => [each.day, valuesOf(each)]));
  return (
    <section class="panel">
      <h2>{title}</h2>
      <DayBars
        title={titleOf(title, known, labelOf, reader)}
        days={figures.map(({ day }) => day)}
        series={series}
        valuesOf={(day) => known.get(day) ?? []}
        steps={steps}
        labelOf={labelOf}
        reader={reader}
      />
    </section>
  );
}

/** Who does not see it hears where it is highest; the table below has the rest. */
function titleOf(
  title: string,
  values: ReadonlyMap<string, readonly number[]>,
  labelOf: (value: number) => string,
  { language, formats }: Reader,
): string {
  const sums = [...values].map(([day, each]) => ({ day, sum: each.reduce((sum, value) => sum + value, 0) }));
  const [most] = sums.toSorted((a, b) => b.sum - a.sum);
  if (most === undefined) return title;
  return PLOTS_WORDS[language].mostOn(title, labelOf(most.sum), formats.day(most.day));
}

function Days({ data: { figures, days, botId }, reader }: OfPlots) {
  const words = PLOTS_WORDS[reader.language];
  const some = figures.filter(
    ({ succeeded, failed, started, retries }) => succeeded + failed + started + retries > 0,
  );
  return (
    <section class="panel">
      <p>
        <Link to={`/plots.csv${pathTo([''], { days, bot_id: botId }).slice(1)}`} download>
          {words.csv}
        </Link>
      </p>
      <details>
        <summary>{words.table}</summary>
        <Table
          caption={words.caption}
          columns={dayColumns(reader)}
          rows={some.toReversed()}
          keyOf={({ day }) => day}
          empty={words.empty}
        />
      </details>
    </section>
  );
}

function dayColumns(reader: Reader): readonly Column<DayFigures>[] {
  const words = PLOTS_WORDS[reader.language];
  const { number, elapsed } = reader.formats;
  const counted = (head: string, of: (figures: DayFigures) => number): Column<DayFigures> => ({
    head,
    kind: 'number',
    cell: (figures) => number(of(figures)),
  });
  const timed = (head: string, of: (figures: DayFigures) => number | undefined): Column<DayFigures> => ({
    head,
    kind: 'number',
    cell: (figures) => {
      const seconds = of(figures);
      return seconds === undefined ? PAGE_WORDS[reader.language].none : elapsed(seconds);
    },
  });
  return [
    {
      head: words.day,
      kind: 'main',
      cell: ({ day }) => <time dateTime={day}>{reader.formats.day(day)}</time>,
    },
    counted(words.runs.succeeded, ({ succeeded }) => succeeded),
    counted(words.runs.failed, ({ failed }) => failed),
    counted(words.runs.started, ({ started }) => started),
    timed(words.duration.mean, ({ meanSeconds }) => meanSeconds),
    timed(words.time.spent, ({ spentSeconds }) => spentSeconds),
    counted(words.retries, ({ retries }) => retries),
    timed(words.time.retries, ({ retrySeconds }) => retrySeconds),
  ];
}
