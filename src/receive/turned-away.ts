/** What is reported of requests that are turned away before they are read, and no part of a token with it. */
import type { Context } from 'koa';
import type { ReceiverConfig } from '../config/config.ts';
import type { ProblemState } from '../http/problem.ts';
import type { SenderReader } from '../http/remote-address.ts';
import { unfailing } from '../time/unfailing.ts';

/** A request that was turned away before it was read: wrong path, token, address or method, or no HTTP. */
export interface TurnedAway {
  /** HTTP status code. */
  readonly status: number;
  /** The sender's address. */
  readonly from: string | undefined;
  /** Like `path`, unknown of what is no HTTP. */
  readonly method?: string;
  /** What of the path may be said: where a token may stand, or something else that nobody knows, it says `…`. */
  readonly path?: string;
  readonly problem: string;
}

interface Reporting {
  readonly config: Pick<ReceiverConfig, 'path'>;
  readonly senderOf: SenderReader;
  readonly reportTurnedAway: (report: TurnedAway) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

/** Hears of an answer that nobody was let in for. */
export function turnedAwayReporter({ config, senderOf, reportTurnedAway, onUnforeseen }: Reporting) {
  const report = unfailing(reportTurnedAway, onUnforeseen);
  const known = new Set(config.path.split('/'));
  return (ctx: Context): void => {
    const { req, method, status, state } = ctx;
    const from = senderOf(req).address;
    const { problem = '' } = state as ProblemState;
    setImmediate(report, { status, from, method, path: pathShown(req.url ?? '', known), problem });
  };
}

const LONGEST_PATH = 100;

/** Of a path that nobody knows, any part may be a token, or one misspelt. */
function pathShown(url: string, known: ReadonlySet<string>): string {
  const [path = ''] = url.slice(0, LONGEST_PATH).split('?', 1);
  const parts = path.split('/').map((part) => (known.has(part) ? part : '…'));
  return url.length > LONGEST_PATH ? `${parts.join('/')}…` : parts.join('/');
}
