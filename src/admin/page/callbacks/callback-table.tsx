/** Callbacks in a table, a row each, as lists and jobs show them. */
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import { ResultStatus, RunStatus } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { Chips } from './chips.tsx';
import { useWords } from '../use-reader.ts';

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
        { head: columns.received, kind: 'narrow', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
        { head: columns.told, cell: ({ deliveries }) => <Chips deliveries={deliveries} /> },
        { head: columns.result, kind: 'wrapped', cell: ({ result }) => <ResultStatus result={result} /> },
      ]}
    />
  );
}

function Name({ callback: { id, botName, botId, jobId } }: { readonly callback: ArchivedCallback }) {
  return (
    <>
      <Link to={pathTo(['callbacks', id])}>
        <BotName name={botName} id={botId} />
      </Link>
      <small>
        <Link to={pathTo(['jobs', jobId])} className="quiet">
          <Code text={jobId} />
        </Link>
      </small>
    </>
  );
}
