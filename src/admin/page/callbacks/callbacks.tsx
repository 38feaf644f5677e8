/** The list of callbacks, its filter in its address. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ArchivedCallback, Page } from '../../../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES } from '../../../ledger/ledger.ts';
import { type FilterName, type ParameterProblem, readFilter, refuseParameters } from '../../filters.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { KindStatus, ResultStatus, Status, stateWord, toneOf } from '../parts/status.tsx';
import { type Column, Paging, Table } from '../parts/table.tsx';
import { BotName, JobLink, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';

/** As the address has them, and as the form shows them again. */
const FOLDED = ['bot_id', 'job_id', 'status', 'state', 'result', 'destination', 'from', 'to'] as const;
const FIELDS = ['search', ...FOLDED] as const satisfies readonly FilterName[];

export interface CallbacksData {
  readonly asked: Partial<Record<FilterName, string>>;
  /** Of fields of the form: nothing is listed then. */
  readonly problems: readonly ParameterProblem[];
  /** This is not the first page. */
  readonly isLater: boolean;
  readonly page: Page<ArchivedCallback>;
}

export const showCallbacks: View = async ({ query, reader, services: { archive } }) => {
  const given = FIELDS.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  const asked = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const { filter, page: wanted, problems } = readFilter(query, reader);
  // Those of a field stand beside it.
  refuseParameters(problems.filter(({ parameter }) => !FIELDS.some((name) => name === parameter)));
  const isGood = problems.length === 0;
  const page = isGood ? await archive.callbacks(filter, wanted) : { items: [], next: undefined };
  return {
    title: reader.t('nav.callbacks'),

    status: isGood ? 200 : 400,
    body: <Callbacks data={{ asked, problems, isLater: wanted.before !== undefined, page }} />,
  };
};

interface CallbacksProps {
  readonly data: CallbacksData;
}

export function Callbacks({ data }: CallbacksProps) {
  const { t } = useReader();
  return (
    <>
      <Head title={t('nav.callbacks')} />
      <Section>
        <Filter data={data} />
        {data.problems.length === 0 ? <List data={data} /> : null}
      </Section>
    </>
  );
}

function Filter({ data: { asked, problems } }: CallbacksProps) {
  const { t } = useReader();
  const of = (name: FilterName) => ({
    name,
    value: asked[name],
    problem: problems.find(({ parameter }) => parameter === name)?.detail,
  });
  const when = t('callbacks.when');
  const hints: Partial<Record<FilterName, string>> = { destination: 'slack:#ops', from: when, to: when };
  const choices: Partial<Record<FilterName, readonly (readonly [value: string, word: string])[]>> = {
    status: ALL_STATUSES.map((value) => [value, t(`status.${value}`)]),
    state: DELIVERY_STATES.map((value) => [value, t(`state.${value}`)]),
    result: CALLBACK_RESULTS.map((value) => [value, t(`result.${value}`)]),
  };
  const isFolded = Object.keys(asked).every((name) => name === 'search');
  return (
    <FilterForm path="/callbacks" isFiltered={Object.keys(asked).length > 0}>
      <Field {...of('search')} label={t('callbacks.search')} hint={t('callbacks.search, what')} />
      <details open={!isFolded}>
        <summary>{t('filters')}</summary>
        <div class="filters">
          {FOLDED.map((name) => {
            const options = choices[name] && [['', t('any')] as const, ...choices[name]];
            return (
              <Field
                key={name}
                {...of(name)}
                label={t(`filter.${name}`)}
                options={options}
                hint={hints[name]}
              />
            );
          })}
        </div>
      </details>
    </FilterForm>
  );
}

function List({ data: { asked, isLater, page } }: CallbacksProps) {
  const reader = useReader();
  const { t } = reader;
  const isFiltered = Object.keys(asked).length > 0;
  const isBulk = isFiltered && asked.search === undefined && page.items.length > 0;
  const nothing = isFiltered || isLater ? t('callbacks.none') : t('callbacks.empty');
  return (
    <>
      <Table
        caption={t('nav.callbacks')}
        empty={page.next === undefined ? nothing : t('callbacks.none here')}
        rows={page.items}
        keyOf={({ id }) => id}
        columns={callbackColumns(reader)}
      />
      {isBulk && asked.state !== 'pending' && asked.state !== 'delivered' ? (
        <p>
          <Link to={pathTo(['redeliveries', 'new'], asked)}>{t('callbacks.redeliver')}</Link>
        </p>
      ) : null}
      <Paging
        newest={isLater ? pathTo(['callbacks'], asked) : undefined}
        older={page.next === undefined ? undefined : pathTo(['callbacks'], { ...asked, before: page.next })}
      />
    </>
  );
}

export function callbackColumns({ t }: Reader): readonly Column<ArchivedCallback>[] {
  return [
    {
      head: t('bot'),
      kind: 'main',
      cell: ({ id, botName, botId }) => (
        <Link to={pathTo(['callbacks', id])}>
          <BotName name={botName} id={botId} />
        </Link>
      ),
    },
    { head: t('callbacks.run'), kind: 'narrow', cell: (callback) => <KindStatus callback={callback} /> },
    { head: t('callbacks.told'), kind: 'narrow', cell: (callback) => <Told callback={callback} /> },
    { head: t('received'), kind: 'narrow', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
    { head: t('job'), kind: 'narrow', cell: ({ jobId }) => (jobId === '' ? null : <JobLink id={jobId} />) },
  ];
}

const WORST_FIRST = ['dead', 'pending', 'held', 'delivered'] as const;

/** How many of its deliveries have arrived, and what is worst of them. */
function Told({ callback: { deliveries, result } }: { readonly callback: ArchivedCallback }) {
  const reader = useReader();
  const worst = WORST_FIRST.map((state) => deliveries.find((each) => each.state === state)).find(Boolean);
  if (worst === undefined) return <ResultStatus result={result} />;
  const told = deliveries.filter((each) => toneOf(each) === 'good').length;
  return (
    <>
      <Status tone={toneOf(worst)} word={reader.t('callbacks.told, of', { told, all: deliveries.length })} />
      {toneOf(worst) === 'good' ? null : <span class="quiet"> {stateWord(worst, reader)}</span>}
    </>
  );
}
