/** What is wrong with a body, by the pointers of the values at fault. */
import type { CallbackError } from '../../../callback/callback.ts';
import { faultInJapanese } from '../../../callback/fault-words.ts';
import { Code, Foreign } from '../parts/text.tsx';
import { REFUSED_WORDS } from '../words/refused.ts';
import { useReader, useWords } from '../use-reader.ts';

/** A body may have thousands. */
const MOST_SHOWN = 100;

interface FaultsProps {
  readonly errors: readonly CallbackError[];
}

export function Faults({ errors }: FaultsProps) {
  const reader = useReader();
  const words = useWords(REFUSED_WORDS);
  return (
    <div>
      <h3>{words.why}</h3>
      <ul class="reasons">
        {errors.slice(0, MOST_SHOWN).map(({ pointer, detail }) => (
          <li key={`${pointer} ${detail}`}>
            {pointer === '' ? words.whole : <Code text={pointer} />}{' '}
            <Foreign text={reader.language === 'ja' ? faultInJapanese(detail) : detail} />
          </li>
        ))}
      </ul>
      {errors.length > MOST_SHOWN ? (
        <p class="quiet">{words.moreReasons(errors.length - MOST_SHOWN)}</p>
      ) : null}
    </div>
  );
}
