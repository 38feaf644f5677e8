/** The receiver on a real port, with everything behind it played by the test. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createCallbackCheck } from '../../src/callback/check-callback.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { decodeBody } from '../../src/callback/decode.ts';
import type { ReceiverConfig } from '../../src/config/config.ts';
import { MemoryBudget, memoryFor } from '../../src/deliver/memory-budget.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { connectionLimits, type ConnectionLimits } from '../../src/http/connections.ts';
import { senderReader } from '../../src/http/sender.ts';
import { listen, type ListeningServer, type ServerTimeouts } from '../../src/http/server.ts';
import { BodyMemory } from '../../src/receive/read-callback.ts';
import { createReceiver, type ReceiverReport, Traffic } from '../../src/receive/receiver.ts';
import type { Refusal, TurnedAway } from '../../src/receive/problems.ts';
import { ReadingBudget, readingLimits } from '../../src/receive/reading-budget.ts';
import { systemClock } from '../../src/time/clock.ts';
import { watchAnswers } from '../openapi/watched-answers.ts';
import { moment } from './moment.ts';

const QUICK: ServerTimeouts = { headersMs: 10_000, requestMs: 15_000, checkMs: 1000 };

export const DELIVERED: Verdict = {
  status: 200,
  result: 'delivered',
  deliveries: [{ destination: 'slack:#ops', state: 'delivered' }],
  updates: [],
};

export interface ReceiverBench {
  readonly port: number;
  readonly traffic: Traffic;
  readonly readings: ReadingBudget;
  readonly budget: MemoryBudget;
  readonly handled: Callback[];
  readonly refused: Refusal[];
  readonly reports: ReceiverReport[];
  readonly turnedAway: TurnedAway[];
  readonly unforeseen: unknown[];
  /** What becomes of a callback; `DELIVERED` unless the test says otherwise. */
  handle: (callback: Callback) => Promise<Verdict>;
  /** How long something of each callback is needed; no longer than its answer unless the test says otherwise. */
  keepUntil: Promise<unknown>;
  /** What happens when a POST is reported; nothing unless the test says otherwise. */
  onReport: () => void;
  /** Whether the latest request's answer has been written. */
  isAnswered: () => boolean;
  /** Resolves when the latest request's connection is closed. */
  cutOff(): Promise<unknown>;
  /** Resolves when the first callback is being handled. */
  begun(): Promise<void>;
  /** Resolves when the first POST is through, its place free again. */
  reported(): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiverLimits {
  readonly limits?: Partial<ConnectionLimits>;
  /** Of a heap that the budget for reading is made for; 0: room for two of the largest bodies. */
  readonly readingHeapBytes?: number;
}

export async function openReceiver(
  settings: Partial<ReceiverConfig> = {},
  timeouts: Partial<ServerTimeouts> = {},
  most = memoryFor(1024 ** 3),
  { limits, readingHeapBytes = 256 * 1024 * 1024 }: ReceiverLimits = {},
): Promise<ReceiverBench> {
  const config = { ...DEFAULTS, ...settings };
  const traffic = new Traffic();
  const budget = new MemoryBudget(systemClock, most);
  const readings = new ReadingBudget({ clock: systemClock, ...readingLimits(config, readingHeapBytes) });
  const senderOf = senderReader(config.trustProxy);
  const records = { handled: [], refused: [], reports: [], turnedAway: [], unforeseen: [] } as Pick<
    ReceiverBench,
    'handled' | 'refused' | 'reports' | 'turnedAway' | 'unforeseen'
  >;
  const [begun, reported] = [moment(), moment()];
  const check = createCallbackCheck('Asia/Tokyo');
  const read = (bytes: Uint8Array) => {
    const { value, json } = decodeBody(bytes);
    return { ...check(value), body: json };
  };
  const app = createReceiver({
    config,
    clock: systemClock,
    readCallback: read,
    handle: ({ callback, keepUntil }) => {
      keepUntil(bench.keepUntil);
      records.handled.push(callback);
      begun.happen();
      return bench.handle(callback);
    },
    senderOf,
    readings,
    refuse: (refusal) => {
      records.refused.push(refusal);
      return Promise.resolve();
    },
    traffic,
    memory: new BodyMemory(budget, { bytes: config.maxBodyBytes, values: config.maxNodes }),
    report: (report) => {
      records.reports.push(report);
      reported.happen();
      bench.onReport();
    },
    reportTurnedAway: (report) => records.turnedAway.push(report),
    onUnforeseen: (error) => records.unforeseen.push(error),
  });
  const handler = app.callback();
  let latest: ServerResponse | undefined;
  const server: ListeningServer = await listen(
    (request, response) => {
      latest = response;
      return handler(request, response);
    },
    config.listen,
    {
      timeouts: { ...QUICK, ...timeouts },
      limits: { ...connectionLimits(), ...limits },
      senderOf: (request) => senderOf(request).address,
    },
  );
  const watch = watchAnswers('receiver', server.port, config.path);
  const bench: ReceiverBench = {
    ...records,
    port: server.port,
    traffic,
    readings,
    budget,
    keepUntil: Promise.resolve(),
    handle: () => Promise.resolve(DELIVERED),
    onReport: () => undefined,
    isAnswered: () => latest?.writableEnded === true,
    cutOff: () => (latest === undefined ? Promise.resolve() : once(latest, 'close')),
    reported: () => reported.promise,
    begun: () => begun.promise,
    close: async () => {
      await server.close(0);
      watch.stop();
    },
  };
  return bench;
}

const DEFAULTS: ReceiverConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  path: '/callbacks',
  tokens: [],
  allowFrom: [],
  trustProxy: false,
  maxBodyBytes: 64 * 1024,
  maxNodes: 500_000,
  answerWithinMs: 8000,
  answerWhen: 'delivered',
  maxInFlight: 256,
};
