/** What stands of a redelivery on several pages: whom it means, and who asked for it. */
import { statusNameOf } from '../../../callback/callback.ts';
import type { Actor } from '../../../ledger/history.ts';
import type { RedeliveryFilter } from '../../../ledger/actions/actions.ts';
import { Foreign } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { REDELIVERY_WORDS } from '../words/redeliveries.ts';
import { useReader, useWords } from '../use-reader.ts';

/** A filter as chips: what it asks for, and of what. */
export function Meant({ filter }: { readonly filter: RedeliveryFilter }) {
  const reader = useReader();
  const words = useWords(REDELIVERY_WORDS);
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return <>{words.all}</>;
  return (
    <ul class="chips">
      {entries.map(([name, value]) => (
        <li key={name} class="chip idle">
          <span class="quiet">{words.filter[name as keyof RedeliveryFilter]}</span>{' '}
          <Foreign text={valueInWords(name as keyof RedeliveryFilter, value, reader)} />
        </li>
      ))}
    </ul>
  );
}

function valueInWords(name: keyof RedeliveryFilter, value: unknown, reader: Reader): string {
  const words = PAGE_WORDS[reader.language];
  if (value === '') return REDELIVERY_WORDS[reader.language].noError;
  if (name === 'from' || name === 'to') return reader.formats.short(Number(value));
  if (name === 'status') return words.status[statusNameOf({ status: value as 0 | 1 | 2 })];
  const named: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    state: words.state,
    result: words.result,
    errorClass: words.errorClass,
  };
  return named[name]?.[String(value)] ?? String(value);
}

/** Who asked for it. */
export function Who({ actor: { user, from } }: { readonly actor: Actor }) {
  const words = useWords(REDELIVERY_WORDS);
  return (
    <>
      {user === undefined ? words.nobody : <Foreign text={user} />}{' '}
      <span class="quiet">
        <Foreign text={words.from(from)} />
      </span>
    </>
  );
}
