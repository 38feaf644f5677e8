/** One callback: its summary in a sentence, its deliveries with their actions, and its timeline. */
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../../ledger/ledger.ts';
import type { StoryEvent, StoryEventName } from '../../../story/sayings.ts';
import { MessageFrame } from '../message.tsx';
import type { CallbackStory } from '../../../ledger/archive/archive.ts';
import type { KeptSnooze } from '../../../ledger/signal/snoozes.ts';
import { type LoadedStory, loadStory } from '../../../story/story.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Snoozed } from '../operation/snoozes.tsx';
import { PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { DeliveryStatus, KindStatus, type Tone, toneOf } from '../parts/status.tsx';
import { Code, JobLink, nameOf, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

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
          <a href={`/api/callbacks/${id}/body`}>JSON</a>
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

interface OfDelivery {
  readonly delivery: DeliveryRecord;
}

export function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryRecord[] }) {
  const { t } = useReader();
  return (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.id} class={toneOf(delivery)}>
          <Facts delivery={delivery} />
          <Actions delivery={delivery} />
          <details>
            <summary>{t('callback.message')}</summary>
            <MessageFrame
              path={pathTo(['deliveries', delivery.id, 'message'])}
              destination={delivery.destination}
            />
          </details>
        </li>
      ))}
    </ul>
  );
}

/** Gives no reasons in words and no next steps: the summary and the timeline have these. */
function Facts({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { destination, state, attempts, updatedAt, lastError, heldUntil, summaryId } = delivery;
  return (
    <div class="facts">
      <h3>
        <Code text={destination} />
      </h3>
      <DeliveryStatus delivery={delivery} />
      {heldUntil === undefined ? null : (
        <span>
          {t('callback.until')} <Time at={heldUntil} />
        </span>
      )}
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

function Actions({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { id } = delivery;
  const acts = actsOn(delivery);
  if (acts.length === 0) return null;
  return (
    <div class="actions">
      {acts.map((act, index) => (
        <PostButton
          key={act}
          action={act === 'dismiss' ? '/act/dismiss' : '/act/redeliver'}
          fields={act === 'once more' ? { id, again: '1' } : { id }}
          word={t(`callback.${act}`)}
          kind={index === 0 && act !== 'once more' ? 'primary small' : 'small'}
        />
      ))}
    </div>
  );
}

/** The possible actions, the most likely one first. */
function actsOn({ state, reason, dueInMs, behind, claim }: DeliveryRecord) {
  if (reason === SUPERSEDED) return [];
  if (state === 'delivered') return ['once more'] as const;
  const isUnderWay = claim !== undefined || behind !== undefined || dueInMs <= 0;
  if (state === 'pending') return isUnderWay ? [] : (['try now'] as const);
  if (reason === DISMISSED) return ['redeliver'] as const;
  // A delivery held by a rule is released by that rule.
  return state === 'dead' || reason === NO_LONGER_ROUTED ? (['redeliver', 'dismiss'] as const) : [];
}

const TONES: Readonly<Partial<Record<StoryEventName, Tone>>> = {
  attempt: 'wait',
  delivered: 'good',
  dead: 'bad',
  'taken over': 'wait',
  alerted: 'wait',
};

type Alike = [StoryEvent, ...StoryEvent[]];

export function Timeline({ events }: { readonly events: readonly StoryEvent[] }) {
  const { formats } = useReader();
  const groups = alikeTogether(events);
  return (
    <ol class="timeline">
      {groups.map((group, index) => {
        const [day, before] = [group[0].at, groups[index - 1]?.[0].at ?? 0].map(formats.day);
        return <Entry key={index} group={group} day={day === before ? undefined : day} />;
      })}
    </ol>
  );
}

/** Folds each event into an earlier one of the same kind, destination and technical class. */
function alikeTogether(events: readonly StoryEvent[]): readonly Alike[] {
  const groups = new Map<string, Alike>();
  events.forEach((event, index) => {
    const { what, destination, small = index } = event;
    const name = [what, destination, small].join('\n');
    const group = groups.get(name);
    if (group) group.push(event);
    else groups.set(name, [event]);
  });
  return [...groups.values()];
}

interface EntryProps {
  readonly group: Alike;
  /** Undefined if it is the day of the entry before. */
  readonly day: string | undefined;
}

function Entry({ group: [event, ...alike], day }: EntryProps) {
  const { formats, t } = useReader();
  const { at, what, text, small } = event;
  const last = alike.at(-1);
  return (
    <li class={TONES[what]}>
      <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
        {day} {formats.clock(at)}
      </time>
      <div>
        <p dir="auto">{text}</p>
        {small === undefined ? null : (
          <small class="quiet">
            <Code text={small} />
          </small>
        )}
        {last === undefined ? null : (
          <details>
            <summary>{t('callback.alike', { times: alike.length, time: formats.short(last.at) })}</summary>
            <ol>
              {alike.map((each, index) => (
                <li key={index}>
                  {formats.short(each.at)} {each.text}
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </li>
  );
}
