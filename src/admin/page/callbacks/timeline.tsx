/** The events of a callback in order. */
import type { StoryEvent, StoryEventName } from '../../../story/sayings.ts';
import type { Tone } from '../parts/status.tsx';
import { Code } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

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
