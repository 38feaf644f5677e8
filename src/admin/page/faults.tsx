/** Pages for what cannot be shown: nothing there, a filter that makes no sense, a ledger that cannot be read. */
import { HttpProblem, type ProblemDetails } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { Foreign, Link } from './parts/text.tsx';
import type { Reader } from './reader.ts';
import type { Shown } from './view.ts';

export function notFoundPage({ t }: Reader): Shown {
  return faultPage(404, t('notFound.title'), t('notFound.text'), <Link to="/">{t('notFound.home')}</Link>);
}

/** What went wrong, for people; undefined: nobody foresaw it. */
export function faultPageOf(error: unknown, reader: Reader): Shown | undefined {
  if (error instanceof LedgerUnavailable) return unreadablePage(reader);
  if (error instanceof HttpProblem) return problemPage(error.details, reader);
  return undefined;
}

export function unforeseenPage({ t }: Reader): Shown {
  return faultPage(500, t('unforeseen.title'), t('unforeseen.text'), null);
}

function unreadablePage({ t, here }: Reader): Shown {
  const again = <Link to={here}>{t('unreadable.again')}</Link>;
  return faultPage(503, t('unreadable.title'), t('unreadable.text'), again);
}

export function problemPage({ status, detail }: ProblemDetails, { t }: Reader): Shown {
  return faultPage(status, t('refusedRequest'), '', <Foreign text={detail} />);
}

function faultPage(status: number, title: string, text: string, more: Shown['body'] | null): Shown {
  const body = (
    <article class="fault">
      <h1>{title}</h1>
      {text === '' ? null : <p>{text}</p>}
      {more}
    </article>
  );
  return { title, section: undefined, status, body };
}
