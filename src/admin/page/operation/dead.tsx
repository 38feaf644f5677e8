/** Dead letters, grouped by destination and cause, each group to be delivered again or marked as done; and what was. */
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { Table } from '../parts/table.tsx';
import { Code, Foreign, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { dryRunOf, Redeliveries } from './redeliver.tsx';

export const deadView: View = async ({ reader: { t, formats }, services: { archive, operations } }) => {
  const groups = await archive.deadLetters();
  const bulks = await operations.bulks();
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
  return (
    <div class="actions">
      <a href={dryRunOf({ state: 'dead', destination, errorClass, errorCode })} class="button small">
        {t('dead.again')}
      </a>
      <a href={pathTo(['callbacks'], { state: 'dead', destination })}>{t('dead.list')}</a>
    </div>
  );
}
