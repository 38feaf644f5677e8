/** Answers errors as problem details (RFC 9457). No other module writes such answers. */
import { STATUS_CODES } from 'node:http';
import type { Context, Middleware } from 'koa';

interface ProblemDetails {
  readonly status: number;
  /** What is wrong and what to do about it. Strangers read it: no path, no secret, no stack. */
  readonly detail: string;
  /** Logged instead of a `detail` that quotes the sender. */
  readonly logged?: string;
  /** Further members of the problem's JSON, e.g. `errors`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere below `answerProblems`, it becomes the answer. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly details: ProblemDetails;

  constructor(details: ProblemDetails, options?: ErrorOptions) {
    super(details.detail, options);
    this.details = details;
  }
}

/** Carries the problem's text to the log of the request. */
export interface ProblemState {
  problem?: string;
}

/** A request that was turned away before its body was read. */
export interface TurnedAway {
  readonly status: number;
  readonly from: string;
  readonly problem: string;
}

/**
 * Answers every thrown error as a problem. An unforeseen error goes to `onUnforeseen`, and the answer reveals nothing of it.
 * @param onAnswered called with each answer, problem or not
 */
export function answerProblems(
  onUnforeseen: (error: unknown) => void,
  onAnswered: (ctx: Context) => void = () => undefined,
): Middleware {
  return async (ctx, next) => {
    try {
      if (!isReadable(ctx))
        throw new HttpProblem({ status: 400, detail: 'The request target is not a URL.' });
      await next();
      if (ctx.status === 404 && ctx.body === undefined) throw notFound();
    } catch (error) {
      answerProblem(ctx, error, onUnforeseen);
    }
    onAnswered(ctx);
  };
}

/** Handles Koa's `error` events, and ignores those of closed connections. */
export function unlessCutOff(onUnforeseen: (error: unknown) => void) {
  return (error: unknown, { socket }: Context): void => {
    if (!socket.destroyed) onUnforeseen(error);
  };
}

function answerProblem(ctx: Context, error: unknown, onUnforeseen: (error: unknown) => void): void {
  if (!(error instanceof HttpProblem)) onUnforeseen(error);
  const { status, detail, logged, members, headers } =
    error instanceof HttpProblem ? error.details : UNFORESEEN;
  ctx.status = status;
  ctx.set(headers ?? {});
  (ctx.state as ProblemState).problem = logged ?? detail;
  // `type` is left out, which stands for `about:blank`: the status says it all (RFC 9457, 4.2.1).
  ctx.body = JSON.stringify({ title: STATUS_CODES[status] ?? 'Error', status, detail, ...members });
  ctx.type = 'application/problem+json';
}

/** Koa parses the request target at the first access to the path, and throws if the target is no URL. */
function isReadable(ctx: Context): boolean {
  try {
    // Checked before Koa parses the target: for some targets, Node prints a warning that includes the token.
    return (ctx.url.startsWith('/') || URL.canParse(ctx.url)) && typeof ctx.path === 'string';
  } catch {
    return false;
  }
}

const UNFORESEEN: ProblemDetails = {
  status: 500,
  detail: 'Something unforeseen went wrong; the log says what.',
};

/** @param logged the reason for the log; the answer does not contain it */
export function notFound(logged = 'no such path'): HttpProblem {
  return new HttpProblem({ status: 404, detail: 'There is nothing here.', logged });
}

export function tooLarge(what: string): HttpProblem {
  return new HttpProblem({ status: 413, detail: `The body ${what}, the most that is taken.` });
}

/** @param allow the methods, as the header lists them */
export function methodNotAllowed(allow: string): HttpProblem {
  const detail = `Only ${allow} is allowed here.`;
  return new HttpProblem({ status: 405, detail, headers: { Allow: allow } });
}
