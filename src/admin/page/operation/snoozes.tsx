/** Snoozes: what nobody is told of for a while, until when, who asked for it and why; how one ends, and how one begins. */
import { destinationsOf } from '../../../route/router.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';

export const snoozesView: View = async ({ query, reader, services: { operations, drawing } }) => {
  const { t } = reader;
  const snoozes = await operations.snoozes();
  const destinations = destinationsOf(drawing().config).map(({ destination }) => destination);
  const body = (
    <>
      <Head title={t('nav.snoozes')} lead={t('snoozes.lead')} />
      <Section>
        <Table
          caption={t('nav.snoozes')}
          columns={columnsFor(reader)}
          rows={snoozes}
          keyOf={({ id }) => id}
          empty={t('snoozes.none')}
        />
      </Section>
      <Section title={t('snoozes.new')}>
        <NewSnooze asked={query} destinations={destinations} />
      </Section>
    </>
  );
  return { title: t('nav.snoozes'), body };
};

interface NewSnoozeProps {
  /** What the form is filled with. */
  readonly asked: URLSearchParams;
  readonly destinations: readonly string[];
}

function NewSnooze({ asked, destinations }: NewSnoozeProps) {
  const { t } = useReader();
  const of = (name: string) => ({
    name,
    label: t(`snoozes.${name}` as 'snoozes.time'),
    value: asked.get(name) ?? '',
  });
  const given = of('destination');
  const known = [...new Set([...destinations, given.value])].filter((name) => name !== '');
  return (
    <PostForm action="/act/snooze" className="filters">
      <Field {...of('bot_id')} hint={t('snoozes.bot_id, what')} />
      <Field {...given} options={[['', t('any')], ...known.map((name) => [name, name] as const)]} />
      <Field
        {...of('until')}
        options={[
          ['tomorrow', t('snoozes.tomorrow')],
          ['next-success', t('snoozes.next-success')],
        ]}
      />
      <Field {...of('time')} isTime />
      <Field {...of('because')} />
      <div class="actions">
        <button type="submit" class="primary">
          {t('snoozes.begin')}
        </button>
      </div>
    </PostForm>
  );
}

function columnsFor({ t, formats }: Reader): readonly Column<KeptSnooze>[] {
  return [
    {
      head: t('bot'),
      kind: 'main',
      cell: ({ botId }) =>
        botId === undefined ? t('any') : <Link to={pathTo(['bots', botId])}>{<Foreign text={botId} />}</Link>,
    },
    {
      head: t('destination'),
      cell: ({ destination }) => (destination === undefined ? t('any') : <Code text={destination} />),
    },
    { head: t('snoozes.until'), cell: (snooze) => <End snooze={snooze} /> },
    { head: t('snoozes.because'), cell: ({ because }) => <Foreign text={because || '–'} /> },
    { head: t('snoozes.by'), cell: ({ by }) => <Foreign text={by} /> },
    { head: t('snoozes.held'), kind: 'number', cell: ({ held }) => formats.number(held) },
    {
      head: t('snoozes.end'),
      kind: 'narrow',
      cell: ({ id, botId, destination = '' }) => (
        <PostButton
          action="/act/end-snooze"
          fields={{ id }}
          kind="small"
          word={t('snoozes.end')}
          label={t('callback.of', { word: t('snoozes.end'), destination: `${botId ?? ''} ${destination}` })}
        />
      ),
    },
  ];
}

function End({ snooze: { until, untilSuccess } }: { readonly snooze: KeptSnooze }) {
  const { t } = useReader();
  return (
    <>
      {untilSuccess ? `${t('snoozes.at most')} ` : ''}
      <Time at={until} />
    </>
  );
}

interface SnoozedProps {
  readonly snoozes: readonly KeptSnooze[];
  /** The BOT or destination that the reader looks at. */
  readonly of: string;
}

/** Where it matters: each in a line. */
export function Snoozed({ snoozes, of }: SnoozedProps) {
  const { t } = useReader();
  if (snoozes.length === 0) return null;
  return (
    <ul class="snoozes">
      {snoozes.map((snooze) => (
        <li key={snooze.id} class="facts">
          <Link to="/snoozes">{t('snoozed')}</Link>
          {[snooze.botId, snooze.destination].map((each) =>
            each === undefined || each === of ? null : <Code key={each} text={each} />,
          )}
          <span>
            <End snooze={snooze} />
          </span>
          <Foreign text={[snooze.by, snooze.because].filter(Boolean).join(': ')} />
        </li>
      ))}
    </ul>
  );
}
