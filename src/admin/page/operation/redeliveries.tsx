/** Redelivering in bulk: how far each one has come, and who asked for it. */
import type { ComponentChildren } from 'preact';
import { statusNameOf } from '../../../callback/callback.ts';
import { FAILURE_CLASSES } from '../../../channels/failure.ts';
import type { BulkRedelivery, RedeliveryFilter } from '../../../ledger/actions/actions.ts';
import type { Actor } from '../../../ledger/history.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status, type Tone } from '../parts/status.tsx';
import { DefinitionList } from '../parts/table.tsx';
import { Foreign, Link } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { type Reader, useReader } from '../reader.ts';
import { idIn, type View } from '../view.ts';

const TONES: Readonly<Record<BulkRedelivery['state'], Tone>> = {
  running: 'busy',
  delivering: 'busy',
  done: 'good',
  stopped: 'idle',
};

export const redeliveriesView: View = async ({ reader, services }) => {
  const bulks = await services.operations.bulks();
  return { title: reader.t('bulk.title'), section: 'dead', body: <Redeliveries bulks={bulks} /> };
};

export const redeliveryView: View = async ({ params, reader, services }) => {
  const id = idIn(params['id']);
  const bulk = id === undefined ? undefined : await services.operations.bulk(id);
  if (bulk === undefined) return undefined;
  return {
    title: reader.t(`bulk.what.${bulk.what}`),
    section: 'dead',
    body: <Redelivery bulk={bulk} />,
    ...(TONES[bulk.state] === 'busy' && { everySeconds: 1 }),
  };
};

function Redeliveries({ bulks }: { readonly bulks: readonly BulkRedelivery[] }) {
  const { t } = useReader();
  return (
    <>
      <Head title={t('bulk.title')} lead={t('bulk.lead')} />
      {bulks.length === 0 ? <p class="empty">{t('bulk.none')}</p> : null}
      {bulks.map((bulk) => (
        <Bulk
          key={bulk.id}
          bulk={bulk}
          title={<Link to={`/redeliveries/${bulk.id}`}>{t(`bulk.what.${bulk.what}`)}</Link>}
        />
      ))}
      <p>
        <Link to="/dead">{t('nav.dead')}</Link>
      </p>
    </>
  );
}

function Who({ actor: { user, from } }: { readonly actor: Actor }) {
  const { t } = useReader();
  return <Foreign text={`${user ?? t('bulk.nobody')} ${t('bulk.from', { address: from })}`} />;
}

/** A filter as chips: what it asks for, and of what. */
export function Meant({ filter }: { readonly filter: RedeliveryFilter }) {
  const reader = useReader();
  const names = Object.keys(filter) as (keyof RedeliveryFilter)[];
  return (
    <ul class="chips">
      {names.map((name) =>
        filter[name] === undefined ? null : (
          <li key={name} class="chip idle">
            <span class="quiet">{reader.t(`bulk.filter.${name}`)}</span>{' '}
            <Foreign text={valueInWords(filter, name, reader)} />
          </li>
        ),
      )}
    </ul>
  );
}

function valueInWords(
  filter: RedeliveryFilter,
  name: keyof RedeliveryFilter,
  { t, formats }: Reader,
): string {
  const { status, state, result, errorClass, [name]: value } = filter;
  if (value === '') return t('bulk.noError');
  if (name === 'from' || name === 'to') return formats.short(Number(value));
  if (name === 'status' && status !== undefined) return t(`status.${statusNameOf({ status })}`);
  if (name === 'state' && state !== undefined) return t(`state.${state}`);
  if (name === 'result' && result !== undefined) return t(`result.${result}`);
  const known = FAILURE_CLASSES.find((each) => name === 'errorClass' && each === errorClass);
  return known === undefined ? String(value) : t(`errorClass.${known}`);
}

interface BulkProps {
  readonly bulk: BulkRedelivery;
}

function Redelivery({ bulk }: BulkProps) {
  const { t } = useReader();
  return (
    <>
      <Head title={t(`bulk.what.${bulk.what}`)} />
      <Bulk bulk={bulk} title={t('bulk.progress')} />
      <p class="actions">
        <Link to="/redeliveries">{t('bulk.title')}</Link>
        <Link to="/dead">{t('nav.dead')}</Link>
      </p>
    </>
  );
}

function Bulk({ bulk, title }: BulkProps & { readonly title: ComponentChildren }) {
  const { t } = useReader();
  const { id, state, filter, startedAt, actor, stoppedBy } = bulk;
  const terms = [
    { term: t('bulk.meant'), details: <Meant filter={filter} /> },
    { term: t('bulk.began'), details: <Time at={startedAt} as="instant" /> },
    { term: t('bulk.by'), details: <Who actor={actor} /> },
    stoppedBy && { term: t('bulk.stoppedBy'), details: <Who actor={stoppedBy} /> },
  ];
  return (
    <Section title={title} aside={<Status tone={TONES[state]} word={t(`bulk.${state}`)} />}>
      <Progress bulk={bulk} />
      {state === 'running' ? (
        <PostButton action="/act/stop" fields={{ bulk: id }} word={t('bulk.stop')} />
      ) : null}
      <DefinitionList terms={terms} />
    </Section>
  );
}

function Progress({ bulk: { what, given, delivered, pending, dead } }: BulkProps) {
  const { t, formats } = useReader();
  const terms = [{ term: t(`bulk.given.${what}`), details: formats.number(given) }];
  if (what === 'dismissed') return <DefinitionList terms={terms} />;
  const parts = [
    { word: t('bulk.delivered'), tone: 'good', value: delivered },
    { word: t('bulk.pending'), tone: 'wait', value: pending },
    { word: t('bulk.dead'), tone: 'bad', value: dead },
  ] as const;
  const counted = parts.map(({ word, tone, value }) => ({
    term: word,
    details: <Status tone={tone} word={formats.number(value)} />,
  }));
  return (
    <>
      <progress max={given} value={delivered + dead} aria-label={t('bulk.progress')} />
      <DefinitionList terms={[...terms, ...counted]} />
    </>
  );
}
