/** Dead letters, grouped by destination and cause, each group to be delivered again or marked as done. */
import { FAILURE_CLASSES } from '../../../channels/failure.ts';
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { Head } from '../parts/layout.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { dryRunOf } from './bulk-request.ts';

export const deadView: View = async ({ reader, services }) => {
  const dead = await services.archive.deadLetters();
  return { title: reader.t('nav.dead'), section: 'dead', body: <Dead {...dead} /> };
};

interface DeadProps {
  readonly groups: readonly DeadLetters[];
  readonly isComplete: boolean;
}

function Dead({ groups, isComplete }: DeadProps) {
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
      <p class="actions">
        {groups.length > 1 ? (
          <Link to={dryRunOf({ state: 'dead' }, 'redelivered')} className="button">
            {t('dead.all')}
          </Link>
        ) : null}
        <Link to="/redeliveries">{t('bulk.title')}</Link>
      </p>
    </>
  );
}

function columnsFor(reader: Reader): readonly Column<DeadLetters>[] {
  const { t, formats } = reader;
  return [
    { head: t('destination'), kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
    { head: t('dead.cause'), cell: (group) => <Cause group={group} /> },
    { head: t('dead.messages'), kind: 'number', cell: ({ count }) => formats.number(count) },
    { head: t('dead.oldest'), cell: ({ oldestAt }) => <Time at={oldestAt} /> },
    { head: t('dead.newest'), cell: ({ newestAt }) => <Time at={newestAt} /> },
    { head: t('dead.actions'), cell: (group) => <WhatToDo group={group} /> },
  ];
}

interface GroupProps {
  readonly group: DeadLetters;
}

function Cause({ group: { errorClass, errorCode } }: GroupProps) {
  return (
    <>
      {causeInWords(errorClass, useReader())}
      <small>
        <Foreign text={[errorClass, errorCode].filter((part) => part !== '').join(' · ')} />
      </small>
    </>
  );
}

function causeInWords(errorClass: string, { t }: Reader): string {
  const known = FAILURE_CLASSES.find((name) => name === errorClass);
  return known === undefined ? t('dead.unrouted') : t(`errorClass.${known}`);
}

function WhatToDo({ group: { destination, errorClass, errorCode } }: GroupProps) {
  const reader = useReader();
  const { t } = reader;
  const filter = { state: 'dead', destination, errorClass, errorCode } as const;
  const about = t('dead.of', { destination, cause: causeInWords(errorClass, reader) });
  const link = (to: string, word: string, className?: string) => (
    <Link to={to} label={`${word} ${about}`} {...(className && { className })}>
      {word}
    </Link>
  );
  return (
    <div class="actions">
      {link(dryRunOf(filter, 'redelivered'), t('dead.again'), 'button small')}
      {link(dryRunOf(filter, 'dismissed'), t('dead.done'))}
      {link(pathTo(['callbacks'], { state: 'dead', destination }), t('dead.list'))}
    </div>
  );
}
