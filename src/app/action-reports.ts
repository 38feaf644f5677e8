/** What the log says of what people do. */
import type { ReportedAction } from '../deliver/operations.ts';
import type { BulkStep } from '../ledger/actions/actions.ts';
import type { Logger } from '../observe/logger.ts';
import { cleanText } from '../text/clean.ts';
import { shortText } from '../text/cut.ts';
import { unfailing } from '../time/clock.ts';

/** A user name or an address comes from whoever asks. */
const LONGEST_NAME = 200;

const SAID: Readonly<Record<ReportedAction['what'], string>> = {
  redeliver: 'asked to deliver again',
  dismiss: 'asked to dismiss',
  'route anew': 'asked to route anew',
  'redeliver in bulk': 'asked to act on all that match',
  'stop in bulk': 'asked to stop what acts on all that match',
  test: 'asked to send a test',
};

type BulkEnd = NonNullable<BulkStep['ended']>;

export interface ActionReports {
  readonly onAction: (action: ReportedAction) => void;
  readonly onBulkEnded: (ended: BulkEnd) => void;
}

export function actionReports(logger: Logger, onUnforeseen: (error: unknown) => void): ActionReports {
  return {
    onAction: unfailing(({ what, actor, subject, result }: ReportedAction) => {
      const { via, user, from } = actor;
      const line = { of: named(String(subject)), result, via, user: user && named(user), from: named(from) };
      logger.info(line, SAID[what]);
    }, onUnforeseen),
    onBulkEnded: unfailing(({ id, what, given }: BulkEnd) => {
      logger.info({ of: String(id), messages: given, what }, 'all that matched has been gone through');
    }, onUnforeseen),
  };
}

function named(text: string): string {
  return shortText(cleanText(text), LONGEST_NAME);
}
