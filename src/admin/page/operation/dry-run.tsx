/** What redelivering all that matches would come to, before anything is done. */
import type { BulkKind, RedeliveryFilter, RedeliveryTally } from '../../../ledger/actions/actions.ts';
import { PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { DefinitionList, Table, type Term } from '../parts/table.tsx';
import { Code, Link } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import { refuseParameters } from '../../parameters.ts';
import type { View } from '../view.ts';
import { bulkFields, bulkFilterIn, bulkKindIn } from './bulk-request.ts';
import { Meant } from './redeliveries.tsx';

export const dryRunView: View = async ({ query, reader, services }) => {
  const read = bulkFilterIn(query, reader);
  if (!read.isGood) return refuseParameters(read.problems);
  const what = bulkKindIn(query);
  const tally = await services.operations.tally(read.filter);
  return {
    title: reader.t(`bulk.new.${what}`),
    section: 'dead',
    // What was looked at is what is agreed to.
    everySeconds: 0,
    body: <DryRun filter={read.filter} what={what} tally={tally} />,
  };
};

interface DryRunProps {
  readonly filter: RedeliveryFilter;
  readonly what: BulkKind;
  readonly tally: RedeliveryTally;
}

function DryRun({ filter, what, tally }: DryRunProps) {
  const reader = useReader();
  const { t } = reader;
  const counted = t('bulk.messages', { number: tally.messages });
  const messages = tally.isMore ? t('bulk.orMore', { messages: counted }) : counted;
  return (
    <>
      <Head title={t(`bulk.new.${what}`)} lead={t(`bulk.newLead.${what}`)} />
      <Section>
        <DefinitionList
          terms={[
            { term: t('bulk.meant'), details: <Meant filter={filter} /> },
            { term: t('dead.messages'), details: <strong>{messages}</strong> },
            ageOf(tally, reader),
          ]}
        />
        {tally.messages === 0 ? null : <Destinations tally={tally} />}
      </Section>
      {tally.messages === 0 ? (
        <p class="empty">{t('bulk.nothing')}</p>
      ) : (
        <StartForm filter={filter} what={what} messages={messages} />
      )}
      <p>
        <Link to="/dead">{t('nav.dead')}</Link>
      </p>
    </>
  );
}

function ageOf({ oldestAt, newestAt }: RedeliveryTally, { t, formats }: Reader): Term | undefined {
  if (oldestAt === undefined || newestAt === undefined) return undefined;
  const times = { oldest: formats.short(oldestAt), newest: formats.short(newestAt) };
  return { term: t('bulk.age'), details: t('bulk.between', times) };
}

function Destinations({ tally: { destinations } }: Pick<DryRunProps, 'tally'>) {
  const { t, formats } = useReader();
  return (
    <Table
      caption={t('destination')}
      columns={[
        { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
        { head: t('dead.messages'), kind: 'number', cell: ({ messages }) => formats.number(messages) },
      ]}
      rows={destinations}
      keyOf={({ destination }) => destination}
      empty=""
    />
  );
}

interface StartFormProps extends Omit<DryRunProps, 'tally'> {
  /** How many. */
  readonly messages: string;
}

function StartForm({ filter, what, messages }: StartFormProps) {
  const { t } = useReader();
  const fields = bulkFields(filter, what);
  return (
    <PostForm action="/act/redeliver-all" className="panel" fields={fields}>
      <div class="field">
        <label for="note">{t('bulk.note')}</label>
        <input
          id="note"
          name="note"
          type="text"
          maxLength={500}
          dir="auto"
          autocomplete="off"
          aria-describedby="note-hint"
        />
        <small id="note-hint" class="quiet">
          {t('bulk.noteHint')}
        </small>
      </div>
      <div class="actions">
        <button type="submit" class={what === 'dismissed' ? 'danger' : 'primary'}>
          {t(`bulk.start.${what}`, { messages })}
        </button>
      </div>
    </PostForm>
  );
}
