/** Destinations by their channels: how each does, what waits for it, and a button that sends it a test. */
import { printsOnly } from '../../../channels/registry.ts';
import { destinationsOf } from '../../../route/router.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View, ViewRequest } from '../view.ts';

/** More would be no page that anybody reads. */
const MOST_SHOWN = 500;

export const destinationsView: View = async ({ reader, services }) => ({
  title: reader.t('nav.destinations'),
  section: 'destinations',
  body: <Destinations data={await loadDestinations(services)} />,
});

async function loadDestinations({ archive, drawing, paused }: ViewRequest['services']) {
  const { config } = drawing();
  const named = destinationsOf(config);
  const { groups } = await archive.deadLetters();
  const dead = new Map<string, number>();
  for (const { destination, count } of groups) dead.set(destination, (dead.get(destination) ?? 0) + count);
  const standings = await archive.destinations(named.slice(0, MOST_SHOWN).map(({ key }) => key));
  const waits = new Map(paused().map(({ key, ms }) => [key, ms]));
  const channels = [...config.channels.values()].map(({ name, type }) => {
    const own = new Set(named.filter(({ channel }) => channel === name).map(({ key }) => key));
    const destinations = standings
      .filter(({ destination }) => own.has(destination))
      .map((standing) => ({
        ...standing,
        dead: dead.get(standing.destination) ?? 0,
        pausedMs: waits.get(standing.destination),
        isPrinted: printsOnly(type),
      }));
    return { name, type, destinations, pausedMs: waits.get(name) };
  });
  return {
    channels: channels.filter(({ destinations }) => destinations.length > 0),
    isMore: named.length > MOST_SHOWN,
  };
}

type DestinationsData = Awaited<ReturnType<typeof loadDestinations>>;
type ChannelData = DestinationsData['channels'][number];
type DestinationData = ChannelData['destinations'][number];

function Destinations({ data }: { readonly data: DestinationsData }) {
  const { t } = useReader();
  const { channels, isMore } = data;
  return (
    <>
      <Head title={t('nav.destinations')} lead={t('destinations.lead')}>
        {isMore ? t('destinations.tooMany', { number: MOST_SHOWN }) : undefined}
      </Head>
      {channels.length === 0 ? <p class="empty">{t('destinations.none')}</p> : null}
      {channels.map((channel) => (
        <Channel key={channel.name} channel={channel} />
      ))}
    </>
  );
}

function Channel({ channel: { name, type, destinations, pausedMs } }: { readonly channel: ChannelData }) {
  const reader = useReader();
  const { t, formats } = reader;
  const aside = t('destinations.channel', { type, number: destinations.length });
  return (
    <Section title={<Foreign text={name} />} aside={aside}>
      {pausedMs === undefined ? null : (
        <p>
          <Status tone="wait" word={t('destinations.pausedChannel', { time: formats.duration(pausedMs) })} />
        </p>
      )}
      <Table
        caption={name}
        columns={columnsFor(reader)}
        rows={destinations}
        keyOf={({ destination }) => destination}
        empty=""
      />
    </Section>
  );
}

function columnsFor({ t }: Reader): readonly Column<DestinationData>[] {
  return [
    {
      head: t('destination'),
      kind: 'main',
      cell: ({ destination }) => (
        <Link to={pathTo(['callbacks'], { destination })}>
          <Code text={destination} />
        </Link>
      ),
    },
    { head: t('destinations.state'), kind: 'narrow', cell: (each) => <Standing each={each} /> },
    { head: t('destinations.lastTold'), cell: (each) => <LastTold each={each} /> },
    { head: t('destinations.lastError'), cell: (each) => <LastError each={each} /> },
    {
      head: t('destinations.waiting'),
      kind: 'number',
      cell: ({ pending, isMorePending, destination }) => (
        <Counted count={pending} isMore={isMorePending} state="pending" destination={destination} />
      ),
    },
    {
      head: t('destinations.dead'),
      kind: 'number',
      cell: ({ dead, destination }) => <Counted count={dead} state="dead" destination={destination} />,
    },
    {
      head: t('destinations.test'),
      kind: 'narrow',
      cell: ({ destination }) => (
        <PostButton
          action="/act/test"
          fields={{ destination }}
          kind="small"
          word={t('destinations.send')}
          label={t('destinations.sendTo', { destination })}
        />
      ),
    },
  ];
}

interface EachProps {
  readonly each: DestinationData;
}

/** What it did last counts. */
function Standing({ each }: EachProps) {
  const { t, formats } = useReader();
  const { lastDeliveredAt, lastFailedAt, pausedMs, isPrinted } = each;
  if (pausedMs !== undefined)
    return <Status tone="wait" word={t('destinations.paused', { time: formats.duration(pausedMs) })} />;
  if ((lastFailedAt ?? 0) > (lastDeliveredAt ?? 0))
    return <Status tone="bad" word={t('destinations.fails')} />;
  if (isPrinted) return <Status tone="idle" word={t('printed')} />;
  return lastDeliveredAt === undefined ? (
    <Status tone="idle" word={t('destinations.unused')} />
  ) : (
    <Status tone="good" word={t('destinations.works')} />
  );
}

function LastTold({ each: { lastDeliveredAt, isPrinted } }: EachProps) {
  return isPrinted ? <span class="quiet">–</span> : <Time at={lastDeliveredAt} />;
}

function LastError({ each: { lastFailedAt, lastError } }: EachProps) {
  const { t } = useReader();
  if (lastFailedAt === undefined || lastError === undefined) return <span class="quiet">–</span>;
  return (
    <>
      {t(`errorClass.${lastError.class}`)} · <Time at={lastFailedAt} />
      <small>
        <Foreign text={`${lastError.code}: ${lastError.message}`} />
      </small>
    </>
  );
}

interface CountedProps {
  readonly count: number;
  readonly isMore?: boolean;
  readonly state: 'pending' | 'dead';
  readonly destination: string;
}

function Counted({ count, isMore, state, destination }: CountedProps) {
  const { t, formats } = useReader();
  if (count === 0) return <span class="quiet">0</span>;
  const number = formats.number(count);
  return (
    <Link to={pathTo(['callbacks'], { state, destination })}>
      {isMore === true ? t('moreThan', { number }) : number}
    </Link>
  );
}
