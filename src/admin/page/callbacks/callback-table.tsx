/** Callbacks in a table, a row each, as lists and jobs show them. */
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import { ResultStatus, RunStatus } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { Chips } from './chips.tsx';

interface CallbackTableProps {
  readonly callbacks: readonly ArchivedCallback[];
  readonly caption: string;
  readonly empty: string;
  readonly reader: Reader;
}

export function CallbackTable({ callbacks, caption, empty, reader }: CallbackTableProps) {
  const { columns } = CALLBACKS_WORDS[reader.language];
  return (
    <Table<ArchivedCallback>
      caption={caption}
      empty={empty}
      rows={callbacks}
      keyOf={({ id }) => id}
      columns={[
        { head: columns.bot, kind: 'main', cell: (callback) => <Name callback={callback} /> },
        {
          head: columns.status,
          kind: 'narrow',
          cell: ({ status }) => <RunStatus status={status} reader={reader} />,
        },
        {
          head: columns.received,
          kind: 'narrow',
          cell: ({ receivedAt }) => <Time at={receivedAt} reader={reader} />,
        },
        { head: columns.told, cell: ({ deliveries }) => <Chips deliveries={deliveries} reader={reader} /> },
        {
          head: columns.result,
          kind: 'wrapped',
          cell: ({ result }) => <ResultStatus result={result} reader={reader} />,
        },
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
