/** Pages for what cannot be shown: nothing there, a filter that makes no sense, a ledger that cannot be read. */
import type { ComponentChildren } from 'preact';
import { HttpProblem } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { Head } from './parts/layout.tsx';
import { Foreign } from './parts/text.tsx';
import type { Reader } from './reader.ts';
import type { Shown } from './view.ts';

export function faultPage(error: unknown, { t, here }: Reader): Shown {
  if (error instanceof LedgerUnavailable)
    return shown(
      503,
      t('unreadable.title'),
      t('unreadable.text'),
      <a href={here}>{t('unreadable.again')}</a>,
    );
  if (!(error instanceof HttpProblem)) return shown(500, t('unforeseen.title'), t('unforeseen.text'));
  const { status, detail } = error.details;
  if (status === 404)
    return shown(404, t('notFound.title'), t('notFound.text'), <a href="/">{t('notFound.home')}</a>);
  return shown(status, t('refusedRequest'), undefined, <Foreign text={detail} />);
}

function shown(status: number, title: string, lead?: string, more?: ComponentChildren): Shown {
  const body = (
    <Head title={title} lead={lead}>
      {more}
    </Head>
  );
  return { title, status, body };
}
