/** The public listener: checks that a POST is a callback, hands it on, and answers as the deliveries went. */
import type { IncomingMessage } from 'node:http';
import { Router, type RouterContext } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { type Callback, type IdentifiedCallback, InvalidCallback } from '../callback/callback.ts';
import { decodeBody } from '../callback/decode.ts';
import type { ReceiverConfig } from '../config/config.ts';
import type { Verdict } from '../deliver/outcome.ts';
import { type Incoming, untilOf } from '../deliver/post.ts';
import { secretCheck, type SenderReader } from '../http/sender.ts';
import { networkFilter } from '../text/networks.ts';
import {
  answerProblems,
  HttpProblem,
  methodNotAllowed,
  notFound,
  type TurnedAway,
  unlessCutOff,
} from '../http/problem.ts';
import type { Loads } from './loads.ts';
import { asProblem, isRefusal, problemOf, REFUSED_BODY_BYTES, type Refusal } from './problems.ts';
import { announcedBytes, bodyReader } from './read-body.ts';
import { cutEnd } from '../text/cut.ts';
import type { Clock } from '../time/clock.ts';

/** What one POST to the callback path came to, for the log and the metrics. */
export interface ReceiverReport extends Answered {
  /** HTTP status code. */
  readonly status: number;
  readonly durationMs: number;
  /** The sender's address, where it was turned away; as the sender says it where a proxy is trusted. */
  readonly from: string | undefined;
}

/** What is known of a POST whose sender may send. */
interface Answered {
  callback?: Callback;
  verdict?: Verdict;
  /** Why it was turned away; undefined where it was handled. */
  problem?: string;
  /** JSON pointers to what is wrong with it, where it is JSON. */
  pointers?: readonly string[];
}

export interface ReceiverDependencies {
  readonly config: ReceiverConfig;
  readonly clock: Clock;
  /** @throws {InvalidCallback} @throws {TooManyValues} */
  readonly check: (value: unknown) => IdentifiedCallback;
  /** Delivers it; rejects when the store cannot be written. */
  readonly post: (incoming: Incoming) => Promise<Verdict>;
  /** Keeps a refused body for the operator; never rejects. */
  readonly refuse: (refusal: Refusal) => Promise<void>;
  /** As `trust_proxy` has it. */
  readonly senderOf: SenderReader;
  readonly loads: Loads;
  /** Neither report throws. */
  readonly report: (report: ReceiverReport) => void;
  readonly reportTurnedAway: (report: TurnedAway) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

interface CallbackState extends Answered {
  /** By the monotonic clock, once its sender may send. */
  startedAt?: number;
  /** Once its body was read. */
  posted?: Posted;
}

type Posted = Pick<Refusal, 'bytes' | 'receivedAt' | 'arrivedAt'>;

type CallbackContext = RouterContext<CallbackState>;

export function createReceiver(dependencies: ReceiverDependencies): Koa {
  const { config, onUnforeseen } = dependencies;
  const app = new Koa();
  app.on('error', unlessCutOff(onUnforeseen));
  const router = new Router<CallbackState>({ sensitive: true, strict: true });
  router.all('/healthz', answerHealth);
  const checkSender = senderCheck(dependencies);
  const take = postTaker(dependencies);
  router.all(config.tokens.length > 0 ? `${config.path}{/:token}` : config.path, (ctx) => {
    checkSender(ctx);
    return take(ctx);
  });
  app.use(concluding(dependencies));
  app.use(answerProblems(onUnforeseen));
  app.use(router.routes());
  return app;
}

/**
 * Whoever is refused, or comes while there is no room, may still be sending a body that nobody reads: his connection is closed.
 * Says once what a request came to, after the answer, which is written in this turn of the event loop: the BOT's time is not
 * for our log.
 */
function concluding({ clock, senderOf, report, reportTurnedAway }: ReceiverDependencies) {
  return async ({ req, state, response }: CallbackContext, next: Next): Promise<void> => {
    await next();
    const { startedAt, callback, verdict, problem, pointers } = state;
    const { status } = response;
    const isRefused = status >= 400 && status < 500;
    if (isRefused || !req.complete) response.set('Connection', 'close');
    const from = problem === undefined ? undefined : senderOf(req).address;
    if (startedAt !== undefined) {
      const durationMs = clock.monotonic() - startedAt;
      setImmediate(report, { status, durationMs, callback, verdict, problem, from, pointers });
    } else if (problem !== undefined && from !== undefined)
      setImmediate(reportTurnedAway, { status, from, problem });
  };
}

function answerHealth(ctx: Context): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
  ctx.body = { status: 'ok' };
}

/** Token, address, method, in this order: a sender that does not know the token learns nothing else. */
function senderCheck({ config: { tokens, allowFrom }, senderOf }: ReceiverDependencies) {
  const isToken = secretCheck(tokens);
  const isInNetworks = networkFilter(allowFrom);
  const isAllowed = (request: IncomingMessage) => {
    if (allowFrom.length === 0) return true;
    const { address, isKnown } = senderOf(request);
    return isKnown && isInNetworks(address);
  };
  return (ctx: CallbackContext) => {
    if (tokens.length > 0 && !isToken(ctx.params['token'] ?? '')) throw notFound('wrong token');
    if (!isAllowed(ctx.req)) {
      throw new HttpProblem({ status: 403, detail: 'Callbacks are not taken from this address.' });
    }
    if (ctx.method !== 'POST') throw methodNotAllowed('POST');
  };
}

function postTaker(dependencies: ReceiverDependencies) {
  const { config, clock } = dependencies;
  const read = bodyReader(config.maxBodyBytes);
  return async (ctx: CallbackContext): Promise<void> => {
    ctx.state.startedAt = clock.monotonic();
    try {
      answer(ctx, await receive(ctx, () => read(ctx), dependencies));
    } catch (error) {
      throw await problemFor(ctx, error, dependencies);
    }
  };
}

/** @throws {HttpProblem} @throws whatever keeps it from being read or delivered */
async function receive(
  { request, state }: CallbackContext,
  read: () => Promise<Uint8Array>,
  { config, clock, loads, check, post }: ReceiverDependencies,
): Promise<Verdict> {
  const isParsed = loads.read(announcedBytes(request, config.maxBodyBytes));
  try {
    const bytes = await read();
    // `answer_within` begins when the body is there.
    const [receivedAt, arrivedAt] = [clock.now(), clock.monotonic()];
    state.posted = { bytes, receivedAt, arrivedAt };
    const handle = async () => {
      const { value, json } = decodeBody(bytes);
      const checked = check(value);
      state.callback = checked.callback;
      isParsed();
      return post({ ...checked, receivedAt, arrivedAt, body: json });
    };
    const until = untilOf(arrivedAt, config.answerWithinMs);
    return await loads.handle(bytes.byteLength, until, handle);
  } finally {
    isParsed();
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

/** What an error is answered as. The beginning of a body that no retry can make acceptable is kept before. */
async function problemFor(ctx: CallbackContext, error: unknown, dependencies: ReceiverDependencies) {
  const { config, clock, senderOf, loads, refuse } = dependencies;
  const problem = asProblem(error, config.maxNodes);
  // A sender that is gone may send it whole the next time.
  const isGone = ctx.req.destroyed && !ctx.req.complete;
  if (!isRefusal(problem) || isGone) return problem;
  const errors = error instanceof InvalidCallback ? error.errors : [];
  if (errors.length > 0) ctx.state.pointers = errors.map(({ pointer }) => pointer);
  const unread = { bytes: new Uint8Array(), receivedAt: clock.now(), arrivedAt: clock.monotonic() };
  const { bytes, ...at } = ctx.state.posted ?? unread;
  const { status, detail } = problem.details;
  const from = senderOf(ctx.req).address;
  const kept = { status, detail, errors, from, bytes: bytes.subarray(0, REFUSED_BODY_BYTES), ...at };
  return loads
    .during(() => refuse(kept))
    .then(
      () => problem,
      (draining: unknown) => draining,
    );
}
