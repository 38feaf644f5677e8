/** One callback: in one sentence why somebody was told, or was not; then everything that happened, and what can be done. */
import type { ArchivedCallback, CallbackStory, Page } from '../../../ledger/archive/archive.ts';
import type { CallbackKind } from '../../../ledger/ledger.ts';
import { loadStory, type Story } from '../../../story/story.ts';
import { isBlank } from '../../../text/clean.ts';
import { wholeNumberIn } from '../../filters.ts';
import { PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { KindStatus, ResultStatus } from '../parts/status.tsx';
import { Table, Terms } from '../parts/table.tsx';
import { BotName, Foreign, ForeignBlock, indented, JobLink, Link, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { callbackColumns } from './callbacks.tsx';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';

/** Of a larger body, its beginning. */
const MOST_BYTES_SHOWN = 64 * 1024;

/** Of what a summary tells, the newest. */
const MOST_TOLD = 100;

export interface CallbackData {
  readonly callback: CallbackStory;
  readonly story: Story;
  /** What it has told as one; undefined: it is no summary. */
  readonly told?: Page<ArchivedCallback> | undefined;
  /** JSON in UTF-8, as it came; undefined: it has been forgotten meanwhile. */
  readonly body: Uint8Array | undefined;
}

export const showCallback: View = async ({ params, reader, services: { archive, surroundings } }) => {
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, {
    ...reader,
    redact: surroundings.redact,
  });
  if (found === undefined) return undefined;
  const { callback, story } = found;
  const { id, kind } = callback;
  const told =
    kind === 'summary' ? await archive.callbacks({ summaryId: id }, { limit: MOST_TOLD }) : undefined;
  const body = kind === 'callback' ? await archive.body(id) : undefined;
  return { title: titleOf(callback, reader), body: <Callback data={{ callback, story, told, body }} /> };
};

interface OfCallback {
  readonly callback: CallbackStory;
}

function isOfBot(kind: CallbackKind): boolean {
  return kind === 'callback' || kind === 'missed' || kind === 'overdue';
}

/** The BOT, or `Summary 12`. */
function titleOf({ kind, id, botName, botId }: CallbackStory, { word }: Reader): string {
  if (!isOfBot(kind)) return `${word('kind', kind)} ${id}`;
  return isBlank(botName) ? botId : botName;
}

export function Callback({ data: { callback, story, told, body } }: { readonly data: CallbackData }) {
  const { t } = useReader();
  const { id, kind, deliveries } = callback;
  const isOwn = kind !== 'callback';
  return (
    <>
      <Title callback={callback} />
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
        {isOwn || deliveries.length > 0 ? null : <ApplyRoutes callback={callback} />}
      </Section>
      {deliveries.length === 0 ? null : (
        <Section title={t('callback.deliveries')}>
          <Deliveries deliveries={deliveries} />
          {isOwn ? null : <ApplyRoutes callback={callback} />}
        </Section>
      )}
      {told === undefined ? null : <Summarised told={told} />}
      <Section title={t('callback.timeline')}>
        <Timeline events={story.events} />
      </Section>
      {isOwn ? null : <Facts callback={callback} />}
      {body === undefined ? null : <Json id={id} body={body} />}
    </>
  );
}

function Title({ callback }: OfCallback) {
  const reader = useReader();
  const { kind, botId, about, receivedAt } = callback;
  return (
    <Head title={<Foreign text={titleOf(callback, reader)} />}>
      {isOfBot(kind) ? <KindStatus callback={callback} /> : null}
      {kind === 'callback' ? null : reader.t(`kind.${kind}, what`)}
      <Time as="instant" at={receivedAt} />
      {about === undefined ? null : (
        <Link to={pathTo(['callbacks', about])}>{reader.t('callback.about')}</Link>
      )}
      {kind === 'missed' ? (
        <Link to={pathTo(['callbacks'], { bot_id: botId })}>{reader.t('bot.callbacks')}</Link>
      ) : null}
    </Head>
  );
}

/** Each leads to what became of it. */
function Summarised({ told: { items, next } }: { readonly told: Page<ArchivedCallback> }) {
  const reader = useReader();
  const title = reader.t('callback.summarised');
  return (
    <Section title={title} aside={next === undefined ? undefined : reader.t('callback.summarised, cut')}>
      <Table caption={title} columns={callbackColumns(reader)} rows={items} keyOf={({ id }) => id} />
    </Section>
  );
}

function ApplyRoutes({ callback: { id, deliveries } }: OfCallback) {
  const { t } = useReader();
  return (
    <PostForm action="/act/route" fields={{ id }} className="actions">
      <button type="submit" class={deliveries.length === 0 ? 'primary' : undefined}>
        {t('callback.route')}
      </button>
      <small class="quiet">{t('callback.route, what')}</small>
    </PostForm>
  );
}

function Facts({ callback }: OfCallback) {
  const { t, formats } = useReader();
  const { id, botId, botName, jobId, elapsedSeconds, timesReceived: times } = callback;
  const toBot = (
    <Link to={pathTo(['bots', botId])}>
      <BotName name={botName} id={botId} />
    </Link>
  );
  const received = (
    <>
      {times === 1 ? null : t('callback.again', { times })} <Time at={callback.lastReceivedAt} />
    </>
  );
  return (
    <Section
      title={t('callback.facts')}
      aside={<Link to={pathTo(['playground'], { callback: id })}>{t('playground.open')}</Link>}
    >
      <Terms
        terms={[
          { term: t('bot'), details: toBot },
          { term: t('job'), details: <JobLink id={jobId} isWhole /> },
          { term: t('started'), details: <Time at={callback.startedAt} /> },
          elapsedSeconds === undefined
            ? undefined
            : { term: t('took'), details: formats.elapsed(elapsedSeconds) },
          { term: t('received'), details: received },
          { term: t('callback.answered'), details: <ResultStatus result={callback.result} /> },
        ]}
      />
    </Section>
  );
}

function Json({ id, body }: { readonly id: number; readonly body: Uint8Array }) {
  const { t, formats } = useReader();
  const isCut = body.byteLength > MOST_BYTES_SHOWN;
  // As a stream, the decoder leaves out a last character that is cut in two.
  const text = new TextDecoder().decode(body.subarray(0, MOST_BYTES_SHOWN), { stream: isCut });
  const sizes = { shown: formats.size(MOST_BYTES_SHOWN), whole: formats.size(body.byteLength) };
  return (
    <details>
      <summary>{t('callback.json')}</summary>
      {isCut ? <p class="quiet">{t('callback.json, cut', sizes)}</p> : null}
      <ForeignBlock text={isCut ? text : indented(text)} label={t('callback.json')} />
      <p>
        <a href={`/api/callbacks/${id}/body`} download={`callback-${id}.json`}>
          {t('callback.download')} ({sizes.whole})
        </a>
      </p>
    </details>
  );
}
