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

type Alike = [StoryEvent, ...StoryEvent[]];

export function Timeline({ events }: { readonly events: readonly StoryEvent[] }) {
  const { formats } = useReader();
  const groups = alikeTogether(events);
  return (
    <ol class="timeline">
      {groups.map((group, index) => {
        const [{ at, small }] = group;
        const [day, before] = [at, groups[index - 1]?.at(-1)?.at ?? 0].map(formats.dayOf);
        const isNews = groups.findIndex(([event]) => event.small === small) === index;
        return <Entry key={index} group={group} day={day === before ? undefined : day} isNews={isNews} />;
      })}
    </ol>
  );
}

/** Attempts that failed for the same reason, one after the other: from the second one on they say nothing new. */
function alikeTogether(events: readonly StoryEvent[]): readonly Alike[] {
  const groups: Alike[] = [];
  const nameOf = ({ what, destination, small }: StoryEvent) => [what, destination, small].join('\n');
  for (const event of events) {
    const group = groups.at(-1);
    if (event.what === 'attempt' && group && nameOf(group[0]) === nameOf(event)) group.push(event);
    else groups.push([event]);
  }
  return groups;
}

interface EntryProps {
  readonly group: Alike;
  /** Undefined: that of the entry before. */
  readonly day: string | undefined;
  /** Its technical class has not been said before. */
  readonly isNews: boolean;
}

function Entry({ group: [event, ...alike], day, isNews }: EntryProps) {
  const { formats, t } = useReader();
  const { at, what, text, small } = event;
  const last = alike.at(-1);
  return (
    <li class={TONES[what]}>
      <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
        {day === undefined ? null : formats.day(day)} {formats.clock(at)}
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
