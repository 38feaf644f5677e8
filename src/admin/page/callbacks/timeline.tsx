/** What happened to a callback, one event under the other, the technical class small. */
import type { StoryEvent, StoryEventName } from '../../../story/event.ts';
import type { Tone } from '../parts/status.tsx';
import { Code } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

const TONES: Readonly<Partial<Record<StoryEventName, Tone>>> = {
  attempt: 'wait',
  delivered: 'good',
  dead: 'bad',
  'taken over': 'wait',
  alerted: 'wait',
  next: 'wait',
};

export function Timeline({ events }: { readonly events: readonly StoryEvent[] }) {
  const groups = alikeTogether(events);
  const firstOf = new Map(groups.map(([{ small }], index) => [small, index] as const).toReversed());
  return (
    <ol class="timeline">
      {groups.map(([event, ...alike], index) => (
        <Entry
          key={index}
          event={event}
          before={groups[index - 1]?.at(-1)}
          alike={alike}
          isNews={firstOf.get(event.small) === index}
        />
      ))}
    </ol>
  );
}

type Alike = readonly [StoryEvent, ...StoryEvent[]];

/** Attempts that failed for the same reason, one after the other: from the second one on they say nothing new. */
function alikeTogether(events: readonly StoryEvent[]): readonly Alike[] {
  const groups: [StoryEvent, ...StoryEvent[]][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last[0], event)) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

function isAlike(one: StoryEvent, other: StoryEvent): boolean {
  return (
    one.what === 'attempt' &&
    other.what === 'attempt' &&
    one.destination === other.destination &&
    one.small === other.small
  );
}

interface EntryProps {
  readonly event: StoryEvent;
  readonly before: StoryEvent | undefined;
  readonly alike: readonly StoryEvent[];
  /** Its technical class has not been said before. */
  readonly isNews: boolean;
}

function Entry({ event, before, alike, isNews }: EntryProps) {
  const { formats, t } = useReader();
  const { at, what, text, small } = event;
  const isOfNewDay = before === undefined || formats.dayOf(before.at) !== formats.dayOf(at);
  const last = alike.at(-1);
  return (
    <li class={TONES[what]}>
      <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
        {isOfNewDay ? formats.day(formats.dayOf(at)) : null} {formats.clock(at)}
      </time>
      <div>
        <p dir="auto">{text}</p>
        {small === undefined || !isNews ? null : (
          <small class="quiet">
            <Code text={small} />
          </small>
        )}
        {last === undefined ? null : (
          <details>
            <summary>{t('callback.alike', { attempts: alike.length, time: formats.short(last.at) })}</summary>
            <ol>
              {alike.map((each, index) => (
                <li key={index}>
                  {formats.clock(each.at)} {each.text}
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </li>
  );
}
