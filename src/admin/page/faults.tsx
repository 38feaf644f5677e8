/** Error pages: not found, an invalid request, an unavailable ledger, an unforeseen error. */
import { HttpProblem } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { Foreign } from './parts/text.tsx';
import type { Reader } from './reader.ts';
import type { Shown } from './view.ts';

export function faultPage(error: unknown, { t, here }: Reader): Shown {
  if (error instanceof LedgerUnavailable) {
    const again = <a href={here}>{t('unreadable.again')}</a>;
    return { status: 503, title: t('unreadable.title'), lead: t('unreadable.text'), facts: again };
  }
  if (!(error instanceof HttpProblem))
    return { status: 500, title: t('unforeseen.title'), lead: t('unforeseen.text') };
  const { status, detail } = error.details;
  if (status !== 404) return { status, title: t('refusedRequest'), facts: <Foreign text={detail} /> };
  const home = <a href="/">{t('notFound.home')}</a>;
  return { status, title: t('notFound.title'), lead: t('notFound.text'), facts: home };
}
