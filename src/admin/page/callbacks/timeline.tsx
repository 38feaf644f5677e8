/** What happened to a callback, one event under the other, the technical class small. */
import type { StoryEvent, StoryEventName } from '../../../story/event.ts';
import type { Tone } from '../parts/status.tsx';
import { Code } from '../parts/text.tsx';
import { useReader } from '../use-reader.ts';

const TONES: Readonly<Record<StoryEventName, Tone>> = {
  received: 'busy',
  'route matched': 'busy',
  'route did not match': 'idle',
  superseded: 'idle',
  held: 'idle',
  attempt: 'wait',
  delivered: 'good',
  dead: 'bad',
  'taken over': 'wait',
  answered: 'busy',
  alerted: 'wait',
  redelivered: 'busy',
  dismissed: 'idle',
  'routed anew': 'busy',
  'left out': 'idle',
  next: 'wait',
};

interface TimelineProps {
  readonly events: readonly StoryEvent[];
}

/** Two that say the same are two all the same. */
export function Timeline({ events }: TimelineProps) {
  return (
    <ol class="timeline">
      {events.map((event, index) => (
        <Event key={`${event.at} ${index}`} event={event} before={events[index - 1]} />
      ))}
    </ol>
  );
}

interface EventProps {
  readonly event: StoryEvent;
  readonly before: StoryEvent | undefined;
}

function Event({ event: { at, what, text, small, destination }, before }: EventProps) {
  const reader = useReader();
  const { formats } = reader;
  const isOfNewDay = before === undefined || formats.dayOf(before.at) !== formats.dayOf(at);
  return (
    <li class={TONES[what]}>
      <time dateTime={new Date(at).toISOString()} title={formats.instant(at)}>
        {isOfNewDay ? <span class="day">{formats.day(formats.dayOf(at))} </span> : null}
        {formats.clock(at)}
      </time>
      <div>
        <p dir="auto">{text}</p>
        {small === undefined && destination === undefined ? null : (
          <small class="quiet">
            {destination === undefined ? null : <Code text={destination} />}{' '}
            {small === undefined ? null : <Code text={small} />}
          </small>
        )}
      </div>
    </li>
  );
}
