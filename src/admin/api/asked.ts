/** What a request to the API asks for, read strictly: what cannot be meant is refused, by name. */
import type { Context } from 'koa';
import { HttpProblem } from '../../http/problem.ts';
import type { ActionRequest } from '../../ledger/actions/actions.ts';
import type { PageRequest } from '../../ledger/archive/archive.ts';
import { cleanText } from '../../text/clean.ts';
import { actorOf } from '../actor.ts';
import { readJson } from '../body.ts';
import { givenParameters, type ParameterProblem, refuseParameters } from '../parameters.ts';

const LONGEST_NONCE = 200;
const LONGEST_NOTE = 1000;
const LARGEST_PAGE = 500;

/** One parameter's value; undefined: it cannot be meant. */
export interface Parameter<T> {
  readonly read: (text: string) => T | undefined;
  /** What it must be, to be read after its name. */
  readonly rule: string;
}

export const FLAG: Parameter<boolean> = {
  read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  rule: 'must be true or false',
};

export const PAGE = {
  before: { read: (text: string) => wholeNumber(text), rule: 'must be the "next" of another page' },
  limit: {
    read: (text: string) => wholeNumber(text, LARGEST_PAGE),
    rule: `must be a whole number from 1 to ${LARGEST_PAGE}`,
  },
} satisfies Readonly<Record<keyof PageRequest, Parameter<number>>>;

type Values<Known extends Readonly<Record<string, Parameter<unknown>>>> = {
  readonly [Name in keyof Known]: ReturnType<Known[Name]['read']>;
};

/** Undefined is what is not given. @throws {HttpProblem} 400 that says all that is wrong */
export function parametersIn<Known extends Readonly<Record<string, Parameter<unknown>>>>(
  ctx: Context,
  known: Known,
): Values<Known> {
  const query = new URLSearchParams(ctx.querystring);
  const { values, unknown, repeated, empty } = givenParameters(query, (name) => Object.hasOwn(known, name));
  const problems: ParameterProblem[] = [
    ...unknown.map((parameter) => ({ parameter, detail: 'is no parameter of this' })),
    ...repeated.map((parameter) => ({ parameter, detail: 'is given more than once' })),
    ...empty.map((parameter) => ({ parameter, detail: 'is empty: give it a value, or leave it out' })),
  ];
  const read = Object.entries(known).map(([name, parameter]) => {
    const text = values.get(name);
    const value = text === undefined ? undefined : parameter.read(text);
    if (text !== undefined && value === undefined) problems.push({ parameter: name, detail: parameter.rule });
    return [name, value] as const;
  });
  refuseParameters(problems);
  return Object.fromEntries(read) as Values<Known>;
}

/** Of a path. @throws {HttpProblem} 404: nothing can have it */
export function idIn(text: string | undefined): number {
  const id = wholeNumber(text ?? '');
  if (id === undefined) throw unknownId();
  return id;
}

export function unknownId(): HttpProblem {
  return new HttpProblem({ status: 404, detail: 'The ledger has nothing of this id.' });
}

/** What can be done no more, or not without being said so. */
export function conflict(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, detail });
}

/**
 * Who asks, why (`note` in the body), and which request of the same kind it is a repetition of (`Idempotency-Key`).
 * @throws {HttpProblem} 400, 413 or 415
 */
export async function actionRequestIn(ctx: Context): Promise<ActionRequest> {
  const body = await readJson(ctx);
  const unknown = Object.keys(body).filter((key) => key !== 'note');
  if (unknown.length > 0) throw badBody('The body may have a "note", and nothing else.');
  return { actor: actorOf(ctx, 'api'), nonce: nonceIn(ctx), note: noteIn(body['note']) };
}

export function badBody(detail: string): HttpProblem {
  return new HttpProblem({ status: 400, detail });
}

function noteIn(note: unknown): string | undefined {
  if (note === undefined || note === null) return undefined;
  if (typeof note !== 'string' || note.length > LONGEST_NOTE)
    throw badBody(`The "note" must be text of ${LONGEST_NOTE} characters at most.`);
  return cleanText(note).trim() || undefined;
}

function nonceIn(ctx: Context): string | undefined {
  const nonce = ctx.get('Idempotency-Key');
  if (nonce.length > LONGEST_NONCE)
    throw badBody(`The Idempotency-Key may have ${LONGEST_NONCE} characters at most.`);
  return nonce || undefined;
}

function wholeNumber(text: string, largest = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= largest ? value : undefined;
}
