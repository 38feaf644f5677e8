/** One callback: its summary in a sentence, its deliveries with their actions, and its timeline. */
import type { DeliveryRecord } from '../../../ledger/ledger.ts';
import { type Standing, standingOf, type Tone } from '../../../story/standing.ts';
import type { StoryEvent, StoryEventName } from '../../../story/sayings.ts';
import { MessageFrame } from '../message.tsx';
import type { KeptSnooze } from '../../../ledger/timers/timers.ts';
import { type LoadedStory, loadStory } from '../../../story/story.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Snoozed } from '../operation/snoozes.tsx';
import { PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { KindStatus, standingWord, Status } from '../parts/status.tsx';
import { At, Code, Foreign, JobLink, nameOf, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

export const showCallback: View = async ({ params, reader, services }) => {
  const { archive } = services;
  const found = await loadStory(archive, wholeNumberIn(params['id']) ?? 0, reader);
  if (found === undefined) return undefined;
  const { callback } = found;
  const { kind, id, botName, botId, gist = '' } = callback;
  const title = nameOf(botName, botId) || `${reader.word('kind', kind)} ${id}`;
  const holding = callback.deliveries.flatMap(({ heldUntil, snoozeId }) => (heldUntil && snoozeId) ?? []);
  const { items: snoozes } = await archive.snoozes({}, { ids: holding });
  return {
    title,
    lead: gist === '' ? undefined : <Foreign text={gist} class="status bad" />,
    facts: <CallbackFacts callback={callback} />,
    body: <Callback {...found} snoozes={snoozes} />,
  };
};

/** @param snoozes those that hold a message of the callback */
function Callback({ callback, story, snoozes }: LoadedStory & { readonly snoozes: readonly KeptSnooze[] }) {
  const reader = useReader();
  const { t } = reader;
  const { id, kind, botId, deliveries } = callback;
  return (
    <>
      <Section className="summary">
        <p dir="auto">{story.summary}</p>
        <Snoozed snoozes={snoozes} of={botId} />
      </Section>
      <Section title={t('callback.deliveries')}>
        <ul class="deliveries">{deliveries.map((delivery) => deliveryOf(delivery, reader))}</ul>
        {kind === 'callback' ? (
          <PostForm action="/act/route" fields={{ id }} className="actions">
            <button type="submit" class={deliveries.length === 0 ? 'primary' : undefined}>
              {t('callback.route')}
            </button>
            <small class="quiet">{t('callback.route, what')}</small>
          </PostForm>
        ) : null}
      </Section>
      <Section title={t('callback.timeline')}>
        <ol class="timeline">{story.events.map((event, index) => entryOf(event, index, reader))}</ol>
      </Section>
    </>
  );
}

function CallbackFacts({ callback }: Pick<LoadedStory, 'callback'>) {
  const { t, formats } = useReader();
  const {
    kind,
    id,
    botKey: bot_id,
    jobId,
    about,
    startedAt,
    receivedAt,
    elapsedSeconds,
    deliveries,
  } = callback;
  const incident = deliveries.find(({ telling }) => telling?.incident)?.telling?.incident;
  return (
    <>
      <KindStatus callback={callback} />
      <At word="started" as="instant" at={kind === 'callback' ? startedAt : undefined} />
      {elapsedSeconds === undefined ? null : `${t('took')} ${formats.elapsed(elapsedSeconds)}`}
      <At word="received" as="instant" at={receivedAt} />
      {jobId === '' ? null : <JobLink id={jobId} isWhole />}
      {incident === undefined ? null : (
        <a href={pathTo(['incidents', incident])}>{t('incidents.one', { id: incident })}</a>
      )}
      {about === undefined ? null : <a href={pathTo(['callbacks', about])}>{t('callback.about')}</a>}
      {kind === 'missed' ? <a href={pathTo(['callbacks'], { bot_id })}>{t('bot.callbacks')}</a> : null}
      {kind === 'callback' ? (
        <>
          <a href={pathTo(['bots'], { bot_id })}>{t('callback.bot')}</a>
          <a href={pathTo(['playground'], { callback: id })}>{t('playground.open')}</a>
          <a href={`/api/callbacks/${id}/body`}>JSON</a>
        </>
      ) : null}
    </>
  );
}

function deliveryOf(delivery: DeliveryRecord, reader: Reader) {
  const { id, destination } = delivery;
  const standing = standingOf(delivery, reader.now);
  return (
    <li key={id} class={standing.tone}>
      {factsOf(delivery, standing, reader)}
      {actionsOn(id, standing, reader)}
      <details>
        <summary>{reader.t('callback.message')}</summary>
        <MessageFrame path={pathTo(['deliveries', id, 'message'])} destination={destination} />
      </details>
    </li>
  );
}

/** Facts without reasons and next steps, which the summary and the timeline give. */
function factsOf(delivery: DeliveryRecord, standing: Standing, reader: Reader) {
  const { t } = reader;
  const { destination, state, attempts, updatedAt, lastError, heldUntil, summaryId } = delivery;
  return (
    <div class="facts">
      <h3>
        <Code text={destination} />
      </h3>
      <Status tone={standing.tone} word={standingWord(standing, reader)} />
      <At word="callback.until" at={heldUntil} />
      {summaryId === undefined ? null : (
        <a href={pathTo(['callbacks', summaryId])}>{t('callback.summary')}</a>
      )}
      {lastError === undefined || state === 'delivered' ? null : (
        <span>
          {t(`error_class.${lastError.class}`)} <Code text={lastError.code} />
        </span>
      )}
      <span class="quiet">
        {t('callback.attempts', { attempts })} · <Time as="ago" at={updatedAt} />
      </span>
    </div>
  );
}

function actionsOn(id: number, { acts }: Standing, { t }: Reader) {
  const buttons = acts.map((act, index) => (
    <PostButton
      key={act}
      action={act === 'dismiss' ? '/act/dismiss' : '/act/redeliver'}
      fields={act === 'once more' ? { id, again: '1' } : { id }}
      word={t(`callback.${act}`)}
      kind={index === 0 && act !== 'once more' ? 'primary small' : 'small'}
    />
  ));
  return buttons.length === 0 ? null : <div class="actions">{buttons}</div>;
}

const TONES: Readonly<Partial<Record<StoryEventName, Tone>>> = {
  attempt: 'wait',
  delivered: 'good',
  dead: 'bad',
  'taken over': 'wait',
  alerted: 'wait',
};

function entryOf({ at, what, text, small }: StoryEvent, key: number, { formats }: Reader) {
  return (
    <li key={key} class={TONES[what]}>
      <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
        {formats.day(at)} {formats.clock(at)}
      </time>
      <div>
        <p dir="auto">{text}</p>
        {small === undefined ? null : (
          <small class="quiet">
            <Code text={small} />
          </small>
        )}
      </div>
    </li>
  );
}
