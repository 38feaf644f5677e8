/** One callback: in one sentence why somebody was told, or was not; then everything that happened, and what can be done. */
import type { CallbackStory } from '../../../ledger/archive/archive.ts';
import { type LoadedStory, loadStory } from '../../../story/story.ts';
import { wholeNumberIn } from '../../filters.ts';
import { PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { KindStatus } from '../parts/status.tsx';
import { Foreign, JobLink, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';

export const showCallback: View = async ({ params, reader, services: { archive, surroundings } }) => {
  const { redact } = surroundings;
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, { ...reader, redact });
  return found && { title: titleOf(found.callback, reader), body: <Callback {...found} /> };
};

/** The BOT, or `Summary 12`. */
function titleOf({ kind, id, botName, botId }: CallbackStory, { word }: Reader): string {
  return botName || botId || `${word('kind', kind)} ${id}`;
}

export function Callback({ callback, story }: LoadedStory) {
  const { t } = useReader();
  return (
    <>
      <Title callback={callback} />
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
      </Section>
      <Section title={t('callback.deliveries')}>
        <Deliveries deliveries={callback.deliveries} />
        {callback.kind === 'callback' ? <ApplyRoutes callback={callback} /> : null}
      </Section>
      <Section title={t('callback.timeline')}>
        <Timeline events={story.events} />
      </Section>
    </>
  );
}

interface OfCallback {
  readonly callback: CallbackStory;
}

function Title({ callback }: OfCallback) {
  const reader = useReader();
  const { t, formats } = reader;
  const { kind, id, botId, jobId, about, receivedAt, elapsedSeconds } = callback;
  return (
    <Head title={<Foreign text={titleOf(callback, reader)} />}>
      <KindStatus callback={callback} />
      {kind === 'callback' ? null : t(`kind.${kind}, what`)}
      <Time as="instant" at={receivedAt} />
      {elapsedSeconds === undefined ? null : `${t('took')} ${formats.elapsed(elapsedSeconds)}`}
      {jobId === '' ? null : <JobLink id={jobId} isWhole />}
      {about === undefined ? null : <a href={pathTo(['callbacks', about])}>{t('callback.about')}</a>}
      {kind === 'missed' ? <a href={pathTo(['callbacks'], { bot_id: botId })}>{t('bot.callbacks')}</a> : null}
      {kind === 'callback' ? (
        <>
          <a href={pathTo(['bots', botId])}>{t('callback.bot')}</a>
          <a href={pathTo(['playground'], { callback: id })}>{t('playground.open')}</a>
          <a href={`/api/callbacks/${id}/body`}>{t('callback.json')}</a>
        </>
      ) : null}
    </Head>
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
