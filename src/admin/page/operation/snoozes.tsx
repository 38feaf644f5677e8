/** The list of snoozes with a button to end each, and the form to begin one. */
import { destinationsOf } from '../../../route/router.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { Table } from '../parts/table.tsx';
import { Code, Foreign, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';

export const snoozesView: View = async ({ query, reader, services: { people, drawing } }) => {
  const { t, formats } = reader;
  const snoozes = await people.snoozes();
  const destinations = [...destinationsOf(drawing().config).keys()];
  const body = (
    <>
      <Section>
        <Table
          caption={t('nav.snoozes')}
          rows={snoozes}
          empty={t('snoozes.none')}
          columns={[
            { head: t('bot'), kind: 'main', cell: ({ botId }) => <Foreign text={botId ?? t('any')} /> },
            { head: t('destination'), cell: ({ destination }) => <Code text={destination ?? t('any')} /> },
            { head: t('snoozes.until'), cell: (snooze) => <End snooze={snooze} /> },
            { head: t('snoozes.because'), cell: ({ because }) => <Foreign text={because || '–'} /> },
            { head: t('snoozes.by'), cell: ({ by }) => <Foreign text={by} /> },
            { head: t('snoozes.held'), kind: 'number', cell: ({ held }) => formats.number(held) },
            { head: t('snoozes.end'), kind: 'narrow', cell: ({ id }) => <EndButton id={id} /> },
          ]}
        />
      </Section>
      <Section title={t('snoozes.new')}>
        <NewSnooze asked={query} destinations={destinations} />
      </Section>
    </>
  );
  return { title: t('nav.snoozes'), lead: t('snoozes.lead'), body };
};

function EndButton({ id }: Pick<KeptSnooze, 'id'>) {
  const word = useReader().t('snoozes.end');
  return <PostButton action="/act/end-snooze" fields={{ id }} kind="small" word={word} />;
}

interface NewSnoozeProps {
  /** Initial values of the form's fields. */
  readonly asked: URLSearchParams;
  readonly destinations: readonly string[];
}

function NewSnooze({ asked, destinations }: NewSnoozeProps) {
  const { t } = useReader();
  const of = (name: string) => ({ name, value: asked.get(name) ?? '' });
  const given = of('destination');
  const known = [...new Set([...destinations, given.value])].filter((name) => name !== '');
  const ends = (['tomorrow', 'next-success'] as const).map((end) => [end, t(`snoozes.${end}`)] as const);
  return (
    <PostForm action="/act/snooze" fields={{ back: '/snoozes' }} className="filters">
      <Field {...of('bot_id')} label={t('filter.bot_id')} hint={t('snoozes.bot_id, what')} />
      <Field
        {...given}
        label={t('destination')}
        options={[['', t('any')], ...known.map((name) => [name, name] as const)]}
      />
      <Field {...of('until')} label={t('snoozes.until')} options={ends} />
      <Field {...of('time')} label={t('snoozes.time')} isTime />
      <Field {...of('because')} label={t('snoozes.because')} />
      <div class="actions">
        <button type="submit" class="primary">
          {t('snoozes.begin')}
        </button>
      </div>
    </PostForm>
  );
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

/** The snoozes of a BOT or destination, one per line. */
export function Snoozed({ snoozes, of }: SnoozedProps) {
  const { t } = useReader();
  if (snoozes.length === 0) return null;
  return (
    <ul class="snoozes">
      {snoozes.map((snooze) => (
        <li key={snooze.id} class="facts">
          <a href="/snoozes">{t('snoozed')}</a>
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
