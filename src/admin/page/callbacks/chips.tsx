/** Deliveries at a glance: a chip each, which says who and what became of it. */
import type { ArchivedDelivery } from '../../../ledger/archive/archive.ts';
import { Status, STATE_TONES, stateWord } from '../parts/status.tsx';
import { Code } from '../parts/text.tsx';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { useReader, useWords } from '../use-reader.ts';

const MOST_CHIPS = 6;

interface ChipsProps {
  readonly deliveries: readonly ArchivedDelivery[];
}

export function Chips({ deliveries }: ChipsProps) {
  const reader = useReader();
  const words = useWords(CALLBACKS_WORDS);
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
