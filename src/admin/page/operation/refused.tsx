/** Refused bodies by fault, and the list of one group. */
import type { ComponentChildren } from 'preact';
import type { CallbackError } from '../../../callback/callback.ts';
import { faultInJapanese, refusalInJapanese } from '../../../callback/fault-words.ts';
import type { ArchivedRefusal, RefusedAlike } from '../../../ledger/archive/archive.ts';
import { shortText } from '../../../text/cut.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { PostButton } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Code, Foreign, ForeignBlock, Older, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

const AT_ONCE = 20;
/** Limit on the faults shown, since a body may have thousands. */
const MOST_FAULTS = 100;
/** Limit on the part of a body that is shown; the API has all that was kept. */
const SHOWN_CHARACTERS = 4000;

export const refusedView: View = async ({ query, reader: { t }, services: { archive } }) => {
  const like = wholeNumberIn(query.get('like'));
  const before = wholeNumberIn(query.get('before'));
  const alike = like === undefined ? undefined : await archive.refusals({ before, limit: AT_ONCE }, like);
  const groups = alike === undefined ? await archive.refusedAlike() : [];
  const next = alike?.next;
  const body = (
    <>
      {(alike?.items ?? groups).length === 0 ? <p class="empty">{t('refused.none')}</p> : null}
      {groups.map((group) => (
        <Refusal key={group.newest.id} refusal={group.newest}>
          <Group group={group} />
        </Refusal>
      ))}
      {alike?.items.map((refusal) => (
        <Refusal key={refusal.id} refusal={refusal} />
      ))}
      {next === undefined ? null : <Older to={pathTo(['refused'], { like, before: next })} />}
    </>
  );
  return { title: t('nav.refused'), lead: t('refused.lead'), body };
};

/** The group's size and action. */
function Group({ group: { newest, count, unseen, oldestAt } }: { readonly group: RefusedAlike }) {
  const { t, formats } = useReader();
  return (
    <div class="facts">
      <strong>{t('refused.times', { number: count })}</strong>
      {count === 1 ? null : t('refused.since', { time: formats.short(oldestAt) })}
      {count === 1 ? null : <a href={pathTo(['refused'], { like: newest.id })}>{t('refused.all')}</a>}
      {unseen === 0 ? (
        <Status tone="idle" word={t('refused.seen')} />
      ) : (
        <PostButton
          action="/act/see-refused"
          fields={{ id: newest.id }}
          word={t('refused.see')}
          kind="small"
        />
      )}
    </div>
  );
}

interface RefusalProps {
  readonly refusal: ArchivedRefusal;
  readonly children?: ComponentChildren;
}

function Refusal({ refusal, children }: RefusalProps) {
  const { t, language } = useReader();
  const { receivedAt, status, detail, errors, from } = refusal;
  const aside = (
    <>
      <Time at={receivedAt} /> · {t('refused.from')} <Code text={from} />
    </>
  );
  return (
    <Section title={<Status tone="bad" word={`${status} · ${t(`refused.${status}`)}`} />} aside={aside}>
      {errors.length > 0 ? (
        <Faults errors={errors} />
      ) : (
        <p>
          <Foreign text={language === 'ja' ? refusalInJapanese(status, detail) : detail} />
        </p>
      )}
      {children}
      <Body refusal={refusal} />
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

function Body({ refusal: { body } }: RefusalProps) {
  const { t } = useReader();
  if (body === '') return <p class="quiet">{t('refused.empty')}</p>;
  return (
    <details>
      <summary>{t('refused.body')}</summary>
      <ForeignBlock text={shortText(body, SHOWN_CHARACTERS)} label={t('refused.body')} />
    </details>
  );
}
