/** Delivering again, or being done with, all that a filter matches: what it comes to before it is done, and how far it is. */
import type {
  BulkKind,
  BulkRedelivery,
  RedeliveryFilter,
  RedeliveryTally,
} from '../../../ledger/actions/actions.ts';
import type { Actor } from '../../../ledger/history.ts';
import { filterQuery, readRedelivery, wholeNumberIn } from '../../filters.ts';
import { PostButton, PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status, type Tone } from '../parts/status.tsx';
import { type Column, Table, Terms } from '../parts/table.tsx';
import { Chips, Code, Foreign, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';

const KINDS = ['redelivered', 'dismissed'] as const satisfies readonly BulkKind[];

/** Of a form. @throws {HttpProblem} 400 */
export function bulkIn(form: URLSearchParams, reader: Reader) {
  const rule = reader.t('query.oneOf', { names: KINDS.join(', ') });
  const { filter, values } = readRedelivery(form, reader, {
    what: { read: (text) => KINDS.find((kind) => kind === text), rule },
    back: { read: (text) => text, rule: '' },
  });
  return { filter, what: values.what ?? 'redelivered' } as const;
}

/** Where it is said what it would come to. */
export function dryRunOf(filter: RedeliveryFilter): string {
  return `/redeliveries/new?${filterQuery(filter).toString()}`;
}

export const dryRunView: View = async ({ query, reader, services }) => {
  const { filter } = readRedelivery(query, reader, {});
  const tally = await services.operations.tally(filter);
  // What was looked at is what is agreed to.
  return { title: reader.t('bulk.new'), everySeconds: 0, body: <DryRun filter={filter} tally={tally} /> };
};

interface DryRunProps {
  readonly filter: RedeliveryFilter;
  readonly tally: RedeliveryTally;
}

function DryRun({ filter, tally: { messages: number, destinations, oldestAt, newestAt } }: DryRunProps) {
  const { t, formats } = useReader();
  const messages = t('bulk.messages', { number });
  if (number === 0)
    return (
      <>
        <Head title={t('bulk.new')} />
        <p class="empty">{t('bulk.nothing')}</p>
      </>
    );
  return (
    <>
      <Head title={t('bulk.new')} lead={t('bulk.new, lead')} />
      <Section>
        <Terms
          terms={[
            { term: t('bulk.meant'), details: <Meant filter={filter} /> },
            { term: t('dead.oldest'), details: <Time at={oldestAt} /> },
            { term: t('dead.newest'), details: <Time at={newestAt} /> },
          ]}
        />
        <Table
          caption={t('destination')}
          columns={[
            { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
            { head: t('dead.messages'), kind: 'number', cell: (each) => formats.number(each.messages) },
          ]}
          rows={destinations}
          keyOf={({ destination }) => destination}
        />
      </Section>
      <PostForm
        action="/act/redeliver-all"
        fields={Object.fromEntries(filterQuery(filter))}
        className="actions"
      >
        {KINDS.map((what) => (
          <button key={what} name="what" value={what} class={what === 'redelivered' ? 'primary' : 'danger'}>
            {t(`bulk.start.${what}`, { messages })}
          </button>
        ))}
      </PostForm>
    </>
  );
}

/** What a filter asks for, as chips. */
function Meant({ filter }: { readonly filter: RedeliveryFilter }) {
  const { word, formats } = useReader();
  const names = [...filterQuery(filter)].map(([name, value]) => {
    const isTime = name === 'from' || name === 'to';
    return `${word('filter', name)}: ${isTime ? formats.short(Date.parse(value)) : word(name, value)}`;
  });
  return <Chips names={names} />;
}

const TONES: Readonly<Record<BulkRedelivery['state'], Tone>> = {
  running: 'busy',
  delivering: 'busy',
  done: 'good',
  stopped: 'idle',
};

export const redeliveryView: View = async ({ params, reader, services }) => {
  const bulk = await services.operations.bulk(wholeNumberIn(params['id']) ?? 0);
  if (bulk === undefined) return undefined;
  return {
    title: reader.t(`bulk.what.${bulk.what}`),

    body: <Redelivery bulk={bulk} />,
    ...(TONES[bulk.state] === 'busy' && { everySeconds: 1 }),
  };
};

function Redelivery({ bulk }: { readonly bulk: BulkRedelivery }) {
  const reader = useReader();
  const { t } = reader;
  const { id, what, state, actor, stoppedBy } = bulk;
  return (
    <>
      <Head title={t(`bulk.what.${what}`)}>
        <span>
          {t('bulk.by')} <Who actor={actor} />
        </span>
        {stoppedBy && (
          <span>
            {t('bulk.stoppedBy')} <Who actor={stoppedBy} />
          </span>
        )}
        <Link to="/dead">{t('nav.dead')}</Link>
      </Head>
      <Table caption={t('bulk.title')} columns={columnsFor(reader)} rows={[bulk]} keyOf={() => id} />
      {state === 'running' ? <PostButton action="/act/stop" fields={{ id }} word={t('bulk.stop')} /> : null}
    </>
  );
}

function Who({ actor: { user, from } }: { readonly actor: Actor }) {
  return <Foreign text={[user, from].filter(Boolean).join(', ')} />;
}

/** The newest first. */
export function Redeliveries({ bulks }: { readonly bulks: readonly BulkRedelivery[] }) {
  const reader = useReader();
  const title = reader.t('bulk.title');
  if (bulks.length === 0) return null;
  return (
    <Section title={title}>
      <Table caption={title} columns={columnsFor(reader)} rows={bulks} keyOf={({ id }) => id} />
    </Section>
  );
}

function columnsFor({ t, formats }: Reader): readonly Column<BulkRedelivery>[] {
  const numbers = (['given', 'delivered', 'pending', 'dead'] as const).map((name) => ({
    head: name === 'given' ? t('dead.messages') : t(`bulk.${name}`),
    kind: 'number' as const,
    cell: (bulk: BulkRedelivery) => formats.number(bulk[name]),
  }));
  return [
    {
      head: t('bulk.meant'),
      kind: 'main',
      cell: ({ id, what, filter }) => (
        <>
          <Link to={pathTo(['redeliveries', id])}>{t(`bulk.what.${what}`)}</Link> <Meant filter={filter} />
        </>
      ),
    },
    {
      head: t('destinations.state'),
      cell: ({ state }) => <Status tone={TONES[state]} word={t(`bulk.${state}`)} />,
    },
    ...numbers,
    { head: t('bulk.began'), kind: 'narrow', cell: ({ startedAt }) => <Time at={startedAt} /> },
  ];
}
