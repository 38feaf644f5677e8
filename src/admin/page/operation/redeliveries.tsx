/** Redelivering in bulk: how far each one has come, and who asked for it. */
import type { BulkRedelivery } from '../../../ledger/actions/actions.ts';
import { PostForm } from '../parts/forms.tsx';
import { Status, type Tone } from '../parts/status.tsx';
import { type Column, DefinitionList, Table, type Term } from '../parts/table.tsx';
import { Link } from '../parts/text.tsx';
import { Instant, Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import { idIn, type View } from '../view.ts';
import { REDELIVERY_WORDS } from '../words/redeliveries.ts';
import { Meant, Who } from './redelivery-parts.tsx';
import { useReader, useWords } from '../use-reader.ts';

const TONES: Readonly<Record<BulkRedelivery['state'], Tone>> = {
  running: 'busy',
  delivering: 'busy',
  done: 'good',
  stopped: 'idle',
};

export const redeliveriesView: View = async ({ reader, services }) => {
  const bulks = await services.operations.bulks();
  return {
    title: REDELIVERY_WORDS[reader.language].title,
    section: 'dead',
    body: <Redeliveries bulks={bulks} />,
  };
};

export const redeliveryView: View = async ({ params, reader, services }) => {
  const id = idIn(params['id']);
  const bulk = id === undefined ? undefined : await services.operations.bulk(id);
  if (bulk === undefined) return undefined;
  return {
    title: REDELIVERY_WORDS[reader.language].oneTitle[bulk.what],
    section: 'dead',
    body: <Redelivery bulk={bulk} />,
  };
};

interface RedeliveriesProps {
  readonly bulks: readonly BulkRedelivery[];
}

export function Redeliveries({ bulks }: RedeliveriesProps) {
  const reader = useReader();
  const words = useWords(REDELIVERY_WORDS);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <Table
        caption={words.title}
        columns={columnsFor(reader)}
        rows={bulks}
        keyOf={({ id }) => id}
        empty={words.none}
      />
      <p>
        <Link to="/dead">{words.toDead}</Link>
      </p>
    </>
  );
}

function columnsFor(reader: Reader): readonly Column<BulkRedelivery>[] {
  const words = REDELIVERY_WORDS[reader.language];
  const { formats } = reader;
  return [
    {
      head: words.began,
      kind: 'main',
      cell: ({ id, startedAt }) => (
        <Link to={`/redeliveries/${id}`}>
          <Time at={startedAt} />
        </Link>
      ),
    },
    {
      head: words.progress,
      cell: (bulk) => (
        <>
          <Status tone={TONES[bulk.state]} word={words.state[bulk.state]} />
          <small>{words.what[bulk.what]}</small>
        </>
      ),
    },
    { head: words.meant, cell: ({ filter }) => <Meant filter={filter} /> },
    { head: words.number, kind: 'number', cell: ({ given }) => formats.number(given) },
    { head: words.delivered, kind: 'number', cell: ({ delivered }) => formats.number(delivered) },
    { head: words.pending, kind: 'number', cell: ({ pending }) => formats.number(pending) },
    { head: words.dead, kind: 'number', cell: ({ dead }) => formats.number(dead) },
    { head: words.by, cell: ({ actor }) => <Who actor={actor} /> },
  ];
}

interface RedeliveryProps {
  readonly bulk: BulkRedelivery;
}

export function Redelivery({ bulk }: RedeliveryProps) {
  const words = useWords(REDELIVERY_WORDS);
  const { what, filter, startedAt, endedAt, actor, stoppedBy } = bulk;
  const state = bulk.state;
  const terms: readonly (Term | undefined)[] = [
    { term: words.meant, details: <Meant filter={filter} /> },
    { term: words.began, details: <Instant at={startedAt} /> },
    endedAt === undefined || state === 'running'
      ? undefined
      : { term: words.ended, details: <Instant at={endedAt} /> },
    { term: words.by, details: <Who actor={actor} /> },
    stoppedBy === undefined ? undefined : { term: words.stoppedBy, details: <Who actor={stoppedBy} /> },
  ];
  return (
    <>
      <div class="head">
        <h1>{words.oneTitle[what]}</h1>
        <p>
          <Status tone={TONES[state]} word={words.state[state]} />
        </p>
      </div>
      <section class="panel" aria-label={words.progress}>
        <Progress bulk={bulk} />
        {bulk.state === 'running' ? (
          <PostForm action="/act/stop">
            <input type="hidden" name="bulk" value={bulk.id} />
            <button type="submit">{words.stop}</button>
          </PostForm>
        ) : null}
      </section>
      <section class="panel" aria-label={words.meant}>
        <DefinitionList terms={terms.filter((term) => term !== undefined)} />
      </section>
      <p class="actions">
        <Link to="/redeliveries">{words.title}</Link>
        <Link to="/dead">{words.toDead}</Link>
      </p>
    </>
  );
}

const BAR_WIDTH = 600;
const BAR_HEIGHT = 14;

function Progress({ bulk }: RedeliveryProps) {
  const reader = useReader();
  const words = useWords(REDELIVERY_WORDS);
  const { what, given, delivered, pending, dead } = bulk;
  const number = (value: number) => reader.formats.number(value);
  const terms = [{ term: words.given[what], details: number(given) }];
  if (what === 'dismissed') return <DefinitionList terms={terms} />;
  const parts = [
    { tone: 'good', value: delivered },
    { tone: 'wait', value: pending },
    { tone: 'bad', value: dead },
  ];
  const total = Math.max(1, delivered + pending + dead);
  let from = 0;
  return (
    <>
      <svg
        class="bar"
        role="img"
        viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
        aria-label={words.picture(number(delivered), number(pending), number(dead))}
      >
        <rect class="track" width={BAR_WIDTH} height={BAR_HEIGHT} rx="4" />
        {parts.map(({ tone, value }) => {
          const x = from;
          const width = (value / total) * BAR_WIDTH;
          from += width;
          return <rect key={tone} class={tone} x={x} width={width} height={BAR_HEIGHT} />;
        })}
      </svg>
      <DefinitionList
        terms={[
          ...terms,
          { term: words.delivered, details: <Status tone="good" word={number(delivered)} /> },
          { term: words.pending, details: <Status tone="wait" word={number(pending)} /> },
          { term: words.dead, details: <Status tone="bad" word={number(dead)} /> },
        ]}
      />
    </>
  );
}
