/** Refused bodies, newest first. */
import type { CallbackError } from '../../../callback/callback.ts';
import { faultIn } from '../../../callback/fault-words.ts';
import type { ArchivedRefusal } from '../../../ledger/archive/archive.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Code, Foreign, ForeignBlock, NextPage, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

const AT_ONCE = 20;
/** Limit on the faults shown, since a body may have thousands. */
const MOST_FAULTS = 100;
/** Limit on the part of a body that is shown; the API has all that was kept. */
const SHOWN_CHARACTERS = 4000;

export const refusedView: View = async ({ query, reader, services: { archive } }) => {
  const { t } = reader;
  const before = wholeNumberIn(query.get('before'));
  const { items, next } = await archive.refusals({ before, limit: AT_ONCE });
  const body = (
    <>
      {items.length === 0 ? <p class="empty">{t('refused.none')}</p> : null}
      {items.map((refusal) => refusalOf(refusal, reader))}
      <NextPage of="refused" before={next} />
    </>
  );
  return { title: t('nav.refused'), lead: t('refused.lead'), body };
};

function refusalOf(refusal: ArchivedRefusal, reader: Reader) {
  const { t, language } = reader;
  const { id, receivedAt, status, detail, errors, from, body } = refusal;
  const aside = (
    <>
      <Time at={receivedAt} /> · {t('refused.from')} <Code text={from} />
    </>
  );
  const title = <Status tone="bad" word={`${status} · ${t(`refused.${status}`)}`} />;
  return (
    <Section key={id} title={title} aside={aside}>
      {errors.length > 0 ? (
        <Faults errors={errors} />
      ) : (
        <p>
          <Foreign text={faultIn(detail, language)} />
        </p>
      )}
      {body === '' ? (
        <p class="quiet">{t('refused.empty')}</p>
      ) : (
        <details>
          <summary>{t('refused.body')}</summary>
          <ForeignBlock text={body} most={SHOWN_CHARACTERS} label={t('refused.body')} />
        </details>
      )}
    </Section>
  );
}

/** A body's faults, each with the JSON pointer of its value. */
export function Faults({ errors }: { readonly errors: readonly CallbackError[] }) {
  const { t, language } = useReader();
  return (
    <ul class="reasons">
      {errors.slice(0, MOST_FAULTS).map(({ pointer, detail }) => (
        <li key={`${pointer} ${detail}`}>
          {pointer === '' ? t('refused.whole') : <Code text={pointer} />}{' '}
          <Foreign text={faultIn(detail, language)} />
        </li>
      ))}
      {errors.length > MOST_FAULTS ? <li>…</li> : null}
    </ul>
  );
}
