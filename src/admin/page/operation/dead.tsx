/** Dead letters, grouped by destination and cause, each group to be delivered again or marked as done. */
import type { FailureClass } from '../../../channels/failure.ts';
import type { DeadLetters } from '../../../ledger/archive/archive.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import type { View } from '../view.ts';
import { DEAD_WORDS } from '../words/dead.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { dryRunOf } from './bulk-request.ts';
import { useReader, useWords } from '../use-reader.ts';

export const deadView: View = async ({ reader, services }) => {
  const { groups, isComplete } = await services.archive.deadLetters();
  return {
    title: DEAD_WORDS[reader.language].title,
    section: 'dead',
    body: <Dead groups={groups} isComplete={isComplete} />,
  };
};

interface DeadProps {
  readonly groups: readonly DeadLetters[];
  readonly isComplete: boolean;
}

export function Dead({ groups, isComplete }: DeadProps) {
  const reader = useReader();
  const words = useWords(DEAD_WORDS);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
        {isComplete ? null : <p class="quiet">{words.incomplete}</p>}
      </div>
      <Table
        caption={words.title}
        columns={columnsFor(reader)}
        rows={groups}
        keyOf={({ destination, errorClass, errorCode }) => `${destination} ${errorClass} ${errorCode}`}
        empty={words.none}
      />
      <p class="actions">
        {groups.length > 1 ? (
          <Link to={dryRunOf({ state: 'dead' }, 'redelivered')} className="button">
            {words.all}
          </Link>
        ) : null}
        <Link to="/redeliveries">{words.redeliveries}</Link>
      </p>
    </>
  );
}

function columnsFor(reader: Reader): readonly Column<DeadLetters>[] {
  const words = DEAD_WORDS[reader.language];
  return [
    { head: words.destination, kind: 'main', cell: ({ destination }) => <Code text={destination} /> },
    { head: words.cause, cell: (group) => <Cause group={group} /> },
    { head: words.count, kind: 'number', cell: ({ count }) => reader.formats.number(count) },
    { head: words.oldest, cell: ({ oldestAt }) => <Time at={oldestAt} /> },
    { head: words.newest, cell: ({ newestAt }) => <Time at={newestAt} /> },
    { head: words.actions, cell: (group) => <WhatToDo group={group} /> },
  ];
}

interface GroupProps {
  readonly group: DeadLetters;
}

function Cause({ group: { errorClass, errorCode } }: GroupProps) {
  const reader = useReader();
  return (
    <>
      {causeInWords(errorClass, reader)}
      <small>
        <Foreign text={[errorClass, errorCode].filter((part) => part !== '').join(' · ')} />
      </small>
    </>
  );
}

function causeInWords(errorClass: string, { language }: Reader): string {
  const known: Readonly<Partial<Record<string, string>>> = PAGE_WORDS[language].errorClass satisfies Readonly<
    Record<FailureClass, string>
  >;
  return known[errorClass] ?? DEAD_WORDS[language].unrouted;
}

function WhatToDo({ group }: GroupProps) {
  const reader = useReader();
  const words = useWords(DEAD_WORDS);
  const { destination, errorClass, errorCode } = group;
  const filter = { state: 'dead', destination, errorClass, errorCode } as const;
  const about = words.one(destination, causeInWords(errorClass, reader));
  return (
    <div class="actions">
      <Link to={dryRunOf(filter, 'redelivered')} className="button small" label={`${words.again} ${about}`}>
        {words.again}
      </Link>
      <Link to={dryRunOf(filter, 'dismissed')} label={`${words.done} ${about}`}>
        {words.done}
      </Link>
      <Link to={pathTo(['callbacks'], { state: 'dead', destination })} label={`${words.list} ${about}`}>
        {words.list}
      </Link>
    </div>
  );
}
