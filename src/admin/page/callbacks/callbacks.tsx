/** The list of callbacks, its filter in its address. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ArchivedCallback, Page } from '../../../ledger/archive/archive.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES, type FilterName, readFilter } from '../../filters.ts';
import { Field, FilterForm } from '../parts/forms.tsx';
import { Paging } from '../parts/table.tsx';
import { Link, pathTo } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { useWords } from '../use-reader.ts';
import { type QueryProblem, SenselessQuery, type Shown, type View } from '../view.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { CallbackTable } from './callback-table.tsx';

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
  /** Of fields of the form: nothing is listed then. */
  readonly problems: readonly QueryProblem[];
  /** This is not the first page. */
  readonly isLater: boolean;
  readonly page: Page<ArchivedCallback>;
}

export const showCallbacks: View = async ({ query, reader, services: { archive } }) => {
  const given = FIELDS.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  const asked: Asked = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const read = readFilter(query, reader);
  if (read.isGood) {
    const page = await archive.callbacks(read.filter, read.page);
    return callbacksPage({ asked, problems: [], isLater: read.page.before !== undefined, page }, reader);
  }
  const isOfField = ({ parameter }: QueryProblem) => FIELDS.some((name) => name === parameter);
  if (!read.problems.every(isOfField)) throw new SenselessQuery(read.problems);
  const page = { items: [], next: undefined };
  return { ...callbacksPage({ asked, problems: read.problems, isLater: false, page }, reader), status: 400 };
};

export function callbacksPage(data: CallbacksData, reader: Reader): Shown {
  const { asked, problems, isLater, page } = data;
  const words = CALLBACKS_WORDS[reader.language];
  const isFiltered = Object.keys(asked).length > 0;
  const list = (
    <>
      <CallbackTable
        callbacks={page.items}
        caption={words.caption}
        empty={emptyText(page, isFiltered || isLater, reader)}
      />
      {isFiltered && page.items.length > 0 && asked.state !== 'pending' && asked.state !== 'delivered' ? (
        <p>
          <Link to={pathTo(['redeliveries', 'new'], asked)}>{words.redeliver}</Link>
        </p>
      ) : null}
      <Paging
        newest={isLater ? pathTo(['callbacks'], asked) : undefined}
        older={page.next === undefined ? undefined : pathTo(['callbacks'], { ...asked, before: page.next })}
      />
    </>
  );
  const body = (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <section class="panel" aria-label={words.title}>
        <Filter data={data} isFiltered={isFiltered} />
        {problems.length === 0 ? list : null}
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
  readonly data: CallbacksData;
  readonly isFiltered: boolean;
}

function Filter({ data: { asked, problems }, isFiltered }: FilterProps) {
  const { fields, whenHint, destinationHint } = useWords(CALLBACKS_WORDS);
  const words = useWords(PAGE_WORDS);
  const of = (name: keyof Asked) => ({
    name,
    label: fields[name],
    value: asked[name],
    problem: problems.find(({ parameter }) => parameter === name)?.detail,
  });
  const choices = (wordOf: Readonly<Record<string, string>>, values: readonly string[]) =>
    ['', ...values].map((value) => ({ value, word: wordOf[value] ?? words.any }));
  return (
    <details open={isFiltered}>
      <summary>{words.filters}</summary>
      <FilterForm path="/callbacks" isFiltered={isFiltered}>
        <Field {...of('bot_id')} />
        <Field {...of('job_id')} />
        <Field {...of('status')} options={choices(words.status, ALL_STATUSES)} />
        <Field {...of('state')} options={choices(words.state, DELIVERY_STATES)} />
        <Field {...of('result')} options={choices(words.result, CALLBACK_RESULTS)} />
        <Field {...of('destination')} hint={destinationHint} />
        <Field {...of('from')} hint={whenHint} />
        <Field {...of('to')} hint={whenHint} />
      </FilterForm>
    </details>
  );
}
