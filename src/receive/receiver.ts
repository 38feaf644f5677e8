/** The public listener: checks that a POST is a callback, hands it to delivery, and answers with the verdict. */
import Koa, { type ParameterizedContext } from 'koa';
import { type Callback, InvalidCallback, namesOf } from '../callback/callback.ts';
import { readCallback } from '../callback/decode.ts';
import type { ReceiverConfig } from '../config/config.ts';
import type { Verdict } from '../deliver/outcome.ts';
import { type Incoming, answerDeadline } from '../deliver/post.ts';
import { secretCheck, type SenderReader, senderReader } from '../http/sender.ts';
import { networkFilter } from '../text/networks.ts';
import { percentDecoded } from '../text/clean.ts';
import {
  answerProblems,
  HttpProblem,
  methodNotAllowed,
  notFound,
  type TurnedAway,
  unlessCutOff,
} from '../http/problem.ts';
import type { Loads } from './loads.ts';
import {
  asProblem,
  isRefusal,
  problemOf,
  REFUSED_BODY_BYTES,
  type Refusal,
  UnforeseenProblem,
} from './problems.ts';
import { announcedBytes, type BodyReader, bodyReader } from './read-body.ts';
import { cutEnd } from '../text/cut.ts';
import type { Clock } from '../time/clock.ts';

/** The outcome of one POST to the callback path, for the log and the metrics. */
export interface ReceiverReport extends Answered {
  readonly status: number;
  readonly durationMs: number;
  /** The sender's address if the answer is a problem. With a trusted proxy, it comes from X-Forwarded-For. */
  readonly from: string | undefined;
}

/** What is known of a POST whose sender passed token, address and method. */
interface Answered {
  callback?: Callback;
  verdict?: Verdict;
  /** Why it was turned away, or its deliveries failed; undefined: it was answered 200. */
  problem?: string;
  /** JSON pointers to its faults, if it is JSON. */
  pointers?: readonly string[];
}

export interface ReceiverDependencies {
  readonly config: ReceiverConfig;
  readonly clock: Clock;
  readonly timezone: string;
  readonly post: (incoming: Incoming) => Promise<Verdict>;
  /** Keeps a refused body for the operator; never rejects. */
  readonly refuse: (refusal: Refusal) => Promise<void>;
  readonly loads: Loads;
  /** Like `onTurnedAway`, never throws. */
  readonly onCallback: (report: ReceiverReport) => void;
  readonly onTurnedAway: (report: TurnedAway) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

interface CallbackState extends Answered {
  /** By the monotonic clock; set once the sender has passed its checks. */
  startedAt?: number;
  posted?: Posted;
}

interface Posted extends Pick<Refusal, 'arrivedAt'> {
  bytes: Uint8Array;
}

type CallbackContext = ParameterizedContext<CallbackState>;

type Parts = ReceiverDependencies & { readonly senderOf: SenderReader; readonly read: BodyReader };

export function createReceiver(dependencies: ReceiverDependencies): Koa {
  const { config, clock, onUnforeseen } = dependencies;
  const app = new Koa<CallbackState>();
  app.on('error', unlessCutOff(onUnforeseen));
  const senderOf = senderReader(config.trustProxy);
  const parts = { ...dependencies, senderOf, read: bodyReader(config.maxBodyBytes) };
  const path = callbackPath(config);
  const checkSender = senderCheck(parts);
  app.use(answerProblems(onUnforeseen, concluding(parts)));
  app.use(async (ctx) => {
    if (ctx.path === '/healthz') return answerHealth(ctx);
    try {
      const found = path.exec(ctx.path);
      if (found === null) throw notFound();
      checkSender(ctx, found[1] ?? '');
      ctx.state.startedAt = clock.monotonic();
      answer(ctx, await receive(ctx, parts));
    } catch (error) {
      throw await problemFor(ctx, error, parts);
    }
  });
  return app;
}

/** Matches the callback path and captures the token. Joining URLs doubles a slash or adds one at the end, so these match, too. */
function callbackPath({ path, tokens }: Pick<ReceiverConfig, 'path' | 'tokens'>): RegExp {
  const own = path.replaceAll('.', '\\.').replaceAll(/\/(?=.)/g, '//?');
  return new RegExp(`^${own}${tokens.length > 0 ? '(?://?([^/]+))?' : ''}/?$`);
}

/**
 * Closes the connection of a refused request, and of one whose body was not read to its end: the sender may still be uploading.
 * Reports the request's outcome once, in a later turn of the event loop, so that the answer does not wait for the log.
 */
function concluding({ clock, senderOf, onCallback, onTurnedAway }: Parts) {
  return ({ req, state, response }: CallbackContext): void => {
    const { startedAt, callback, verdict, problem, pointers } = state;
    const { status } = response;
    const isRefused = status >= 400 && status < 500;
    if (isRefused || !req.complete) response.set('Connection', 'close');
    const from = problem === undefined ? undefined : senderOf(req);
    if (startedAt !== undefined) {
      const durationMs = clock.monotonic() - startedAt;
      setImmediate(onCallback, { status, durationMs, callback, verdict, problem, from, pointers });
    } else if (problem !== undefined && from !== undefined)
      setImmediate(onTurnedAway, { status, from, problem });
  };
}

function answerHealth(ctx: CallbackContext): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
  ctx.body = { status: 'ok' };
}

/** Checks in this order, so that a sender without the token learns nothing else. */
function senderCheck({ config: { tokens, allowFrom }, senderOf }: Parts) {
  const isToken = secretCheck(tokens);
  const isInNetworks = networkFilter(allowFrom);
  return (ctx: CallbackContext, token: string) => {
    if (tokens.length > 0 && !isToken(percentDecoded(token))) throw notFound('wrong token');
    if (!isInNetworks(senderOf(ctx.req)))
      throw new HttpProblem({ status: 403, detail: 'Callbacks are not taken from this address.' });
    if (ctx.method !== 'POST') throw methodNotAllowed('POST');
  };
}

/** @throws {HttpProblem} @throws any error of reading, checking or delivering */
async function receive(
  ctx: CallbackContext,
  { config, clock, loads, timezone, read, post }: Parts,
): Promise<Verdict> {
  const { state } = ctx;
  const memory = loads.reserve(announcedBytes(ctx.request, config.maxBodyBytes));
  try {
    const bytes = await read(ctx, memory?.add);
    // `answer_within` begins when the whole body has arrived.
    const arrivedAt = clock.monotonic();
    const posted: Posted = (state.posted = { bytes, arrivedAt });
    const until = answerDeadline(arrivedAt, config.answerWithinMs);
    return await loads.handle(bytes.byteLength, until, (leave) => {
      const { json: body, callback, startedAt } = readCallback(posted.bytes, timezone, config.maxNodes);
      state.callback = callback;
      memory?.free();
      const onRendered = leave && (() => leaveWith(state, posted, leave));
      return post({ arrivedAt, body, callback, startedAt, onRendered });
    });
  } finally {
    memory?.free();
  }
}

/** Keeps of a large callback only what its answer, its log line or a refusal needs, and gives up its place. */
function leaveWith(state: CallbackState, posted: Posted, leave: () => void): void {
  if (state.callback !== undefined) state.callback = namesOf(state.callback);
  // A copy, since a subarray would keep the whole buffer in memory.
  posted.bytes = new Uint8Array(posted.bytes.subarray(0, REFUSED_BODY_BYTES));
  leave();
}

/** Characters of a job_id in an answer. It may be megabytes long, and an answer stays in memory until it is sent. */
const LONGEST_JOB_ID = 10_000;

function answer(ctx: CallbackContext, verdict: Verdict): void {
  const { result, deliveries } = verdict;
  ctx.state.verdict = verdict;
  const jobId = cutEnd(ctx.state.callback?.job_id ?? '', LONGEST_JOB_ID, '…');
  const body = { job_id: jobId, result, deliveries };
  if (verdict.status !== 200) throw problemOf(verdict, body);
  // Koa would find out the type anew for each answer.
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}

/** The problem that answers an error. Before that, the beginning of a refused body is kept. */
async function problemFor(ctx: CallbackContext, error: unknown, parts: Parts) {
  const { clock, senderOf, loads, refuse, onUnforeseen } = parts;
  const problem = asProblem(error);
  if (problem instanceof UnforeseenProblem) onUnforeseen(error);
  // A sender that broke off may send the whole body next time, so this part is not kept.
  const isGone = ctx.req.destroyed && !ctx.req.complete;
  if (!isRefusal(problem) || isGone) return problem;
  const errors = error instanceof InvalidCallback ? error.errors : [];
  if (errors.length > 0) ctx.state.pointers = errors.map(({ pointer }) => pointer);
  const unread = { bytes: new Uint8Array(), arrivedAt: clock.monotonic() };
  const { bytes, ...at } = ctx.state.posted ?? unread;
  const { status, detail } = problem.details;
  const from = senderOf(ctx.req);
  const kept = { status, detail, errors, from, bytes: bytes.subarray(0, REFUSED_BODY_BYTES), ...at };
  return loads
    .during(() => refuse(kept))
    .then(
      () => problem,
      (draining: unknown) => draining,
    );
}
