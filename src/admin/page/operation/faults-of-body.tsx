/** What is wrong with a body, by the pointers of the values at fault. */
import type { CallbackError } from '../../../callback/callback.ts';
import { Code, Foreign } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

/** A body may have thousands. */
const MOST_SHOWN = 100;

export function Faults({ errors }: { readonly errors: readonly CallbackError[] }) {
  const { t } = useReader();
  return (
    <ul class="reasons">
      {errors.slice(0, MOST_SHOWN).map(({ pointer, detail }) => (
        <li key={`${pointer} ${detail}`}>
          {pointer === '' ? t('refused.whole') : <Code text={pointer} />} <Foreign text={detail} />
        </li>
      ))}
      {errors.length > MOST_SHOWN ? (
        <li class="quiet">{t('refused.moreFaults', { number: errors.length - MOST_SHOWN })}</li>
      ) : null}
    </ul>
  );
}
