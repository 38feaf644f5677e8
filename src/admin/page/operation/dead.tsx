/** Dead letters, grouped by destination and cause, each group to be delivered again or marked as done; and what was. */
import type { BulkRedelivery } from '../../../ledger/actions/actions.ts';
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { Head } from '../parts/layout.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { dryRunOf, Redeliveries } from './redeliver.tsx';

export const deadView: View = async ({ reader, services: { archive, operations } }) => {
  const [dead, bulks] = await Promise.all([archive.deadLetters(), operations.bulks()]);
  return { title: reader.t('nav.dead'), body: <Dead {...dead} bulks={bulks} /> };
};

interface DeadProps {
  readonly groups: readonly DeadLetters[];
  readonly isComplete: boolean;
  readonly bulks: readonly BulkRedelivery[];
}

function Dead({ groups, isComplete, bulks }: DeadProps) {
  const reader = useReader();
  const { t } = reader;
  return (
    <>
      <Head title={t('nav.dead')} lead={t('dead.lead')}>
        {isComplete ? undefined : t('dead.incomplete')}
      </Head>
      <Table
        caption={t('nav.dead')}
        columns={columnsFor(reader)}
        rows={groups}
        keyOf={({ destination, errorClass, errorCode }) => `${destination} ${errorClass} ${errorCode}`}
        empty={t('dead.none')}
      />
      {groups.length < 2 ? null : (
        <p class="actions">
          <Link to={dryRunOf({ state: 'dead' })} className="button">
            {t('dead.all')}
          </Link>
        </p>
      )}
      <Redeliveries bulks={bulks} />
    </>
  );
}

function columnsFor({ t, word, formats }: Reader): readonly Column<DeadLetters>[] {
  return [
    { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
    {
      head: t('dead.cause'),
      cell: ({ errorClass, errorCode }) => (
        <>
          <Foreign text={word('error_class', errorClass || 'none')} />
          <small>
            <Foreign text={[errorClass, errorCode].filter((part) => part !== '').join(' · ')} />
          </small>
        </>
      ),
    },
    { head: t('dead.messages'), kind: 'number', cell: ({ count }) => formats.number(count) },
    { head: t('dead.oldest'), cell: ({ oldestAt }) => <Time at={oldestAt} /> },
    { head: t('dead.newest'), cell: ({ newestAt }) => <Time at={newestAt} /> },
    { head: t('dead.actions'), cell: (group) => <WhatToDo group={group} /> },
  ];
}

function WhatToDo({ group: { destination, errorClass, errorCode } }: { readonly group: DeadLetters }) {
  const { t, word } = useReader();
  const what = `${destination}: ${word('error_class', errorClass || 'none')}`;
  return (
    <div class="actions">
      <Link
        to={dryRunOf({ state: 'dead', destination, errorClass, errorCode })}
        label={`${t('dead.again')} ${what}`}
        className="button small"
      >
        {t('dead.again')}
      </Link>
      <Link to={pathTo(['callbacks'], { state: 'dead', destination })} label={`${t('dead.list')} ${what}`}>
        {t('dead.list')}
      </Link>
    </div>
  );
}
