/** Destinations by their channels: how each does, what waits for it, and a button that sends it a test. */
import { printsOnly } from '../../../channels/registry.ts';
import type { ArchivedDestination } from '../../../ledger/archive/archive.ts';
import { destinationsOf } from '../../../route/router.ts';
import { cleanLine } from '../../../text/clean.ts';
import type { Paused } from '../../services.ts';
import { PostForm } from '../parts/forms.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import type { View } from '../view.ts';
import { DESTINATION_WORDS } from '../words/destinations.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { useReader, useWords } from '../use-reader.ts';

/** More would be no page that anybody reads. */
const MOST_SHOWN = 500;

export const destinationsView: View = async ({ reader, services }) => {
  const { config } = services.drawing();
  const all = destinationsOf(config);
  const names = all.slice(0, MOST_SHOWN).map(({ key }) => key);
  const standings = await services.archive.destinations(names);
  const { groups } = await services.archive.deadLetters();
  const dead = new Map<string, number>();
  for (const { destination, count } of groups) dead.set(destination, (dead.get(destination) ?? 0) + count);
  const channelOf = new Map(all.map(({ key, channel }) => [key, channel]));
  const channels = [...config.channels.values()].map(({ name, type }) => ({
    name,
    type,
    destinations: standings.filter(({ destination }) => channelOf.get(destination) === name),
  }));
  const data: DestinationsData = {
    channels,
    printed: new Set(
      all.filter(({ channel }) => printsOnly(config.channels.get(channel)?.type)).map(({ key }) => key),
    ),
    isMore: all.length > MOST_SHOWN,
    dead,
    outside: [...dead.keys()].filter((name) => !channelOf.has(name)),
    paused: services.paused(),
    processName: services.surroundings.processName,
  };
  return {
    title: DESTINATION_WORDS[reader.language].title,
    section: 'destinations',
    body: <Destinations data={data} />,
  };
};

interface ChannelData {
  readonly name: string;
  readonly type: string;
  readonly destinations: readonly ArchivedDestination[];
}

export interface DestinationsData {
  readonly channels: readonly ChannelData[];
  /** Destinations whose messages are printed, and reach nobody. */
  readonly printed: ReadonlySet<string>;
  /** There are more than are shown. */
  readonly isMore: boolean;
  /** How many dead letters each has. */
  readonly dead: ReadonlyMap<string, number>;
  /** Have dead letters, and are not in the config. */
  readonly outside: readonly string[];
  readonly paused: readonly Paused[];
  readonly processName: string;
}

interface DestinationsProps {
  readonly data: DestinationsData;
}

export function Destinations({ data }: DestinationsProps) {
  const reader = useReader();
  const words = useWords(DESTINATION_WORDS);
  const used = data.channels.filter(({ destinations }) => destinations.length > 0);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
        {data.isMore ? <p class="quiet">{words.tooMany(reader.formats.number(MOST_SHOWN))}</p> : null}
      </div>
      {used.length === 0 ? <p class="empty">{words.none}</p> : null}
      {used.map((channel) => (
        <Channel key={channel.name} channel={channel} data={data} />
      ))}
      {data.outside.length === 0 ? null : <Outside data={data} />}
      <p class="quiet">
        <Foreign text={words.asOf(data.processName)} />
      </p>
    </>
  );
}

interface ChannelProps extends DestinationsProps {
  readonly channel: ChannelData;
}

function Channel({ channel: { name, type, destinations }, data }: ChannelProps) {
  const reader = useReader();
  const words = useWords(DESTINATION_WORDS);
  const pause = data.paused.find(({ key }) => key === name);
  return (
    <section class="panel" aria-labelledby={`channel-${name}`}>
      <header>
        <h2 id={`channel-${name}`}>
          <Foreign text={name} />
        </h2>
        <span class="quiet">{words.channel(type, destinations.length)}</span>
      </header>
      {pause === undefined ? null : (
        <p>
          <Status tone="wait" word={words.pausedChannel(reader.formats.duration(pause.ms))} />
        </p>
      )}
      <Table
        caption={name}
        columns={columnsFor(data, reader)}
        rows={destinations}
        keyOf={({ destination }) => destination}
        empty={words.none}
      />
    </section>
  );
}

function columnsFor(data: DestinationsData, reader: Reader): readonly Column<ArchivedDestination>[] {
  const words = DESTINATION_WORDS[reader.language];
  return [
    {
      head: words.destination,
      kind: 'main',
      cell: ({ destination }) => (
        <Link to={pathTo(['callbacks'], { destination })}>
          <Code text={destination} />
        </Link>
      ),
    },
    { head: words.standing, cell: (each) => <Standing each={each} data={data} /> },
    { head: words.lastSuccess, cell: (each) => <LastSuccess each={each} /> },
    { head: words.lastError, cell: (each) => <LastError each={each} /> },
    { head: words.waiting, kind: 'number', cell: (each) => <Waiting each={each} /> },
    {
      head: words.dead,
      kind: 'number',
      cell: ({ destination }) => <DeadCount destination={destination} data={data} />,
    },
    { head: words.test, cell: ({ destination }) => <TestButton destination={destination} /> },
  ];
}

interface EachProps {
  readonly each: ArchivedDestination;
}

/** What it did last counts. */
function Standing({ each, data }: EachProps & { readonly data: DestinationsData }) {
  const reader = useReader();
  const words = useWords(DESTINATION_WORDS).state;
  const { destination, lastDeliveredAt, lastFailedAt } = each;
  const pause = data.paused.find(({ key }) => key === destination);
  if (pause !== undefined)
    return <Status tone="wait" word={words.paused(reader.formats.duration(pause.ms))} />;
  if ((lastFailedAt ?? 0) > (lastDeliveredAt ?? 0)) return <Status tone="bad" word={words.failing} />;
  if (data.printed.has(destination)) return <Status tone="idle" word={words.printed} />;
  return lastDeliveredAt === undefined ? (
    <Status tone="idle" word={words.unused} />
  ) : (
    <Status tone="good" word={words.good} />
  );
}

function LastError({ each: { lastFailedAt, lastError } }: EachProps) {
  const reader = useReader();
  if (lastFailedAt === undefined || lastError === undefined) return <span class="quiet">–</span>;
  const { class: errorClass, code, message } = lastError;
  return (
    <>
      <Time at={lastFailedAt} />
      <span>{PAGE_WORDS[reader.language].errorClass[errorClass]}</span>
      <small>
        <Foreign text={code} />: <Foreign text={message} />
      </small>
    </>
  );
}

function Waiting({ each: { destination, pending, isMorePending } }: EachProps) {
  const reader = useReader();
  if (pending === 0) return <span class="quiet">0</span>;
  const number = reader.formats.number(pending);
  return (
    <Link to={pathTo(['callbacks'], { state: 'pending', destination })}>
      {isMorePending ? PAGE_WORDS[reader.language].moreThan(number) : number}
    </Link>
  );
}

interface DeadCountProps extends DestinationsProps {
  readonly destination: string;
}

function DeadCount({ destination, data }: DeadCountProps) {
  const reader = useReader();
  const count = data.dead.get(destination) ?? 0;
  if (count === 0) return <span class="quiet">0</span>;
  return (
    <Link to={pathTo(['callbacks'], { state: 'dead', destination })}>{reader.formats.number(count)}</Link>
  );
}

function LastSuccess({ each: { lastDeliveredAt, medianMs, slowMs } }: EachProps) {
  const reader = useReader();
  const words = useWords(DESTINATION_WORDS);
  const { formats } = reader;
  return (
    <>
      <Time at={lastDeliveredAt} />
      {medianMs === undefined ? null : <small>{words.median(formats.duration(medianMs))}</small>}
      {slowMs === undefined ? null : <small>{words.slow(formats.duration(slowMs))}</small>}
    </>
  );
}

function TestButton({ destination }: { readonly destination: string }) {
  const words = useWords(DESTINATION_WORDS);
  return (
    <PostForm action="/act/test">
      <input type="hidden" name="destination" value={destination} />
      <button type="submit" class="small" aria-label={cleanLine(words.sendTo(destination))}>
        {words.send}
      </button>
    </PostForm>
  );
}

function Outside({ data }: DestinationsProps) {
  const reader = useReader();
  const words = useWords(DESTINATION_WORDS);
  return (
    <section class="panel" aria-labelledby="outside">
      <header>
        <h2 id="outside">{words.outside}</h2>
      </header>
      <p class="quiet">{words.outsideLead}</p>
      <Table
        caption={words.outside}
        columns={outsideColumns(data, reader)}
        rows={data.outside}
        keyOf={(destination) => destination}
        empty=""
      />
    </section>
  );
}

function outsideColumns(data: DestinationsData, reader: Reader): readonly Column<string>[] {
  const words = DESTINATION_WORDS[reader.language];
  return [
    { head: words.destination, kind: 'main', cell: (destination) => <Code text={destination} /> },
    {
      head: words.dead,
      kind: 'number',
      cell: (destination) => <DeadCount destination={destination} data={data} />,
    },
  ];
}
