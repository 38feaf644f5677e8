/** The list of callbacks, its filter in its address. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ArchivedCallback, Page } from '../../../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES, type FilterName, readFilter } from '../../filters.ts';
import { FilterForm, SelectField, TextField } from '../parts/forms.tsx';
import { Paging } from '../parts/table.tsx';
import { Link, pathTo } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { SenselessQuery, type Shown, type View } from '../view.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { CallbackTable } from './callback-table.tsx';
import { useWords } from '../use-reader.ts';

const PATH = '/callbacks';

/** As the address has them, and as the form shows them again. */
const FIELDS = [
  'bot_id',
  'job_id',
  'status',
  'state',
  'result',
  'destination',
  'from',
  'to',
] as const satisfies readonly FilterName[];

type Asked = Partial<Record<(typeof FIELDS)[number], string>>;

export interface CallbacksData {
  readonly asked: Asked;
  /** This is not the first page. */
  readonly isLater: boolean;
  readonly page: Page<ArchivedCallback>;
}

export const showCallbacks: View = async ({ query, reader, services: { archive } }) => {
  const read = readFilter(query, reader);
  if (!read.isGood) throw new SenselessQuery(read.problems);
  const asked = Object.fromEntries(
    FIELDS.map((name) => [name, query.get(name)?.trim()]).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as Asked;
  const page = await archive.callbacks(read.filter, {
    before: read.page.before,
    ...(read.page.limit === undefined ? {} : { limit: read.page.limit }),
  });
  return callbacksPage({ asked, isLater: read.page.before !== undefined, page }, reader);
};

export function callbacksPage({ asked, isLater, page }: CallbacksData, reader: Reader): Shown {
  const words = CALLBACKS_WORDS[reader.language];
  const isFiltered = Object.keys(asked).length > 0;
  const body = (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <section class="panel" aria-label={words.title}>
        <Filter asked={asked} isFiltered={isFiltered} />
        <CallbackTable
          callbacks={page.items}
          caption={words.caption}
          empty={emptyText(page, isFiltered || isLater, reader)}
        />
        {isFiltered && page.items.length > 0 ? (
          <p>
            <Link to={pathTo(['redeliveries', 'new'], asked)}>{words.redeliver}</Link>
          </p>
        ) : null}
        <Paging
          newest={isLater ? pathTo(['callbacks'], asked) : undefined}
          older={page.next === undefined ? undefined : pathTo(['callbacks'], { ...asked, before: page.next })}
        />
      </section>
    </>
  );
  return { title: words.title, section: 'callbacks', body };
}

function emptyText({ next }: CallbacksData['page'], isFiltered: boolean, { language }: Reader): string {
  const words = CALLBACKS_WORDS[language];
  if (next !== undefined) return words.noneHere;
  return isFiltered ? words.noMatch : words.empty;
}

interface FilterProps {
  readonly asked: Asked;
  readonly isFiltered: boolean;
}

function Filter({ asked, isFiltered }: FilterProps) {
  const { fields, whenHint, destinationHint } = useWords(CALLBACKS_WORDS);
  const words = useWords(PAGE_WORDS);
  const text = (name: keyof Asked, placeholder?: string) => (
    <TextField
      name={name}
      label={fields[name]}
      value={asked[name]}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  );
  const select = <Value extends string>(
    name: keyof Asked,
    values: readonly Value[],
    wordOf: Readonly<Record<Value, string>>,
  ) => (
    <SelectField
      name={name}
      label={fields[name]}
      value={asked[name]}
      any={words.any}
      options={values.map((value) => ({ value, word: wordOf[value] }))}
    />
  );
  return (
    <FilterForm path={PATH} label={words.filters} isFiltered={isFiltered}>
      {text('bot_id')}
      {text('job_id')}
      {select('status', ALL_STATUSES, words.status)}
      {select('state', DELIVERY_STATES, words.state)}
      {select('result', CALLBACK_RESULTS, words.result)}
      {text('destination', destinationHint)}
      {text('from', whenHint)}
      {text('to', whenHint)}
    </FilterForm>
  );
}
