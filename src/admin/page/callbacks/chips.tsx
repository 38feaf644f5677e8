/** Deliveries at a glance: a chip each, which says who and what became of it. */
import type { ArchivedDelivery } from '../../../ledger/archive/archive.ts';
import { Status, STATE_TONES, stateWord } from '../parts/status.tsx';
import { Code } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';

const MOST_CHIPS = 6;

interface ChipsProps {
  readonly deliveries: readonly ArchivedDelivery[];
  readonly reader: Reader;
}

export function Chips({ deliveries, reader }: ChipsProps) {
  const words = CALLBACKS_WORDS[reader.language];
  if (deliveries.length === 0) return <span class="quiet">{words.nobody}</span>;
  const more = deliveries.length - MOST_CHIPS;
  return (
    <ul class="chips">
      {deliveries.slice(0, MOST_CHIPS).map(({ id, destination, state, hold }) => (
        <li key={id} class={`chip ${STATE_TONES[state]}`}>
          <Status
            tone={STATE_TONES[state]}
            word={stateWord({ state, hold }, reader)}
            isWordUnseen={state === 'delivered'}
          />
          <Code text={destination} />
        </li>
      ))}
      {more > 0 ? <li class="chip idle">{words.moreChips(more)}</li> : null}
    </ul>
  );
}
