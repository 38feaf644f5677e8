/** The list of snoozes with a button to end each, and the form to begin one. */
import { destinationsOf } from '../../../route/router.ts';
import type { KeptSnooze } from '../../../ledger/timers/timers.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { Code, Foreign, NextPage, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

export const snoozesView: View = async ({ query, reader: { t }, services: { archive, drawing } }) => {
  const { items, next } = await archive.snoozes({ before: wholeNumberIn(query.get('before')) });
  const destinations = [...destinationsOf(drawing().config).keys()];
  const body = (
    <>
      <Section>
        <Table caption="nav.snoozes" rows={items} empty="snoozes.none" columns={COLUMNS} />
        <NextPage of="snoozes" before={next} />
      </Section>
      <Section title={t('snoozes.new')}>
        <NewSnooze asked={query} destinations={destinations} />
      </Section>
    </>
  );
  return { title: t('nav.snoozes'), lead: t('snoozes.lead'), body };
};

const ENDS = ['1h', '4h', 'tomorrow', 'next-success'] as const;

const COLUMNS: Columns<KeptSnooze> = [
  ['bot', ({ botId }, { t }) => <Foreign text={botId ?? t('any')} />, 'main'],
  ['destination', ({ destination }, { t }) => <Code text={destination ?? t('any')} />],
  ['snoozes.until', endOf],
  ['snoozes.because', ({ because }) => <Foreign text={because || '–'} />],
  ['snoozes.by', ({ by }) => <Foreign text={by} />],
  ['state.held', ({ held }) => held, 'number'],
  [
    'snoozes.end',
    ({ id }, { t }) => (
      <PostButton action="/act/end-snooze" fields={{ id }} kind="small" word={t('snoozes.end')} />
    ),
    'narrow',
  ],
];

function endOf({ until, isUntilSuccess }: KeptSnooze, { t }: Reader) {
  return (
    <>
      {isUntilSuccess ? `${t('snoozes.at most')} ` : ''}
      <Time at={until} />
    </>
  );
}

interface NewSnoozeProps {
  /** Initial values of the form's fields. */
  readonly asked: URLSearchParams;
  readonly destinations: readonly string[];
}

function NewSnooze({ asked, destinations }: NewSnoozeProps) {
  const { t, signedAs } = useReader();
  const of = (name: string, unless = '') => ({ name, value: asked.get(name) ?? unless });
  const given = of('destination');
  const known = [...new Set([...destinations, given.value])].filter((name) => name !== '');
  const ends = ENDS.map((end) => [end, t(`snoozes.${end}`)] as const);
  return (
    <PostForm
      action="/act/snooze"
      fields={{ back: '/snoozes' }}
      className="filters"
      submit={t('snoozes.begin')}
    >
      <Field {...of('bot_id')} label={t('filter.bot_id')} hint={t('snoozes.bot_id, what')} />
      <Field
        {...given}
        label={t('destination')}
        options={[['', t('any')], ...known.map((name) => [name, name] as const)]}
      />
      <Field {...of('until', 'tomorrow')} label={t('snoozes.until')} options={ends} />
      <Field {...of('time')} label={t('snoozes.time')} type="datetime-local" />
      <Field {...of('by', signedAs)} label={t('incidents.by')} />
      <Field {...of('because')} label={t('snoozes.because')} />
    </PostForm>
  );
}

interface SnoozedProps {
  readonly snoozes: readonly KeptSnooze[];
  /** The BOT or destination that the reader looks at. */
  readonly of: string;
}

/** The snoozes of a BOT or destination, one per line. */
export function Snoozed({ snoozes, of }: SnoozedProps) {
  const reader = useReader();
  if (snoozes.length === 0) return null;
  return (
    <ul class="snoozes">
      {snoozes.map((snooze) => (
        <li key={snooze.id} class="facts">
          <a href="/snoozes">{reader.t('snoozed')}</a>
          {[snooze.botId, snooze.destination].map((each) =>
            each === undefined || each === of ? null : <Code key={each} text={each} />,
          )}
          <span>{endOf(snooze, reader)}</span>
          <Foreign text={[snooze.by, snooze.because].filter(Boolean).join(': ')} />
        </li>
      ))}
    </ul>
  );
}
