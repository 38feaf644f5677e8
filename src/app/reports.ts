/** Logs and metrics of the service's work: ids, outcomes and durations, never the text of a message. */
import type { ReloadResult } from '../admin/services.ts';
import { statusNameOf } from '../callback/callback.ts';
import type { Problem } from '../config/config.ts';
import { problemLines } from '../config/problems.ts';
import type { Milestone } from '../deliver/alerts.ts';
import type { HeldNotice } from '../deliver/delivering.ts';
import type { AttemptResult } from '../deliver/attempt.ts';
import type { Verdict } from '../deliver/outcome.ts';
import type { AddressedNotice } from '../deliver/settings.ts';
import type { BulkStep } from '../ledger/deliveries/by-hand.ts';
import { OperationFailed } from '../ledger/failures.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import type { LedgerOptions } from '../ledger/open-ledger.ts';
import type { StoreEvent } from '../ledger/sqlite/file.ts';
import type { TemplateFailure } from '../render/renderer.ts';
import type { TurnedAway } from '../http/problem.ts';
import { isAlert, isForOperators, jobIdOf, type Notice } from '../notice/notice.ts';
import type { Logger } from '../observe/logger.ts';
import { ADMIN_REFUSALS, type Metrics } from '../observe/metrics.ts';
import type { ReportedAction } from '../people/actions.ts';
import type { ReceiverReport } from '../receive/receiver.ts';
import { shortLine } from '../text/cut.ts';
import type { Clock } from '../time/clock.ts';

/** Characters of an id in a log line; an id may be as long as a body. */
const LONGEST_ID = 200;
const MOST_POINTERS = 10;
const MOST_PROBLEMS = 50;

/** Least time between two lines of one reason about turned-away requests or unwritten outcomes. */
const LINE_MS = 1000;
/** Least time between two lines about the store's size. */
const STORE_LINE_MS = 60_000;

const UNWRITTEN =
  'an outcome could not be written down: deliveries made are kept in memory, and written once the store can be used';
const STORE_FULL =
  'the store is full of what is undelivered: new callbacks are answered 503 until some of it is delivered or dismissed, or store.max_size is raised';
const UPGRADE =
  'the ledger is of an earlier version: it is brought up to date before anything is taken, which may take a while';
const FORGOTTEN_EARLY = 'the store nears store.max_size: what is done was forgotten early';

/** What the log says if something else than a template failed, by the failure's format. */
const INSTEAD: Readonly<Record<string, string>> = {
  when: 'a condition failed; it counts as met',
  body: 'the body of a hook failed; its values were cut',
};

/** The line's level, its text, and, if it differs, the text after the name of a notice of Botbell's own. */
const MILESTONES: Readonly<Record<Milestone['name'], readonly ['info' | 'warn' | 'error', string, string?]>> =
  {
    delivered_late: ['info', 'delivered after the answer', 'delivered'],
    taken_over: ['info', 'taken over: Botbell delivers it from here'],
    given_up: ['error', 'could not be delivered; no further attempts'],
    held: ['warn', 'held back'],
  };

/** Its members are bound, so that they can be passed as functions. */
export class Reports {
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  /** When the last rate-limited line was written, by its reason. All reasons come from our code, so the map stays small. */
  readonly #saidAt = new Map<string, number>();

  constructor(logger: Logger, metrics: Metrics, clock: Clock) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** That the store cannot be used is foreseen everywhere; that an operation fails in a store that works is not. */
  readonly onUnforeseen = (err: unknown): void => {
    if (err instanceof LedgerUnavailable && !(err instanceof OperationFailed)) this.onStoreTrouble(err);
    else this.#logger.error({ err }, 'unforeseen error');
  };

  readonly onStoreTrouble = (err: unknown): void => this.#logger.error({ err }, 'the store cannot be used');

  readonly onStoreRecovered = (): void => this.#logger.info('the store can be used again');

  readonly onUnkept = (err: unknown): void => this.#logger.error({ err }, 'a refused body could not be kept');

  /** Rate-limited: while the store is down, the outcome of each delivery in hand fails alike. */
  readonly onUnwritten = (err: unknown): void => {
    if (this.#isTime(UNWRITTEN, LINE_MS)) this.#logger.error({ err }, UNWRITTEN);
  };

  readonly onStoreEvent = ({ what }: StoreEvent): void => {
    if (!this.#isTime(what, STORE_LINE_MS)) return;
    if (what === 'full') this.#logger.error(STORE_FULL);
    else this.#logger.warn(FORGOTTEN_EARLY);
  };

  readonly onUpgrade: NonNullable<LedgerOptions['onUpgrade']> = (versions) =>
    this.#logger.info(versions, UPGRADE);

  readonly onTemplateError = (failure: TemplateFailure): void => {
    this.#metrics.templateErrors.inc();
    this.#logger.error(failure, INSTEAD[failure.format] ?? 'a template failed; the built-in one was used');
  };

  /** Logs each POST to the callback path, but of those turned away only one a second for each reason. */
  readonly onCallback = (report: ReceiverReport): void => {
    const { callback, verdict, status: httpStatus, durationMs, from = '', pointers } = report;
    const status = callback === undefined ? 'none' : statusNameOf(callback);
    const result = verdict?.result ?? resultWithout(httpStatus);
    this.#metrics.answered({ status, result, httpStatus, seconds: durationMs / 1000 });
    // pino leaves out undefined values. Conditional spreads would take V8 several times as long.
    const line = {
      http: httpStatus,
      result,
      status,
      ms: tenths(durationMs),
      job_id: callback && shortId(callback.job_id),
      bot_id: callback && shortId(callback.bot_id),
      deliveries: verdict?.deliveries.map(describeDelivery),
      reason: httpStatus < 400 ? undefined : report.problem,
      pointers: pointers?.slice(0, MOST_POINTERS).map(shortId),
    };
    if (httpStatus < 400) this.#logger.info(line, 'callback');
    else if (verdict !== undefined) this.#logger.warn(line, 'callback');
    else this.#turnAway(line, from);
  };

  /** A request turned away before its body was read. No BOT waited for it, so `answered` does not count it. */
  readonly onTurnedAway = ({ status: http, problem: reason, from }: TurnedAway): void => {
    this.#metrics.callbacks.inc({ status: 'none', result: 'refused' });
    this.#turnAway({ http, result: 'refused', reason }, from);
  };

  readonly onAdminTurnedAway = ({ status: http, problem: reason, from }: TurnedAway): void => {
    if (ADMIN_REFUSALS.includes(http)) this.#metrics.adminRefused.inc({ status: http });
    this.#turnAway({ http, listener: 'admin', reason }, from);
  };

  /** A rule held a new delivery. A callback's is in the callback's own line. */
  readonly onHeld = (rule: string, own?: HeldNotice): void => {
    this.#metrics.heldTotal.inc({ rule });
    if (own === undefined) return;
    const { kind, botId, destination } = own;
    this.#logger.info({ destination, bot_id: shortId(botId), rule }, `${kind} held`);
  };

  /** Counts each attempt except test messages. A message that was sent unchanged needs no line: the callback's own line tells of it. */
  readonly onAttempt = (
    { channel, destination, notice }: AddressedNotice,
    { receipt, failure, durationMs }: AttemptResult,
  ): void => {
    if (notice.template !== 'test') {
      this.#metrics.deliveries.inc({ channel, outcome: failure?.class ?? 'delivered' });
      this.#metrics.deliverySeconds.observe({ channel }, durationMs / 1000);
    }
    const { card_refused: refusal, card_refused_reason: refusalReason } = receipt ?? {};
    if (failure !== undefined) {
      const { class: failureClass, code, message: reason } = failure;
      const ms = tenths(durationMs);
      const line = { ...named(destination, notice), ms, class: failureClass, code, reason };
      this.#logger.warn(line, 'delivery failed');
    } else if (refusal !== undefined) {
      const line = { ...named(destination, notice), code: refusal, reason: refusalReason };
      this.#logger.warn(line, 'blocks refused, sent as plain text');
    } else if (this.#logger.isLevelEnabled('debug')) {
      this.#logger.debug({ ...named(destination, notice), ms: tenths(durationMs) }, 'delivered');
    }
  };

  /** Logs a change of a delivery that no answer reported, or that an operator may have to act on. */
  readonly onMilestone = (milestone: Milestone): void => {
    const { name, record, notice, attempts, lastError, reason } = milestone;
    const [level, ofCallback, ofOwn = ofCallback] = MILESTONES[name];
    const own = isForOperators(notice) ? 'alert' : ownNameOf(notice);
    const callback = isAlert(notice) ? undefined : notice.callback;
    const line = {
      ...named(record.destination, notice),
      status: callback && statusNameOf(callback),
      bot_id: callback && shortId(callback.bot_id),
      attempts,
      ms_since_received: Math.max(0, Math.round(this.#clock.now() - record.receivedAt)),
      class: lastError?.class,
      code: lastError?.code,
      reason: reason ?? lastError?.message,
    };
    this.#logger[level](line, own === undefined ? ofCallback : `${own} ${ofOwn}`);
  };

  /** Logs an action. The user name and the address come from the request, so they are cut. */
  readonly onAction = ({ what, actor, subject, result }: ReportedAction): void => {
    const { via, user, from } = actor;
    const line = { of: subject, result, via, user: user && shortId(user), from: shortId(from) };
    this.#logger.info(line, `asked: ${what}`);
  };

  readonly onBulkEnded = ({ id, what, given }: NonNullable<BulkStep['ended']>): void =>
    this.#logger.info({ of: id, messages: given, what }, 'all that matched has been gone through');

  readonly onReload = (result: ReloadResult, cause: string): void => {
    this.#metrics.reloadOk.set(result.isLoaded ? 1 : 0);
    if (!result.isLoaded) {
      const line = { cause, problems: linesOf(result.problems) };
      return this.#logger.error(line, 'the config was refused: the one before stays in force');
    }
    const { hasChanged, configHash: hash, unchanged, warnings } = result;
    this.#metrics.configInForce(hash);
    const line = { cause, hash, warnings: warnings.length === 0 ? undefined : linesOf(warnings) };
    this.#logger.info(line, hasChanged ? 'the config was loaded again' : 'the config has not changed');
    if (unchanged.length > 0) this.#logger.warn({ unchanged }, 'left as it is until Botbell is restarted');
  };

  #turnAway(line: TurnedAwayLine, from: string): void {
    // Without what follows a colon, which is a cause in a database's words.
    const [reason] = (line.reason ?? '').split(': ', 1);
    if (this.#isTime(`${line.listener} ${line.http} ${reason}`, LINE_MS))
      this.#logger.warn({ ...line, from: shortId(from) }, 'turned away');
  }

  /** Whether the reason's last line is at least `everyMs` ago: else a stranger could fill the disk. */
  #isTime(reason: string, everyMs: number): boolean {
    const now = this.#clock.monotonic();
    if (now < (this.#saidAt.get(reason) ?? -Infinity) + everyMs) return false;
    this.#saidAt.set(reason, now);
    return true;
  }
}

function resultWithout(httpStatus: number): string {
  return httpStatus < 500 ? 'refused' : 'unavailable';
}

interface TurnedAwayLine extends Readonly<Record<string, unknown>> {
  readonly http: number;
  readonly reason: string | undefined;
  readonly listener?: string;
}

/** `slack:#ops held by mute until 2026-11-25T07:00:00.000Z` */
function describeDelivery(delivery: Verdict['deliveries'][number]): string {
  const { destination, state, error, rule, until } = delivery;
  const by = rule === undefined ? '' : ` by ${rule}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `${destination} ${state}${by}${end}${error === undefined ? '' : `: ${error}`}`;
}

function shortId(id: string): string {
  return shortLine(id, LONGEST_ID);
}

/** The name of a notice of Botbell's own: an alert's, `summary`, `overdue`, ... */
function ownNameOf(notice: Notice): string | undefined {
  return isAlert(notice) || notice.template === 'overdue' ? notice.template : undefined;
}

function named(destination: string, notice: Notice) {
  const jobId = jobIdOf(notice);
  return { destination, job_id: jobId && shortId(jobId), notice: ownNameOf(notice) };
}

/** The rest is noise. */
function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function linesOf(problems: readonly Problem[]): readonly string[] {
  return problemLines(problems.slice(0, MOST_PROBLEMS));
}
