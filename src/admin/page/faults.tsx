/** Error pages: not found, an invalid request, an unavailable ledger, an unforeseen error. */
import { HttpProblem } from '../../http/problem.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { outcomeInWords, Refused, statusOf } from '../../people/outcomes.ts';
import { Foreign } from './parts/text.tsx';
import type { Reader } from './reader.ts';
import type { Shown } from './view.ts';

export function faultPage(error: unknown, { t, word, here, language }: Reader): Shown {
  if (error instanceof LedgerUnavailable) {
    const again = <a href={here}>{t('unreadable.again')}</a>;
    return { status: 503, title: t('unreadable.title'), lead: t('unreadable.text'), facts: again };
  }
  if (error instanceof Refused) {
    const { outcome } = error;
    const why = <Foreign text={outcomeInWords(outcome, language)} />;
    return { status: statusOf(outcome), title: t('refusedRequest'), facts: why };
  }
  if (!(error instanceof HttpProblem))
    return { status: 500, title: t('unforeseen.title'), lead: t('unforeseen.text') };
  const { status, detail } = error.details;
  const why = language === 'en' ? detail : word('fault', String(status));
  if (status !== 404) return { status, title: t('refusedRequest'), facts: <Foreign text={why} /> };
  const home = <a href="/">{t('notFound.home')}</a>;
  return { status, title: t('notFound.title'), lead: t('notFound.text'), facts: home };
}
