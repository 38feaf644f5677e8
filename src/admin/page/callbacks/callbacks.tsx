/** The list of callbacks, its filter in its address. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ArchivedCallback, Page } from '../../../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES } from '../../../ledger/ledger.ts';
import { type FilterName, readFilter } from '../../filters.ts';
import { type ParameterProblem, refuseParameters } from '../../parameters.ts';
import { Field, FilterForm, type Option } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { ResultStatus, RunStatus, Status, stateWord, toneOf } from '../parts/status.tsx';
import { Paging, Table } from '../parts/table.tsx';
import { BotName, Link, pathTo, ShortCode } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';

/** As the address has them, and as the form shows them again. */
const FOLDED = [
  'bot_id',
  'job_id',
  'status',
  'state',
  'result',
  'destination',
  'from',
  'to',
] as const satisfies readonly FilterName[];
const FIELDS = ['search', ...FOLDED] as const;

type Asked = Partial<Record<FilterName, string>>;

export interface CallbacksData {
  readonly asked: Asked;
  /** Of fields of the form: nothing is listed then. */
  readonly problems: readonly ParameterProblem[];
  /** This is not the first page. */
  readonly isLater: boolean;
  readonly page: Page<ArchivedCallback>;
}

export const showCallbacks: View = async ({ query, reader, services: { archive } }) => {
  const given = FIELDS.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  const asked: Asked = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const read = readFilter(query, reader);
  const problems = read.isGood ? [] : read.problems;
  // Those of a field stand beside it.
  refuseParameters(problems.filter(({ parameter }) => !FIELDS.some((name) => name === parameter)));
  const page = read.isGood ? await archive.callbacks(read.filter, read.page) : { items: [], next: undefined };
  const isLater = read.isGood && read.page.before !== undefined;
  return {
    title: reader.t('nav.callbacks'),
    section: 'callbacks',
    status: read.isGood ? 200 : 400,
    body: <Callbacks data={{ asked, problems, isLater, page }} />,
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
  const choices: Partial<Record<FilterName, readonly Option[]>> = {
    status: ALL_STATUSES.map((value) => ({ value, word: t(`status.${value}`) })),
    state: DELIVERY_STATES.map((value) => ({ value, word: t(`state.${value}`) })),
    result: CALLBACK_RESULTS.map((value) => ({ value, word: t(`result.${value}`) })),
  };
  const when = t('callbacks.when');
  const hints: Partial<Record<FilterName, string>> = { destination: 'slack:#ops', from: when, to: when };
  const isFolded = Object.keys(asked).every((name) => name === 'search');
  return (
    <FilterForm path="/callbacks" isFiltered={Object.keys(asked).length > 0}>
      <Field {...of('search')} label={t('callbacks.search')} hint={t('callbacks.search, what')} />
      <details open={!isFolded}>
        <summary>{t('filters')}</summary>
        <div class="filters">
          {FOLDED.map((name) => (
            <Field
              key={name}
              {...of(name)}
              label={t(`callbacks.${name}`)}
              options={choices[name] && [{ value: '', word: t('any') }, ...choices[name]]}
              hint={hints[name]}
            />
          ))}
        </div>
      </details>
    </FilterForm>
  );
}

function List({ data: { asked, isLater, page } }: CallbacksProps) {
  const { t } = useReader();
  const isFiltered = Object.keys(asked).length > 0;
  const isBulk = isFiltered && asked.search === undefined && page.items.length > 0;
  const nothing = isFiltered || isLater ? t('callbacks.none') : t('callbacks.empty');
  return (
    <>
      <Table<ArchivedCallback>
        caption={t('nav.callbacks')}
        empty={page.next === undefined ? nothing : t('callbacks.none here')}
        rows={page.items}
        keyOf={({ id }) => id}
        columns={[
          { head: t('bot'), kind: 'main', cell: (callback) => <Name callback={callback} /> },
          { head: t('callbacks.run'), kind: 'narrow', cell: ({ status }) => <RunStatus status={status} /> },
          { head: t('callbacks.told'), kind: 'narrow', cell: (callback) => <Told callback={callback} /> },
          {
            head: t('received'),
            kind: 'narrow',
            cell: ({ receivedAt }) => <Time at={receivedAt} />,
          },
          { head: t('job'), kind: 'narrow', cell: ({ jobId }) => <Job id={jobId} /> },
        ]}
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

function Name({ callback: { id, botName, botId } }: { readonly callback: ArchivedCallback }) {
  return (
    <Link to={pathTo(['callbacks', id])}>
      <BotName name={botName} id={botId} />
    </Link>
  );
}

function Job({ id }: { readonly id: string }) {
  return (
    <Link to={pathTo(['callbacks'], { job_id: id })} className="quiet">
      <ShortCode text={id} />
    </Link>
  );
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
