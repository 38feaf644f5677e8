/** The list of callbacks, with its filter in the URL. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ArchivedCallback, Page } from '../../../ledger/archive/archive.ts';
import { CALLBACK_KINDS, CALLBACK_RESULTS, DELIVERY_STATES } from '../../../ledger/ledger.ts';
import { FAILURE_CLASSES } from '../../../channels/failure.ts';
import { readFilter } from '../../../people/filters.ts';
import { outcomeInWords, refusedOutcome } from '../../../people/outcomes.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { standingOf, type Tone } from '../../../story/standing.ts';
import { KindStatus, standingWord, Status } from '../parts/status.tsx';
import { BotName, Gist, JobLink, LinkLine, NextPage, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

/** Fields as given in the URL, to be shown in the form. */
const FOLDED = [
  ...(['kind', 'bot_id', 'job_id', 'status', 'state', 'result', 'destination', 'from', 'to'] as const),
  ...(['error_class', 'error_code'] as const),
];
const FIELDS = ['search', ...FOLDED] as const;
type FieldName = (typeof FIELDS)[number];

interface CallbacksProps {
  readonly asked: Partial<Record<FieldName, string>>;
  readonly limit: number | undefined;
  /** Undefined if the filter is refused. */
  readonly page: Page<ArchivedCallback> | undefined;
}

export const showCallbacks: View = async ({ query, reader, services: { archive } }) => {
  const textOf = (name: FieldName) => query.get(name) ?? '';
  // Blanks around an id are part of it.
  const given = FIELDS.map(
    (name) => [name, name.endsWith('_id') ? textOf(name) : textOf(name).trim()] as const,
  );
  const asked = Object.fromEntries(given.filter(([, value]) => value.trim() !== ''));
  const title = reader.t('nav.callbacks');
  try {
    const { filter, page: wanted } = readFilter(query, reader);
    const page = await archive.callbacks(filter, wanted);
    return { title, body: <Callbacks asked={asked} limit={wanted.limit} page={page} /> };
  } catch (error) {
    const lead = outcomeInWords(refusedOutcome(error), reader.language);
    return { title, lead, status: 400, body: <Callbacks asked={asked} limit={undefined} page={undefined} /> };
  }
};

function Callbacks({ asked, limit, page }: CallbacksProps) {
  const { t } = useReader();
  const { items = [], next } = page ?? {};
  const isBulk = asked.search === undefined && Object.keys(asked).length > 0 && items.length > 0;
  return (
    <Section>
      <Filter asked={asked} />
      {page === undefined ? null : <CallbackTable rows={items} wanted={asked} />}
      {isBulk && asked.state !== 'pending' && asked.state !== 'delivered' ? (
        <LinkLine href={pathTo(['redeliveries', 'new'], asked)} word={t('callbacks.redeliver')} />
      ) : null}
      <NextPage of="callbacks" query={{ ...asked, limit }} before={next} />
    </Section>
  );
}

function Filter({ asked }: Pick<CallbacksProps, 'asked'>) {
  const { t } = useReader();
  const when = t('callbacks.when');
  const hints: Partial<Record<FieldName, string>> = { destination: 'slack:#ops', from: when, to: when };
  const choices = {
    kind: CALLBACK_KINDS.map((value) => [value, t(`kind.${value}`)] as const),
    status: ALL_STATUSES.map((value) => [value, t(`status.${value}`)] as const),
    state: DELIVERY_STATES.map((value) => [value, t(`state.${value}`)] as const),
    result: CALLBACK_RESULTS.map((value) => [value, t(`result.${value}`)] as const),
    error_class: FAILURE_CLASSES.map((value) => [value, t(`error_class.${value}`)] as const),
  };
  const field = (name: FieldName) => ({
    name,
    label: t(`filter.${name}`),
    value: asked[name],
    hint: hints[name],
    options: name in choices ? [['', t('any')] as const, ...choices[name as 'kind']] : undefined,
  });
  const isFolded = Object.keys(asked).every((name) => name === 'search');
  return (
    <FilterForm path="/callbacks" isFiltered={Object.keys(asked).length > 0}>
      <Field {...field('search')} hint={t('filter.search, what')} />
      <details open={!isFolded}>
        <summary>{t('filters')}</summary>
        <div class="filters">
          {FOLDED.map((name) => (
            <Field {...field(name)} key={name} />
          ))}
        </div>
      </details>
    </FilterForm>
  );
}

/** Which deliveries the filter asks for; all, if it names neither a state nor a destination. */
interface Wanted {
  readonly state?: string | undefined;
  readonly destination?: string | undefined;
}

interface CallbackTableProps {
  readonly rows: readonly ArchivedCallback[];
  readonly wanted: Wanted;
}

export function CallbackTable({ rows, wanted }: CallbackTableProps) {
  return <Table caption="nav.callbacks" empty="callbacks.none" rows={rows} columns={columnsFor(wanted)} />;
}

const columnsFor = (wanted: Wanted): Columns<ArchivedCallback> => [
  ['bot', linkTo, 'main'],
  ['callbacks.run', (callback) => <KindStatus callback={callback} />, 'narrow'],
  ['callbacks.told', (callback, reader) => toldOf(callback, wanted, reader), 'narrow'],
  ['received', ({ receivedAt }) => <Time at={receivedAt} />, 'narrow'],
  ['job', ({ jobId }) => (jobId === '' ? null : <JobLink id={jobId} />), 'narrow'],
];

function linkTo({ id, botName, botId, gist }: ArchivedCallback) {
  return (
    <>
      <a href={pathTo(['callbacks', id])}>
        <BotName name={botName} id={botId} />
      </a>
      <Gist text={gist} />
    </>
  );
}

const WORST_FIRST: readonly Tone[] = ['bad', 'wait', 'idle', 'good'];

/** The worst standing among the wanted deliveries of a callback; if not all of its deliveries have it, also how many do. */
function toldOf({ deliveries, result }: ArchivedCallback, wanted: Wanted, reader: Reader) {
  const { state, destination } = wanted;
  const standings = deliveries
    .filter((each) => (state ?? each.state) === each.state)
    .filter((each) => (destination ?? each.destination) === each.destination)
    .map((each) => standingOf(each, reader.now));
  const worst = WORST_FIRST.map((tone) => standings.find((each) => each.tone === tone)).find(Boolean);
  if (worst === undefined) return <Status tone="idle" word={reader.t(`result.${result ?? 'none'}`)} />;
  const word = standingWord(worst, reader);
  const some = standings.filter((each) => standingWord(each, reader) === word).length;
  const all = deliveries.length;
  const part = reader.t('callbacks.told, of', { word, some, all });
  return <Status tone={worst.tone} word={some === all ? word : part} />;
}
