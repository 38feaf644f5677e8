/** The public listener: checks that a POST is a callback, hands it on, and answers as the deliveries went. */
import type { IncomingMessage } from 'node:http';
import { Router, type RouterContext } from '@koa/router';
import Koa, { type Context } from 'koa';
import { type Callback, InvalidCallback } from '../callback/callback.ts';
import type { ReceiverConfig } from '../config/config.ts';
import { type Incoming, timeBudgetOf } from '../deliver/handling.ts';
import type { Verdict } from '../deliver/outcome.ts';
import { REFUSED_BODY_BYTES } from '../ledger/ledger.ts';
import { isOneOf, networkFilter, type SenderReader, sourceOf } from '../http/sender.ts';
import {
  answerProblem,
  answerProblems,
  HttpProblem,
  methodNotAllowed,
  notFound,
  type ProblemState,
  unlessCutOff,
} from '../http/problem.ts';
import {
  asProblem,
  bodyProblem,
  isRefusal,
  problemOf,
  type Refusal,
  type TurnedAway,
  turnedAwayReporter,
  unavailable,
} from './problems.ts';
import { beginningOf, bodyReader, type ReadBody } from './read-body.ts';
import type { BodyMemory, CallbackReader, HeldMemory } from './read-callback.ts';
import type { ReadingBudget } from './reading-budget.ts';
import { cutEnd } from '../text/cut.ts';
import { type Clock, UnderWay, unfailing } from '../time/clock.ts';

/** What one POST to the callback path came to, for the log and the metrics. */
export interface ReceiverReport {
  /** HTTP status code. */
  readonly status: number;
  readonly durationMs: number;
  readonly callback: Callback | undefined;
  readonly verdict: Verdict | undefined;
  /** Why it was turned away; undefined where it was handled. */
  readonly problem: string | undefined;
  /** The sender's address, where it was turned away; as the sender says it where a proxy is trusted. */
  readonly from: string | undefined;
  /** JSON pointers to what is wrong with it, where it is JSON. */
  readonly pointers: readonly string[] | undefined;
}

export interface ReceiverDependencies {
  readonly config: ReceiverConfig;
  readonly clock: Clock;
  readonly readCallback: CallbackReader;
  /** Delivers it; rejects when the store cannot be written. */
  readonly handle: (incoming: Incoming) => Promise<Verdict>;
  /** Keeps a refused body for the operator; never rejects. */
  readonly refuse: (refusal: Refusal) => Promise<void>;
  /** As `trust_proxy` has it. */
  readonly senderOf: SenderReader;
  readonly readings: ReadingBudget;
  readonly traffic: Traffic;
  readonly memory: BodyMemory;
  readonly report: (report: ReceiverReport) => void;
  readonly reportTurnedAway: (report: TurnedAway) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

interface CallbackState extends ProblemState {
  callback?: Callback;
  verdict?: Verdict;
  held?: HeldMemory;
  pointers?: readonly string[];
}

type CallbackContext = RouterContext<CallbackState>;

export function createReceiver(dependencies: ReceiverDependencies): Koa {
  const { config, senderOf, reportTurnedAway, onUnforeseen } = dependencies;
  const app = new Koa();
  app.on('error', unlessCutOff(onUnforeseen));
  const router = new Router<CallbackState>({ sensitive: true, strict: true });
  router.all('/healthz', answerHealth);
  const hasToken = config.tokens.length > 0;
  if (hasToken)
    router.all(config.path, () => {
      throw notFound('token missing');
    });
  const checkSender = senderCheck(dependencies);
  const take = postTaker(dependencies);
  router.all(hasToken ? `${config.path}/:token` : config.path, (ctx) => {
    checkSender(ctx);
    return take(ctx);
  });
  const report = turnedAwayReporter(config.path, senderOf, reportTurnedAway, onUnforeseen);
  app.use(answerProblems(onUnforeseen, report));
  app.use(router.routes());
  return app;
}

function answerHealth(ctx: Context): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
  ctx.body = { status: 'ok' };
}

/** Token, address, method, in this order: a sender that does not know the token learns nothing else. */
function senderCheck({ config: { tokens, allowFrom }, senderOf }: ReceiverDependencies) {
  const isInNetworks = networkFilter(allowFrom);
  const isAllowed = (request: IncomingMessage) => {
    if (allowFrom.length === 0) return true;
    const { address, isKnown } = senderOf(request);
    return isKnown && isInNetworks(address);
  };
  return (ctx: CallbackContext) => {
    if (tokens.length > 0 && !isOneOf(ctx.params['token'] ?? '', tokens)) throw notFound('wrong token');
    if (!isAllowed(ctx.req)) {
      throw new HttpProblem({ status: 403, detail: 'Callbacks are not taken from this address.' });
    }
    if (ctx.method !== 'POST') throw methodNotAllowed('POST');
  };
}

/**
 * Answers a POST and says once what came of it, whatever came of it. What comes while draining is turned away before its
 * body is read.
 */
function postTaker(dependencies: ReceiverDependencies) {
  const { config, clock, traffic, readings, senderOf, report, onUnforeseen } = dependencies;
  const read = bodyReader({
    maxBytes: config.maxBodyBytes,
    budget: readings,
    sourceOf: (request) => sourceOf(senderOf(request).address),
  });
  const reportAnswer = unfailing(report, onUnforeseen);
  return async (ctx: CallbackContext): Promise<void> => {
    const startedAt = clock.monotonic();
    try {
      traffic.refuseWhileDraining();
      const body = await read(ctx).catch((error: unknown) => turnAwayUnread(ctx, error, dependencies));
      try {
        answer(ctx, await receive(ctx, body, dependencies));
      } finally {
        body.release();
      }
    } catch (error) {
      answerProblem(ctx, asProblem(error), onUnforeseen);
    }
    const { callback, verdict, problem, pointers } = ctx.state;
    const durationMs = clock.monotonic() - startedAt;
    const from = problem === undefined ? undefined : senderOf(ctx.req).address;
    // After the answer, which is written in this turn of the event loop: the BOT's time is not for our log.
    setImmediate(reportAnswer, {
      status: ctx.status,
      durationMs,
      callback,
      verdict,
      problem,
      from,
      pointers,
    });
  };
}

/**
 * A place among the callbacks that are handled is taken when the body is there. Rejects with the problem to answer with,
 * or with what nobody foresaw.
 */
async function receive(
  ctx: CallbackContext,
  { bytes, waitedMs, release }: ReadBody,
  dependencies: ReceiverDependencies,
): Promise<Verdict> {
  const { clock, traffic, handle } = dependencies;
  traffic.enter();
  try {
    const posted = { bytes, receivedAt: clock.now(), arrivedAt: clock.monotonic() - waitedMs };
    const incoming = await readIncoming(ctx, posted, release, dependencies);
    ctx.state.callback = incoming.callback;
    return await handle(incoming);
  } finally {
    traffic.leave();
    ctx.state.held?.release();
  }
}

type Posted = Pick<Refusal, 'bytes' | 'receivedAt' | 'arrivedAt'>;

async function readIncoming(
  ctx: CallbackContext,
  posted: Posted,
  release: () => void,
  dependencies: ReceiverDependencies,
): Promise<Incoming> {
  const { bytes, ...at } = posted;
  const { memory, readCallback, config } = dependencies;
  // What waits for memory, or to be read, can still be handed to the ledger in time.
  const { tellUntil } = timeBudgetOf(at.arrivedAt, config.answerWithinMs);
  try {
    const held = (ctx.state.held = await memory.hold(bytes, tellUntil));
    release();
    const read = await readCallback(bytes, tellUntil);
    return { ...read, ...at, keepUntil: (late) => held.keepUntil(late) };
  } catch (error) {
    if (error instanceof InvalidCallback) ctx.state.pointers = error.errors.map(({ pointer }) => pointer);
    return turnAway(ctx, posted, bodyProblem(error), dependencies);
  }
}

/** Characters. An answer waits in memory until it is taken, and a job_id may be megabytes long. */
const LONGEST_JOB_ID = 10_000;

/** Of a callback that `receive` has taken. */
function answer(ctx: CallbackContext, verdict: Verdict): void {
  const { result, deliveries } = verdict;
  ctx.state.verdict = verdict;
  const jobId = cutEnd(ctx.state.callback?.job_id ?? '', LONGEST_JOB_ID, '…');
  const body = { job_id: jobId, result, deliveries };
  if (verdict.status !== 200) throw problemOf(verdict, body);
  ctx.body = body;
}

/** Keeps the beginning of a body that no retry can make acceptable. @throws the problem */
async function turnAway(
  { req }: Context,
  { bytes, ...at }: Posted,
  problem: unknown,
  { senderOf, refuse }: ReceiverDependencies,
): Promise<never> {
  if (isRefusal(problem)) {
    const { status, detail } = problem.details;
    const errors = problem.cause instanceof InvalidCallback ? problem.cause.errors : [];
    const from = senderOf(req).address;
    await refuse({ status, detail, errors, from, bytes: bytes.subarray(0, REFUSED_BODY_BYTES), ...at });
  }
  throw problem;
}

/** Keeps what came of a body that cannot be taken as it was sent. @throws the problem */
async function turnAwayUnread(
  ctx: Context,
  problem: unknown,
  dependencies: ReceiverDependencies,
): Promise<never> {
  const { clock } = dependencies;
  // A sender that is gone may send it whole the next time.
  const isGone = ctx.req.destroyed && !ctx.req.complete;
  if (isGone || !isRefusal(problem)) throw problem;
  const bytes = await beginningOf(ctx.req);
  return turnAway(
    ctx,
    { bytes, receivedAt: clock.now(), arrivedAt: clock.monotonic() },
    problem,
    dependencies,
  );
}

/** Whether callbacks are taken, and when the last one that was taken is through. */
export class Traffic {
  readonly #inFlight = new UnderWay();
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** A sender that comes while draining need not send a body. @throws {HttpProblem} 503 */
  refuseWhileDraining(): void {
    if (this.#isDraining) throw unavailable('Botbell is shutting down.');
  }

  /** One more, its body read; who has entered must leave. @throws {HttpProblem} 503 while draining */
  enter(): void {
    this.refuseWhileDraining();
    this.#inFlight.begin();
  }

  leave(): void {
    this.#inFlight.end();
  }

  /** Lets nothing more in; resolves when what is in flight is through. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#inFlight.idle();
  }
}
