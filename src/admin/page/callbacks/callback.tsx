/** One callback: its summary in a sentence, its deliveries with their actions, and its timeline. */
import type { CallbackStory } from '../../../ledger/archive/archive.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { type LoadedStory, loadStory } from '../../../story/story.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Snoozed } from '../operation/snoozes.tsx';
import { PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { KindStatus } from '../parts/status.tsx';
import { JobLink, nameOf, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';

export const showCallback: View = async ({ params, reader, services }) => {
  const { archive, people, surroundings } = services;
  const { redact } = surroundings;
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, { ...reader, redact });
  if (found === undefined) return undefined;
  const { callback } = found;
  const { kind, id, botName, botId } = callback;
  const title = nameOf(botName, botId) || `${reader.word('kind', kind)} ${id}`;
  const snoozes = await people.snoozes();
  return {
    title,
    facts: <CallbackFacts callback={callback} />,
    body: <Callback {...found} snoozes={snoozes} />,
  };
};

interface CallbackProps extends LoadedStory {
  /** All that have not ended. */
  readonly snoozes: readonly KeptSnooze[];
}

export function Callback({ callback, story, snoozes }: CallbackProps) {
  const { t } = useReader();
  const holding = new Set(callback.deliveries.map(({ heldUntil, snoozeId }) => heldUntil && snoozeId));
  return (
    <>
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
        <Snoozed snoozes={snoozes.filter(({ id }) => holding.has(id))} of={callback.botId} />
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

export function CallbackFacts({ callback }: OfCallback) {
  const { t, formats } = useReader();
  const { kind, id, botId, jobId, about, receivedAt, elapsedSeconds } = callback;
  return (
    <>
      <KindStatus callback={callback} />
      <Time as="instant" at={receivedAt} />
      {elapsedSeconds === undefined ? null : `${t('took')} ${formats.elapsed(elapsedSeconds)}`}
      {jobId === '' ? null : <JobLink id={jobId} isWhole />}
      {about === undefined ? null : <a href={pathTo(['callbacks', about])}>{t('callback.about')}</a>}
      {kind === 'missed' ? <a href={pathTo(['callbacks'], { bot_id: botId })}>{t('bot.callbacks')}</a> : null}
      {kind === 'callback' ? (
        <>
          <a href={pathTo(['bots'], { bot_id: botId })}>{t('callback.bot')}</a>
          <a href={pathTo(['playground'], { callback: id })}>{t('playground.open')}</a>
          <a href={`/api/callbacks/${id}/body`}>{t('callback.json')}</a>
        </>
      ) : null}
    </>
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
