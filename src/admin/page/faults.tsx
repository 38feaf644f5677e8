/** Pages for what cannot be shown: nothing there, a filter that makes no sense, a ledger that cannot be read. */
import { HttpProblem, type ProblemDetails } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { Code, Foreign, Link } from './parts/text.tsx';
import type { Reader } from './reader.ts';
import { type QueryProblem, SenselessQuery, type Shown } from './view.ts';
import { PAGE_WORDS } from './words/page.ts';

export function notFoundPage({ language }: Reader): Shown {
  const { title, text, home } = PAGE_WORDS[language].notFound;
  return faultPage(404, title, text, <Link to="/">{home}</Link>);
}

/** What went wrong, for people; undefined: nobody foresaw it. */
export function faultPageOf(error: unknown, reader: Reader): Shown | undefined {
  if (error instanceof SenselessQuery) return senselessPage(error.problems, reader);
  if (error instanceof LedgerUnavailable) return unreadablePage(reader);
  if (error instanceof HttpProblem) return problemPage(error.details, reader);
  return undefined;
}

export function unforeseenPage({ language }: Reader): Shown {
  const { title, text } = PAGE_WORDS[language].unforeseen;
  return faultPage(500, title, text, null);
}

function senselessPage(problems: readonly QueryProblem[], { language, here }: Reader): Shown {
  const { title, text, reset } = PAGE_WORDS[language].badRequest;
  const list = (
    <>
      <ul>
        {problems.map(({ parameter, detail }) => (
          <li key={`${parameter} ${detail}`}>
            <Code text={parameter} /> {detail}
          </li>
        ))}
      </ul>
      <p>
        <Link to={here.split('?', 1)[0] ?? '/'}>{reset}</Link>
      </p>
    </>
  );
  return faultPage(400, title, text, list);
}

function unreadablePage({ language, here }: Reader): Shown {
  const { title, text, again } = PAGE_WORDS[language].unreadable;
  return faultPage(503, title, text, <Link to={here}>{again}</Link>);
}

export function problemPage({ status, detail }: ProblemDetails, { language }: Reader): Shown {
  return faultPage(status, PAGE_WORDS[language].refusedRequest, '', <Foreign text={detail} />);
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
