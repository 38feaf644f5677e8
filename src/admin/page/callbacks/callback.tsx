/** One callback: in one sentence why somebody was told, or was not; then everything that happened, and what can be done. */
import type { CallbackStory } from '../../../ledger/archive/archive.ts';
import { loadStory } from '../../../story/story.ts';
import { wholeNumberIn } from '../../filters.ts';
import { PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { KindStatus, ResultStatus } from '../parts/status.tsx';
import { Term } from '../parts/table.tsx';
import { BotName, Foreign, ForeignBlock, indented, JobLink, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View, ViewRequest } from '../view.ts';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';

/** Of a larger body, its beginning. */
const MOST_BYTES_SHOWN = 64 * 1024;

export type CallbackData = Exclude<Awaited<ReturnType<typeof loadCallback>>, undefined>;

export const showCallback: View = async (request) => {
  const data = await loadCallback(request);
  return data && { title: data.title, body: <Callback data={data} /> };
};

async function loadCallback({ params, reader, services: { archive, surroundings } }: ViewRequest) {
  const { redact } = surroundings;
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, { ...reader, redact });
  if (found === undefined) return undefined;
  const { id, kind, botName, botId } = found.callback;
  const title = botName || botId || `${reader.word('kind', kind)} ${id}`;
  /** JSON in UTF-8, as it came; undefined: it has been forgotten meanwhile, or Botbell says this by itself. */
  const body = kind === 'callback' ? await archive.body(id) : undefined;
  return { ...found, title, body };
}

interface CallbackProps {
  readonly data: CallbackData;
}

export function Callback({ data }: CallbackProps) {
  const { t } = useReader();
  const { callback, story, body } = data;
  const { id, kind, deliveries } = callback;
  const isOwn = kind !== 'callback';
  return (
    <>
      <Title data={data} />
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
      </Section>
      <Section title={t('callback.deliveries')}>
        <Deliveries deliveries={deliveries} />
        {isOwn ? null : <ApplyRoutes callback={callback} />}
      </Section>
      <Section title={t('callback.timeline')}>
        <Timeline events={story.events} />
      </Section>
      {isOwn ? null : <Facts callback={callback} />}
      {body === undefined ? null : <Json id={id} body={body} />}
    </>
  );
}

function Title({ data: { title, callback } }: CallbackProps) {
  const { t } = useReader();
  const { kind, botId, about, receivedAt } = callback;
  return (
    <Head title={<Foreign text={title} />}>
      <KindStatus callback={callback} />
      {kind === 'callback' ? null : t(`kind.${kind}, what`)}
      <Time as="instant" at={receivedAt} />
      {about === undefined ? null : <a href={pathTo(['callbacks', about])}>{t('callback.about')}</a>}
      {kind === 'missed' ? <a href={pathTo(['callbacks'], { bot_id: botId })}>{t('bot.callbacks')}</a> : null}
    </Head>
  );
}

interface OfCallback {
  readonly callback: CallbackStory;
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
  return (
    <Section
      title={t('callback.facts')}
      aside={<a href={pathTo(['playground'], { callback: id })}>{t('playground.open')}</a>}
    >
      <dl class="terms">
        <Term of={t('bot')}>
          <a href={pathTo(['bots', botId])}>
            <BotName name={botName} id={botId} />
          </a>
        </Term>
        <Term of={t('job')}>
          <JobLink id={jobId} isWhole />
        </Term>
        <Term of={t('started')}>
          <Time at={callback.startedAt} />
        </Term>
        <Term of={t('took')}>{elapsedSeconds === undefined ? '–' : formats.elapsed(elapsedSeconds)}</Term>
        <Term of={t('received')}>
          {times === 1 ? null : t('callback.again', { times })} <Time at={callback.lastReceivedAt} />
        </Term>
        <Term of={t('callback.answered')}>
          <ResultStatus result={callback.result} />
        </Term>
      </dl>
    </Section>
  );
}

function Json({ id, body }: { readonly id: number; readonly body: Uint8Array }) {
  const { t, formats } = useReader();
  const isCut = body.byteLength > MOST_BYTES_SHOWN;
  // As a stream, the decoder leaves out a last character that is cut in two.
  const text = new TextDecoder().decode(body.subarray(0, MOST_BYTES_SHOWN), { stream: isCut });
  return (
    <details>
      <summary>{t('callback.json')}</summary>
      <ForeignBlock text={isCut ? `${text} …` : indented(text)} label={t('callback.json')} />
      <p>
        <a href={`/api/callbacks/${id}/body`} download={`callback-${id}.json`}>
          {t('callback.download')} ({formats.size(body.byteLength)})
        </a>
      </p>
    </details>
  );
}
