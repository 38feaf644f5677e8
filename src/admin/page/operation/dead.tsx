/** Dead letters by destination and cause, previews of bulk actions on them, and the progress of these. */
import type { BulkRedelivery, RedeliveryTally } from '../../../ledger/deliveries/by-hand.ts';
import { COMMON_PAGE } from '../../../ledger/archive/stories.ts';
import { failureInWords } from '../../../channels/failure.ts';
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { filterQuery, pageAfter, readRedelivery } from '../../../people/filters.ts';
import { PostButton, PostForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Chips, Code, Foreign, Gist, NextPage, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

export const deadView: View = async ({ query, reader: { t }, services: { archive } }) => {
  const page = { after: query.get('after') ?? '', limit: COMMON_PAGE };
  const all = await archive.deadLetters();
  const { items: groups, next } = pageAfter(all, queryOf, page);
  const bulks = await archive.bulks();
  const body = (
    <>
      <Table caption="nav.dead" rows={groups} empty="dead.none" columns={GROUPS} />
      <NextPage of="dead" after={next} />
      {all.length < 2 ? null : (
        <p class="actions">
          <a href="/redeliveries/new?state=dead" class="button">
            {t('dead.all')}
          </a>
        </p>
      )}
      {bulks.length === 0 ? null : (
        <Section title={t('bulk.title')}>
          <Table caption="bulk.title" rows={bulks} columns={BULKS} />
        </Section>
      )}
    </>
  );
  return { title: t('nav.dead'), lead: t('dead.lead'), body };
};

/** The query of a group's deliveries, which is different for each group. */
function queryOf({ destination, errorClass, errorCode }: DeadLetters): string {
  return filterQuery({ state: 'dead', destination, errorClass, errorCode }).toString();
}

const GROUPS: Columns<DeadLetters> = [
  ['destination', ({ destination }) => <Code text={destination} />, 'main'],
  ['dead.cause', causeOf],
  ['messages', ({ count }) => count, 'number'],
  ['dead.oldest', ({ oldestAt }) => <Time at={oldestAt} />],
  ['dead.newest', ({ newestAt }) => <Time at={newestAt} />],
  ['dead.actions', actionsOn],
];

function causeOf({ errorClass, errorCode, lastError }: DeadLetters, { word, language }: Reader) {
  const said = lastError && `${errorCode}: ${failureInWords(lastError, language)}`;
  return (
    <>
      <Foreign text={word('error_class', errorClass || 'none')} />
      <Gist text={said ?? errorCode} />
    </>
  );
}

function actionsOn(group: DeadLetters, { t }: Reader) {
  const { destination } = group;
  return (
    <div class="actions">
      <a href={`/redeliveries/new?${queryOf(group)}`} class="button small">
        {t('dead.again')}
      </a>
      <PostButton action="/act/test" fields={{ destination }} kind="small" word={t('destinations.send')} />
      <a href={`/callbacks?${queryOf(group)}`}>{t('dead.list')}</a>
    </div>
  );
}

export const dryRunView: View = async ({ query, reader, services }) => {
  const { t } = reader;
  const { filter } = readRedelivery(query, reader);
  const tally = await services.archive.tally(filter, 'dismissed');
  const { messages: again } = await services.archive.tally(filter, 'redelivered');
  const lead = t(again === 0 ? 'bulk.nothing' : 'bulk.new, lead');
  const body = tally.messages === 0 ? null : <DryRun filter={filter} again={again} {...tally} />;
  // No refresh: the numbers must not change before the reader confirms them.
  return { title: t('bulk.new'), lead, isStill: true, body };
};

/** @param props `again`: how many of them can be delivered again; the others are no longer true */
function DryRun({ filter, again, ...tally }: Meant & { readonly again: number }) {
  const { t } = useReader();
  const messages = (number: number) => t('bulk.messages', { number });
  return (
    <>
      <Section>
        <Table caption="bulk.meant" rows={[{ filter, ...tally }]} columns={MEANT} />
        <Table caption="destination" rows={tally.destinations} columns={DESTINATIONS} />
      </Section>
      <PostForm
        action="/act/redeliver-all"
        fields={{ ...Object.fromEntries(filterQuery(filter)), as_of: tally.asOf, back: '/dead' }}
        className="actions"
      >
        {again === 0 ? null : (
          <button name="what" value="redelivered" class="primary">
            {t('bulk.start.redelivered', { messages: messages(again) })}
          </button>
        )}
        <button name="what" value="dismissed" class="status bad">
          {t('bulk.start.dismissed', { messages: messages(tally.messages) })}
        </button>
      </PostForm>
    </>
  );
}

type Meant = Pick<BulkRedelivery, 'filter'> & RedeliveryTally;

const MEANT: Columns<Meant> = [
  ['bulk.meant', conditionsOf, 'main'],
  ['dead.oldest', ({ oldestAt }) => <Time at={oldestAt} />],
  ['dead.newest', ({ newestAt }) => <Time at={newestAt} />],
];

const DESTINATIONS: Columns<RedeliveryTally['destinations'][number]> = [
  ['destination', ({ destination }) => <Code text={destination} />, 'main'],
  ['messages', ({ messages }) => messages, 'number'],
];

/** A filter's conditions as chips. */
function conditionsOf({ filter }: Pick<BulkRedelivery, 'filter'>, { word, formats }: Reader) {
  const names = [...filterQuery(filter)].map(([name, value]) => {
    const isTime = name === 'from' || name === 'to';
    return `${word('filter', name)}: ${isTime ? formats.short(Date.parse(value)) : word(name, value)}`;
  });
  return <Chips of={names} />;
}

const TONES = { running: 'busy', delivering: 'busy', done: 'good', stopped: 'idle' } as const;

const BULKS: Columns<BulkRedelivery> = [
  ['bulk.meant', conditionsOf, 'main'],
  ['status', progressOf],
  ['messages', ({ given }) => given, 'number'],
  ['state.delivered', ({ delivered }) => delivered, 'number'],
  ['state.pending', ({ pending }) => pending, 'number'],
  ['state.dead', ({ dead }) => dead, 'number'],
  ['started', startOf, 'narrow'],
];

function progressOf({ id, what, state }: BulkRedelivery, { t }: Reader) {
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

function startOf({ startedAt, actor }: BulkRedelivery) {
  return (
    <>
      <Time at={startedAt} />
      <Gist text={[actor.user, actor.from].filter(Boolean).join(', ')} />
    </>
  );
}
