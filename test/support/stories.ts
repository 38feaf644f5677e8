/** Rows of a callback as the archive gives them, for tests that care about a few of them. */
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import type { HistoryEntries, HistoryRow, HistoryWhat } from '../../src/ledger/callbacks/history.ts';
import type { AttemptRecord, CallbackResult, DeliveryRecord } from '../../src/ledger/ledger.ts';
import type { RouteExplanation } from '../../src/route/router.ts';

/** Ten in the morning in Tokyo. */
export const CAME_AT = Date.parse('2026-11-23T01:00:00Z');

export const NOT_FOUND = {
  class: 'config',
  code: 'channel_not_found',
  message: 'Slack answered channel_not_found: the channel does not exist; check its name.',
  japanese: 'チャンネルが存在しません。名前を確認してください。',
} as const;

export const REFUSED = {
  class: 'permanent',
  code: '550',
  message: 'The server refused it.',
  japanese: 'この宛先には配送できません。アドレスを確認してください。',
} as const;

export function deliveryWith(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id: 1,
    receivedAt: 0,
    destination: 'slack:#ops',
    state: 'delivered',
    attempts: 1,
    refusals: 0,
    lastError: undefined,
    receipt: undefined,
    reason: undefined,
    heldUntil: undefined,
    summaryId: undefined,
    telling: undefined,
    callbackId: 7,
    claim: undefined,
    behind: undefined,
    isTakenOver: false,
    ageMs: 60_000,
    givenBackAt: undefined,
    updatedAt: CAME_AT + 300,
    dueInMs: 0,
    ...fields,
  };
}

/** A delivery that was taken over after two failures. */
export function pendingWith(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const failed = { attempts: 2, lastError: NOT_FOUND, dueInMs: 90_000 };
  return deliveryWith({ state: 'pending', isTakenOver: true, ...failed, ...fields });
}

type Fields = Partial<Omit<CallbackStory, 'routing'>> & { readonly routing?: readonly RouteExplanation[] };

export function storyWith(fields: Fields = {}): CallbackStory {
  return {
    id: 7,
    kind: 'callback',
    about: undefined,
    jobId: 'job-1',
    botId: 'get_items',
    botKey: 'get_items',
    botName: '商品取得',
    status: 1,
    next: [],
    startedAt: CAME_AT,
    receivedAt: CAME_AT,
    timesReceived: 1,
    elapsedSeconds: 12,
    result: 'delivered',
    deliveries: [],
    routing: [TELLS_OPS],
    history: [],
    ...fields,
  };
}

export const TELLS_OPS: RouteExplanation = {
  route: 'routes[0]',
  reaches: ['slack:#ops'],
  verdict: 'tells',
  pattern: 'get_*',
};

/** @param afterMs since it came */
export function rowAt<What extends HistoryWhat>(
  afterMs: number,
  what: What,
  entry?: HistoryEntries[What],
  fields: { readonly deliveryId?: number; readonly result?: string } = {},
): HistoryRow {
  return { at: CAME_AT + afterMs, what, deliveryId: 1, result: undefined, entry, ...fields } as HistoryRow;
}

/** @param afterMs since it came */
export function attemptAt(
  afterMs: number,
  fields: Partial<AttemptRecord> & { readonly deliveryId?: number } = {},
): HistoryRow {
  const { deliveryId = 1, durationMs = 200, outcome: result = 'delivered', error } = fields;
  return rowAt(afterMs, 'attempt', { durationMs, error }, { deliveryId, result });
}

export function failedAt(afterMs: number, fields: Partial<AttemptRecord> = {}): HistoryRow {
  return attemptAt(afterMs, { outcome: 'config', error: NOT_FOUND, ...fields });
}

/** @param afterMs from the first receipt of the callback to the one that is answered @param tookMs from then to the answer */
export function answerAt(afterMs: number, status: number, result: CallbackResult, tookMs = 400): HistoryRow {
  const entry = { receivedAt: CAME_AT + afterMs, status };
  return { at: CAME_AT + afterMs + tookMs, what: 'answered', deliveryId: undefined, result, entry };
}
