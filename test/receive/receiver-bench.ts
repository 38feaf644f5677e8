/** The receiver on a real port, with everything behind it played by the test. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { faultIn } from '../../src/callback/fault-words.ts';
import type { ReceiverConfig } from '../../src/config/config.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import type { TurnedAway } from '../../src/http/problem.ts';
import { listen, type ServerTimeouts } from '../../src/http/server.ts';
import { Loads } from '../../src/receive/loads.ts';
import { createReceiver, type ReceiverReport } from '../../src/receive/receiver.ts';
import type { Refusal } from '../../src/receive/problems.ts';
import { systemClock } from '../../src/time/clock.ts';
import { moment } from '../support/moment.ts';
import { faultIn as faultInAnswer } from '../support/openapi.ts';

const TOLD = [{ destination: 'slack:#ops', state: 'delivered' }] as const;
export const DELIVERED: Verdict = { status: 200, result: 'delivered', deliveries: TOLD };

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** @returns the problem (RFC 9457) that it is, as docs/openapi.yaml says */
export function expectProblem(answer: Answer | undefined, status: number, detail: RegExp) {
  expect(answer?.status).to.equal(status);
  expect(answer?.headers['content-type']).to.equal('application/problem+json');
  const body = JSON.parse(answer?.body ?? '') as Readonly<Record<string, unknown>>;
  if (answer) expect(faultInAnswer('POST /callbacks', { ...answer, json: body })).to.equal(undefined);
  expect(body['status']).to.equal(status);
  expect(body['title']).to.match(/^[A-Z]/);
  expect(body['detail']).to.match(detail);
  expect(answer?.body).not.to.match(/node_modules|\.[jt]s:\d/);
  return body;
}

export type ReceiverBench = Awaited<ReturnType<typeof openReceiver>>;

export async function openReceiver(settings: Partial<ReceiverConfig> = {}, timeouts: ServerTimeouts = {}) {
  const config = { ...DEFAULTS, ...settings };
  const loads = new Loads(systemClock, config);
  const handled: Callback[] = [];
  const refused: Refusal[] = [];
  const reports: ReceiverReport[] = [];
  const turnedAway: TurnedAway[] = [];
  const unforeseen: unknown[] = [];
  const [begun, reported] = [moment(), moment()];
  const handler = createReceiver({
    config,
    clock: systemClock,
    timezone: 'Asia/Tokyo',
    post: ({ callback, onRendered }) => {
      handled.push(callback);
      onRendered?.();
      begun.happen();
      return bench.handle(callback);
    },
    loads,
    refuse: (refusal) => Promise.resolve(void refused.push(refusal)),
    onCallback: (report) => {
      reports.push(report);
      reported.happen();
    },
    onTurnedAway: (report) => turnedAway.push(report),
    onUnforeseen: (error) => unforeseen.push(error),
  }).callback();
  let latest: ServerResponse | undefined;
  const server = await listen(
    (request, response) => {
      latest = response;
      return handler(request, response);
    },
    config.listen,
    (report) => turnedAway.push(report),
    timeouts,
  );
  const bench = {
    port: server.port,
    loads,
    handled,
    refused,
    reports,
    turnedAway,
    unforeseen,
    /** What becomes of a callback; `DELIVERED` unless the test says otherwise. */
    handle: (_callback: Callback): Promise<Verdict> => Promise.resolve(DELIVERED),
    /** Resolves when the latest request's connection is closed. */
    cutOff: async () => latest && once(latest, 'close'),
    /** Resolves when the first POST is through, its place free again. */
    reported: () => reported.promise,
    /** Resolves when the first callback is being handled. */
    begun: () => begun.promise,
    /** What a person reads of each refusal has to have Japanese words. */
    close: async () => {
      await server.close(0);
      for (const { detail } of refused) expect(faultIn(detail, 'ja')).to.match(/\p{Script=Hiragana}/u);
    },
  };
  return bench;
}

/** The head of a POST, to the byte. */
export function head(headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'x', 'Content-Type': 'application/json', ...headers });
  return `POST /callbacks HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A whole POST, to the byte. */
export function post(body: Uint8Array, headers: Record<string, string> = {}): Buffer {
  return Buffer.concat([Buffer.from(head({ ...headers, 'Content-Length': body.length })), body]);
}

const SENDERS = { path: '/callbacks', tokens: [], allowFrom: [], trustProxy: false };
const LIMITS = { maxBodyBytes: 64 * 1024, maxNodes: 500_000, maxInFlight: 256 };
const ANSWER = { answerWithinMs: 8000, answerWhen: 'delivered' } as const;
const DEFAULTS: ReceiverConfig = { listen: { host: '127.0.0.1', port: 0 }, ...SENDERS, ...LIMITS, ...ANSWER };
