/** Dead letters by destination and cause, previews of bulk actions on them, and the progress of these. */
import type { BulkRedelivery, RedeliveryFilter, RedeliveryTally } from '../../../ledger/actions/actions.ts';
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { filterQuery, readRedelivery } from '../../../people/filters.ts';
import { PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Table, Term } from '../parts/table.tsx';
import { Chips, Code, Foreign, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';

export const deadView: View = async ({ reader: { t, formats }, services: { archive, people } }) => {
  const groups = await archive.deadLetters();
  const bulks = await people.bulks();
  const body = (
    <>
      <Table
        caption={t('nav.dead')}
        rows={groups}
        empty={t('dead.none')}
        columns={[
          { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
          { head: t('dead.cause'), cell: (group) => <Cause group={group} /> },
          { head: t('dead.messages'), kind: 'number', cell: ({ count }) => formats.number(count) },
          { head: t('dead.oldest'), cell: ({ oldestAt }) => <Time at={oldestAt} /> },
          { head: t('dead.newest'), cell: ({ newestAt }) => <Time at={newestAt} /> },
          { head: t('dead.actions'), cell: (group) => <WhatToDo group={group} /> },
        ]}
      />
      {groups.length < 2 ? null : (
        <p class="actions">
          <a href={dryRunOf({ state: 'dead' })} class="button">
            {t('dead.all')}
          </a>
        </p>
      )}
      {bulks.length === 0 ? null : <Redeliveries bulks={bulks} />}
    </>
  );
  const isBusy = bulks.some(({ state }) => state === 'running' || state === 'delivering');
  return { title: t('nav.dead'), lead: t('dead.lead'), body, ...(isBusy && { everySeconds: 1 }) };
};

interface OfGroup {
  readonly group: DeadLetters;
}

function Cause({ group: { errorClass, errorCode } }: OfGroup) {
  return (
    <>
      <Foreign text={useReader().word('error_class', errorClass || 'none')} />
      <small>
        <Foreign text={[errorClass, errorCode].filter(Boolean).join(' · ')} />
      </small>
    </>
  );
}

function WhatToDo({ group: { destination, errorClass, errorCode } }: OfGroup) {
  const { t } = useReader();
  const filter = { state: 'dead', destination, errorClass, errorCode } as const;
  return (
    <div class="actions">
      <a href={dryRunOf(filter)} class="button small">
        {t('dead.again')}
      </a>
      <a href={`/callbacks?${filterQuery(filter).toString()}`}>{t('dead.list')}</a>
    </div>
  );
}

/** The path of the preview, from which the bulk action is started. */
function dryRunOf(filter: RedeliveryFilter): string {
  return `/redeliveries/new?${filterQuery(filter).toString()}`;
}

export const dryRunView: View = async ({ query, reader, services }) => {
  const { t } = reader;
  const { filter } = readRedelivery(query, reader);
  const tally = await services.people.tally(filter);
  const lead = t(tally.messages === 0 ? 'bulk.nothing' : 'bulk.new, lead');
  const body = tally.messages === 0 ? null : <DryRun filter={filter} tally={tally} />;
  // No refresh, so that the numbers do not change before the reader confirms them.
  return { title: t('bulk.new'), lead, everySeconds: 0, body };
};

interface DryRunProps {
  readonly filter: RedeliveryFilter;
  readonly tally: RedeliveryTally;
}

function DryRun({ filter, tally }: DryRunProps) {
  const { t, formats } = useReader();
  const { destinations, oldestAt, newestAt } = tally;
  const messages = t('bulk.messages', { number: tally.messages });
  return (
    <>
      <Section>
        <dl class="terms">
          <Term of={t('bulk.meant')}>
            <Meant filter={filter} />
          </Term>
          <Term of={t('dead.oldest')}>
            <Time at={oldestAt} />
          </Term>
          <Term of={t('dead.newest')}>
            <Time at={newestAt} />
          </Term>
        </dl>
        <Table
          caption={t('destination')}
          rows={destinations}
          columns={[
            { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
            { head: t('dead.messages'), kind: 'number', cell: (each) => formats.number(each.messages) },
          ]}
        />
      </Section>
      <PostForm
        action="/act/redeliver-all"
        fields={{ ...Object.fromEntries(filterQuery(filter)), back: '/dead' }}
        className="actions"
      >
        <button name="what" value="redelivered" class="primary">
          {t('bulk.start.redelivered', { messages })}
        </button>
        <button name="what" value="dismissed" class="danger">
          {t('bulk.start.dismissed', { messages })}
        </button>
      </PostForm>
    </>
  );
}

/** A filter's conditions as chips. */
function Meant({ filter }: { readonly filter: RedeliveryFilter }) {
  const { word, formats } = useReader();
  const names = [...filterQuery(filter)].map(([name, value]) => {
    const isTime = name === 'from' || name === 'to';
    return `${word('filter', name)}: ${isTime ? formats.short(Date.parse(value)) : word(name, value)}`;
  });
  return <Chips names={names} />;
}

const TONES = { running: 'busy', delivering: 'busy', done: 'good', stopped: 'idle' } as const;

interface RedeliveriesProps {
  /** Newest first. */
  readonly bulks: readonly BulkRedelivery[];
}

function Redeliveries({ bulks }: RedeliveriesProps) {
  const { t, formats } = useReader();
  const numbers = (['given', 'delivered', 'pending', 'dead'] as const).map((name) => ({
    head: t(`bulk.${name}`),
    kind: 'number' as const,
    cell: (bulk: BulkRedelivery) => formats.number(bulk[name]),
  }));
  return (
    <Section title={t('bulk.title')}>
      <Table
        caption={t('bulk.title')}
        rows={bulks}
        columns={[
          { head: t('bulk.meant'), kind: 'main', cell: ({ filter }) => <Meant filter={filter} /> },
          { head: t('destinations.state'), cell: (bulk) => <Standing bulk={bulk} /> },
          ...numbers,
          { head: t('bulk.began'), kind: 'narrow', cell: (bulk) => <Begun bulk={bulk} /> },
        ]}
      />
    </Section>
  );
}

interface OfBulk {
  readonly bulk: BulkRedelivery;
}

function Standing({ bulk: { id, what, state } }: OfBulk) {
  const { t } = useReader();
  return (
    <>
      <Status tone={TONES[state]} word={t(`bulk.${state}`)} />
      <small>{t(`bulk.what.${what}`)}</small>
      {state === 'running' ? (
        <PostButton action="/act/stop" fields={{ id }} word={t('bulk.stop')} kind="small" />
      ) : null}
    </>
  );
}

function Begun({ bulk: { startedAt, actor } }: OfBulk) {
  return (
    <>
      <Time at={startedAt} />
      <small>
        <Foreign text={[actor.user, actor.from].filter(Boolean).join(', ')} />
      </small>
    </>
  );
}
