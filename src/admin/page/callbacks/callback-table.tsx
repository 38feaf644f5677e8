/** Callbacks in a table, a row each, as lists and jobs show them. */
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import { ResultStatus, RunStatus, Status, stateWord, toneOf } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader, useWords } from '../use-reader.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';

interface CallbackTableProps {
  readonly callbacks: readonly ArchivedCallback[];
  readonly caption: string;
  readonly empty: string;
}

export function CallbackTable({ callbacks, caption, empty }: CallbackTableProps) {
  const { columns } = useWords(CALLBACKS_WORDS);
  return (
    <Table<ArchivedCallback>
      caption={caption}
      empty={empty}
      rows={callbacks}
      keyOf={({ id }) => id}
      columns={[
        { head: columns.bot, kind: 'main', cell: (callback) => <Name callback={callback} /> },
        { head: columns.status, kind: 'narrow', cell: ({ status }) => <RunStatus status={status} /> },
        { head: columns.told, cell: (callback) => <Told callback={callback} /> },
        { head: columns.received, kind: 'narrow', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
        { head: columns.job, kind: 'narrow', cell: ({ jobId }) => <Job id={jobId} /> },
      ]}
    />
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
    <Link to={pathTo(['jobs', id])} className="short quiet">
      <Code text={id} />
    </Link>
  );
}

/** What is worst of its deliveries, and of how many they are. */
const WORST_FIRST = ['dead', 'pending', 'held', 'delivered'] as const;

function Told({ callback: { deliveries, result } }: { readonly callback: ArchivedCallback }) {
  const reader = useReader();
  const { told } = useWords(CALLBACKS_WORDS);
  const worst = WORST_FIRST.map((state) => deliveries.find((each) => each.state === state)).find(Boolean);
  if (worst === undefined) return <ResultStatus result={result} />;
  const delivered = deliveries.filter((each) => toneOf(each) === 'good').length;
  return (
    <>
      <Status tone={toneOf(worst)} word={told(delivered, deliveries.length)} />
      {toneOf(worst) === 'good' ? null : <span class="quiet"> {stateWord(worst, reader)}</span>}
    </>
  );
}
