/** Refused bodies by fault, and the list of one group. */
import type { CallbackError } from '../../../callback/callback.ts';
import { faultInJapanese, refusalInJapanese } from '../../../callback/fault-words.ts';
import type { ArchivedRefusal, RefusedAlike } from '../../../ledger/archive/archive.ts';
import { shortText } from '../../../text/cut.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Code, Foreign, ForeignBlock, Older, pathTo, Time } from '../parts/text.tsx';
import { type Reader, useReader, type View } from '../reader.ts';

const AT_ONCE = 20;
/** Limit on the faults shown, since a body may have thousands. */
const MOST_FAULTS = 100;
/** Limit on the part of a body that is shown; the API has all that was kept. */
const SHOWN_CHARACTERS = 4000;

export const refusedView: View = async ({ query, reader, services: { archive } }) => {
  const { t } = reader;
  const like = wholeNumberIn(query.get('like'));
  const before = wholeNumberIn(query.get('before'));
  const alike = like === undefined ? undefined : await archive.refusals({ before, limit: AT_ONCE }, like);
  const shown =
    alike === undefined
      ? (await archive.refusedAlike()).map((group) => refusalOf(group.newest, reader, group))
      : alike.items.map((refusal) => refusalOf(refusal, reader));
  const body = (
    <>
      {shown.length === 0 ? <p class="empty">{t('refused.none')}</p> : shown}
      {alike?.next === undefined ? null : <Older to={pathTo(['refused'], { like, before: alike.next })} />}
    </>
  );
  return { title: t('nav.refused'), lead: t('refused.lead'), body };
};

/** The group's size. */
function groupOf({ newest, count, oldestAt }: RefusedAlike, { t, formats }: Reader) {
  return (
    <div class="facts">
      <strong>{t('refused.times', { number: count })}</strong>
      {count === 1 ? null : t('refused.since', { time: formats.short(oldestAt) })}
      {count === 1 ? null : <a href={pathTo(['refused'], { like: newest.id })}>{t('refused.all')}</a>}
    </div>
  );
}

/** @param group undefined for one of a group */
function refusalOf(refusal: ArchivedRefusal, reader: Reader, group?: RefusedAlike) {
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
          <Foreign text={language === 'ja' ? refusalInJapanese(status, detail) : detail} />
        </p>
      )}
      {group === undefined ? null : groupOf(group, reader)}
      {body === '' ? (
        <p class="quiet">{t('refused.empty')}</p>
      ) : (
        <details>
          <summary>{t('refused.body')}</summary>
          <ForeignBlock text={shortText(body, SHOWN_CHARACTERS)} label={t('refused.body')} />
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
          <Foreign text={language === 'ja' ? faultInJapanese(detail) : detail} />
        </li>
      ))}
      {errors.length > MOST_FAULTS ? <li>…</li> : null}
    </ul>
  );
}
