/** One callback: in one sentence why somebody was told, or was not; then everything that happened, and what can be done. */
import type { CallbackStory } from '../../../ledger/archive/archive.ts';
import { loadStory, type Story } from '../../../story/story.ts';
import { isBlank } from '../../../text/clean.ts';
import { wholeNumberIn } from '../../filters.ts';
import { PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { ResultStatus, RunStatus } from '../parts/status.tsx';
import { Terms } from '../parts/table.tsx';
import { BotName, ForeignBlock, indented, JobLink, Link, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';

/** Of a larger body, its beginning. */
const MOST_BYTES_SHOWN = 64 * 1024;

export interface CallbackData {
  readonly callback: CallbackStory;
  readonly story: Story;
  /** JSON in UTF-8, as it came; undefined: it has been forgotten meanwhile. */
  readonly body: Uint8Array | undefined;
}

export const showCallback: View = async ({ params, reader, services: { archive, surroundings } }) => {
  const context = { ...reader, giveUpAfterMs: surroundings.giveUpAfterMs(), redact: surroundings.redact };
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, context);
  if (found === undefined) return undefined;
  const { callback, story } = found;
  const body = await archive.body(callback.id);
  const name = isBlank(callback.botName) ? callback.botId : callback.botName;
  return {
    title: reader.t('callback.title', { name, id: String(callback.id) }),
    section: 'callbacks',
    body: <Callback data={{ callback, story, body }} />,
  };
};

export function Callback({ data: { callback, story, body } }: { readonly data: CallbackData }) {
  const { t } = useReader();
  const { id, botName, botId, status, receivedAt, deliveries } = callback;
  const isAlert = callback.kind === 'alert';
  return (
    <>
      <Head title={isAlert ? t('callback.alert', { id: String(id) }) : <BotName name={botName} id={botId} />}>
        {isAlert ? t('callback.alert, what') : <RunStatus status={status} />}
        <Time as="instant" at={receivedAt} />
      </Head>
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
        {isAlert || deliveries.length > 0 ? null : <ApplyRoutes callback={callback} />}
      </Section>
      {deliveries.length === 0 ? null : (
        <Section title={t('callback.deliveries')}>
          <Deliveries deliveries={deliveries} />
          {isAlert ? null : <ApplyRoutes callback={callback} />}
        </Section>
      )}
      <Section title={t('callback.timeline')}>
        <Timeline events={story.events} />
      </Section>
      {isAlert ? null : <Facts callback={callback} />}
      {body === undefined ? null : <Json id={id} body={body} />}
    </>
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
        <Link to={pathTo(['api', 'callbacks', id, 'body'])} download={`callback-${id}.json`}>
          {t('callback.download')} ({sizes.whole})
        </Link>
      </p>
    </details>
  );
}
