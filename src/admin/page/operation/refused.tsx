/** Refused bodies: what came, from where, and what is wrong with it, pointer by pointer. */
import type { Context } from 'koa';
import type { ArchivedRefusal, Page } from '../../../ledger/archive/archive.ts';
import type { Archive } from '../../../ledger/people.ts';
import { cleanText } from '../../../text/clean.ts';
import { Status } from '../parts/status.tsx';
import { DefinitionList, Paging } from '../parts/table.tsx';
import { Code, Foreign, ForeignBlock, Link, pathTo } from '../parts/text.tsx';
import { Instant } from '../parts/time.tsx';
import { idIn, SenselessQuery, type View } from '../view.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { Faults } from './faults-of-body.tsx';
import { REFUSED_WORDS } from '../words/refused.ts';
import { useReader, useWords } from '../use-reader.ts';

const AT_ONCE = 20;

/** Of a body, on the page; all that was kept can be downloaded. */
const SHOWN_CHARACTERS = 4000;

export const refusedView: View = async ({ query, reader, services }) => {
  const text = query.get('before') ?? '';
  const before = idIn(text);
  if (text !== '' && before === undefined) {
    const detail = PAGE_WORDS[reader.language].badRequest.text;
    throw new SenselessQuery([{ parameter: 'before', detail }]);
  }
  const page = await services.archive.refusals({ before, limit: AT_ONCE });
  return {
    title: REFUSED_WORDS[reader.language].title,
    section: 'refused',
    body: <Refused page={page} isNewest={before === undefined} />,
  };
};

/** All that was kept of a body, as text and never as anything else. */
export async function answerRefusedBody(
  ctx: Context,
  archive: Archive,
  idText: string | undefined,
): Promise<void> {
  const refusal = await refusalWith(archive, idIn(idText));
  if (refusal === undefined) return;
  ctx.set({
    'Content-Disposition': `attachment; filename="refused-${refusal.id}.txt"`,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = refusal.body.toWellFormed();
}

export async function refusalWith(
  archive: Pick<Archive, 'refusals'>,
  id: number | undefined,
): Promise<ArchivedRefusal | undefined> {
  if (id === undefined) return undefined;
  const { items } = await archive.refusals({ before: id + 1, limit: 1 });
  return items.find((item) => item.id === id);
}

interface RefusedProps {
  readonly page: Page<ArchivedRefusal>;
  readonly isNewest: boolean;
}

export function Refused({ page: { items, next }, isNewest }: RefusedProps) {
  const words = useWords(REFUSED_WORDS);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      {items.length === 0 ? <p class="empty">{words.none}</p> : null}
      {items.map((refusal) => (
        <Refusal key={refusal.id} refusal={refusal} />
      ))}
      <Paging
        newest={isNewest ? undefined : '/refused'}
        older={next === undefined ? undefined : pathTo(['refused'], { before: next })}
      />
    </>
  );
}

interface RefusalProps {
  readonly refusal: ArchivedRefusal;
}

function Refusal({ refusal }: RefusalProps) {
  const words = useWords(REFUSED_WORDS);
  const { id, receivedAt, status, detail, errors, from } = refusal;
  return (
    <article class="panel" id={`refused-${id}`} aria-labelledby={`refused-${id}-title`}>
      <header>
        <h2 id={`refused-${id}-title`}>
          <Instant at={receivedAt} />
        </h2>
        <Status tone="bad" word={`${status} · ${words.status[status]}`} />
      </header>
      <DefinitionList
        terms={[
          { term: words.from, details: <Code text={from} /> },
          // With reasons, it says no more than the status does.
          ...(errors.length > 0 ? [] : [{ term: words.answer, details: <Foreign text={detail} /> }]),
        ]}
      />
      {errors.length === 0 ? null : <Faults errors={errors} />}
      <Body refusal={refusal} />
    </article>
  );
}

function Body({ refusal: { id, body } }: RefusalProps) {
  const reader = useReader();
  const words = useWords(REFUSED_WORDS);
  if (body === '') return <p class="quiet">{words.empty}</p>;
  const shown = cleanText(body.slice(0, SHOWN_CHARACTERS));
  const isCut = body.length > SHOWN_CHARACTERS;
  const size = (text: string) => reader.formats.size(Buffer.byteLength(text));
  return (
    <details>
      <summary>{words.body}</summary>
      <ForeignBlock text={shown} label={`${words.body} (${id})`} />
      {isCut ? <p class="quiet">{words.cut(size(body.slice(0, SHOWN_CHARACTERS)), size(body))}</p> : null}
      <p class="actions">
        <Link to={pathTo(['playground'], { refused: id })} className="button small">
          {words.open}
        </Link>
        <Link to={`/refused/${id}/body`} download>
          {words.download}
        </Link>
      </p>
    </details>
  );
}
