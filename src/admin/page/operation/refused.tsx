/** Refused bodies, grouped by what is wrong with them as dead letters are by their cause; and each of a group. */
import type { ComponentChildren } from 'preact';
import type { ArchivedRefusal, Page, RefusedAlike } from '../../../ledger/archive/archive.ts';
import type { Archive } from '../../../ledger/people.ts';
import { cleanText } from '../../../text/clean.ts';
import { refusalInJapanese } from '../../../callback/fault-words.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Paging } from '../parts/table.tsx';
import { Code, Foreign, ForeignBlock, Link, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader } from '../reader.ts';
import { idIn, type View } from '../view.ts';
import { Faults } from './faults-of-body.tsx';

const AT_ONCE = 20;

/** Of a body, on the page; the API has all that was kept. */
const SHOWN_CHARACTERS = 4000;

export const refusedView: View = async ({ query, reader, services: { archive } }) => {
  const title = reader.t('refused.title');
  const like = idIn(query.get('like'));
  if (like === undefined)
    return { title, section: 'refused', body: <Groups groups={await archive.refusedAlike()} /> };
  const before = idIn(query.get('before'));
  const page = await archive.refusals({ before, limit: AT_ONCE }, like);
  return {
    title,
    section: 'refused',
    body: <Each page={page} like={like} isNewest={before === undefined} />,
  };
};

export async function refusalWith(
  archive: Pick<Archive, 'refusals'>,
  id: number | undefined,
): Promise<ArchivedRefusal | undefined> {
  if (id === undefined) return undefined;
  const { items } = await archive.refusals({ before: id + 1, limit: 1 });
  return items.find((item) => item.id === id);
}

function Groups({ groups }: { readonly groups: readonly RefusedAlike[] }) {
  const { t } = useReader();
  return (
    <>
      <Head title={t('refused.title')} lead={t('refused.lead')} />
      {groups.length === 0 ? <p class="empty">{t('refused.none')}</p> : null}
      {groups.map((group) => (
        <Group key={group.newest.id} group={group} />
      ))}
    </>
  );
}

function Group({ group: { newest, count, unseen, oldestAt } }: { readonly group: RefusedAlike }) {
  const { t, formats } = useReader();
  return (
    <Refusal refusal={newest}>
      <p class="facts">
        <strong>{t('refused.times', { number: count })}</strong>
        {count === 1 ? null : t('refused.since', { time: formats.short(oldestAt) })}
        {unseen === 0 ? <Status tone="idle" word={t('refused.seen')} /> : null}
      </p>
      <div class="actions">
        {unseen === 0 ? null : (
          <PostButton action="/act/see-refused" fields={{ refused: newest.id }} word={t('refused.see')} />
        )}
        {count === 1 ? null : <Link to={pathTo(['refused'], { like: newest.id })}>{t('refused.all')}</Link>}
      </div>
    </Refusal>
  );
}

interface EachProps {
  readonly page: Page<ArchivedRefusal>;
  /** The id of one of them. */
  readonly like: number;
  readonly isNewest: boolean;
}

function Each({ page: { items, next }, like, isNewest }: EachProps) {
  const { t } = useReader();
  const pageBefore = (before: number | undefined) => pathTo(['refused'], { like, before });
  return (
    <>
      <Head title={t('refused.title')} />
      {items.map((refusal) => (
        <Refusal key={refusal.id} refusal={refusal} />
      ))}
      <Paging
        newest={isNewest ? undefined : pageBefore(undefined)}
        older={next === undefined ? undefined : pageBefore(next)}
      />
    </>
  );
}

interface RefusalProps {
  readonly refusal: ArchivedRefusal;
  readonly children?: ComponentChildren;
}

function Refusal({ refusal, children }: RefusalProps) {
  const { t, language } = useReader();
  const { receivedAt, status, detail, errors, from } = refusal;
  return (
    <Section
      title={<Status tone="bad" word={`${status} · ${t(`refused.${status}`)}`} />}
      aside={
        <>
          <Time at={receivedAt} /> · {t('refused.from')} <Code text={from} />
        </>
      }
    >
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

function Body({ refusal: { id, body } }: RefusalProps) {
  const { t, formats } = useReader();
  if (body === '') return <p class="quiet">{t('refused.empty')}</p>;
  const shown = body.slice(0, SHOWN_CHARACTERS);
  const size = (text: string) => formats.size(Buffer.byteLength(text));
  return (
    <details>
      <summary>{t('refused.body')}</summary>
      <ForeignBlock text={cleanText(shown)} label={`${t('refused.body')} (${id})`} />
      {shown === body ? null : (
        <p class="quiet">{t('refused.cut', { shown: size(shown), kept: size(body) })}</p>
      )}
      <p class="actions">
        <Link to={pathTo(['playground'], { refused: id })} className="button small">
          {t('playground.open')}
        </Link>
      </p>
    </details>
  );
}
