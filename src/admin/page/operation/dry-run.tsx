/** What redelivering all that matches would come to, before anything is done. */
import type { BulkKind, RedeliveryFilter, RedeliveryTally } from '../../../ledger/actions/actions.ts';
import { PostForm } from '../parts/forms.tsx';
import { type Column, DefinitionList, Table, type Term } from '../parts/table.tsx';
import { Code, Link } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { SenselessQuery, type View } from '../view.ts';
import { REDELIVERY_WORDS } from '../words/redeliveries.ts';
import { bulkFields, bulkFilterIn, bulkKindIn } from './bulk-request.ts';
import { Meant } from './redelivery-parts.tsx';
import { useReader, useWords } from '../use-reader.ts';

export const dryRunView: View = async ({ query, reader, services }) => {
  const read = bulkFilterIn(query, reader);
  if (!read.isGood) throw new SenselessQuery(read.problems);
  const what = bulkKindIn(query.get('what')) ?? 'redelivered';
  const tally = await services.operations.tally(read.filter);
  return {
    title: REDELIVERY_WORDS[reader.language].newTitle[what],
    section: 'dead',
    // What was looked at is what is agreed to.
    isLive: false,
    body: <DryRun filter={read.filter} what={what} tally={tally} />,
  };
};

interface DryRunProps {
  readonly filter: RedeliveryFilter;
  readonly what: BulkKind;
  readonly tally: RedeliveryTally;
}

export function DryRun({ filter, what, tally }: DryRunProps) {
  const reader = useReader();
  const words = useWords(REDELIVERY_WORDS);
  const messages = words.messages(tally.messages);
  const number = tally.isMore ? words.andMore(messages) : messages;
  return (
    <>
      <div class="head">
        <h1>{words.newTitle[what]}</h1>
        <p class="lead">{words.newLead[what]}</p>
      </div>
      <section class="panel" aria-label={words.meant}>
        <DefinitionList terms={tallyTerms(filter, tally, number, { what, reader })} />
        {tally.messages === 0 ? null : <Destinations tally={tally} />}
      </section>
      {tally.messages === 0 ? (
        <p class="empty">{words.nothing}</p>
      ) : (
        <StartForm filter={filter} what={what} number={number} />
      )}
      <p>
        <Link to="/dead">{words.toDead}</Link>
      </p>
    </>
  );
}

const MS_OF_A_MESSAGE = 1000;

function tallyTerms(
  filter: RedeliveryFilter,
  tally: RedeliveryTally,
  number: string,
  { what, reader }: { readonly what: BulkKind; readonly reader: Reader },
): readonly Term[] {
  const words = REDELIVERY_WORDS[reader.language];
  const { oldestAt, newestAt, destinations } = tally;
  const longest = Math.max(0, ...destinations.map(({ messages }) => messages));
  const time = reader.formats.duration(Math.max(1, longest) * MS_OF_A_MESSAGE);
  const age =
    oldestAt === undefined || newestAt === undefined
      ? []
      : [
          {
            term: words.howOld,
            details: words.between(reader.formats.short(oldestAt), reader.formats.short(newestAt)),
          },
        ];
  return [
    { term: words.meant, details: <Meant filter={filter} /> },
    { term: words.howMany, details: <strong>{number}</strong> },
    ...age,
    ...(what === 'redelivered' && tally.messages > 0
      ? [{ term: words.willTake, details: words.takes(time) }]
      : []),
  ];
}

function Destinations({ tally }: { readonly tally: RedeliveryTally }) {
  const reader = useReader();
  const words = useWords(REDELIVERY_WORDS);
  return (
    <Table
      caption={words.toWhom}
      columns={destinationColumns(reader)}
      rows={tally.destinations}
      keyOf={({ destination }) => destination}
      empty=""
    />
  );
}

function destinationColumns(reader: Reader): readonly Column<RedeliveryTally['destinations'][number]>[] {
  const words = REDELIVERY_WORDS[reader.language];
  return [
    { head: words.destination, kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
    { head: words.number, kind: 'number', cell: ({ messages }) => reader.formats.number(messages) },
  ];
}

interface StartFormProps {
  readonly filter: RedeliveryFilter;
  readonly what: BulkKind;
  readonly number: string;
}

function StartForm({ filter, what, number }: StartFormProps) {
  const words = useWords(REDELIVERY_WORDS);
  return (
    <PostForm action="/act/redeliver-all" className="panel">
      {bulkFields(filter, what).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name="confirmed" value="1" />
      <div class="field">
        <label for="note">{words.note}</label>
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
          {words.noteHint}
        </small>
      </div>
      <div class="actions">
        <button type="submit" class={what === 'dismissed' ? 'danger' : 'primary'}>
          {words.start[what](number)}
        </button>
      </div>
    </PostForm>
  );
}
