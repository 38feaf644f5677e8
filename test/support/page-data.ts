/** What the archive tells the page, made up: each value that a stranger writes is hostile. */
import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ReaderContext, readerIn } from '../../src/admin/page/reader.ts';
import type { ArchivedBot, ArchivedCallback, CallbackStory, Run } from '../../src/ledger/archive/archive.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import type { KeptSnooze } from '../../src/ledger/signal/snoozes.ts';
import type { Language } from '../../src/time/display.ts';

export const PAGE_NOW = Date.parse('2026-11-22T01:42:05Z');

/** A part of a page, as a reader in Tokyo gets it. */
export function htmlFor(language: Language, part: ComponentChildren): string {
  const reader = readerIn(language, 'Asia/Tokyo', PAGE_NOW, '/here?a=1');
  return renderToString(h(ReaderContext.Provider, { value: reader }, part));
}

export const HOSTILE = `"><script>alert('1')</script> \u202e${'x'.repeat(50)}\n' onclick="evil()" style="color:red"`;

const MINUTE_MS = 60_000;

export function runOf(id: number, fields: Partial<Run> = {}): Run {
  const receivedAt = PAGE_NOW - id * 60 * MINUTE_MS;
  return {
    callbackId: id,
    jobId: HOSTILE,
    status: 0,
    startedAt: receivedAt - MINUTE_MS,
    receivedAt,
    elapsedSeconds: 60,
    ...fields,
  };
}

export const BOT: ArchivedBot = {
  botId: HOSTILE,
  botName: HOSTILE,
  lastCallbackId: 1,
  lastReceivedAt: PAGE_NOW - MINUTE_MS,
  lastSucceededAt: PAGE_NOW - 60 * MINUTE_MS,
  lastFailedAt: undefined,
  lastResultAt: PAGE_NOW - MINUTE_MS,
  isFailing: false,
};

export function deliveryOf(id: number, fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id,
    destination: `slack:${HOSTILE}`,
    channel: 'slack',
    address: HOSTILE,
    state: 'delivered',
    attempts: 1,
    lastError: undefined,
    receipt: undefined,
    reason: undefined,
    heldUntil: undefined,
    summaryId: undefined,
    telling: undefined,
    callbackId: 7,
    refusals: 0,
    claim: undefined,
    behind: undefined,
    isTakenOver: false,
    ageMs: 0,
    givenBackAt: undefined,
    updatedAt: PAGE_NOW - MINUTE_MS,
    dueInMs: 0,
    ...fields,
  };
}

export const DEAD: DeliveryRecord = deliveryOf(2, {
  state: 'dead',
  attempts: 3,
  lastError: { class: 'permanent', code: HOSTILE, message: HOSTILE },
});

export function callbackOf(id: number, fields: Partial<ArchivedCallback> = {}): ArchivedCallback {
  return {
    id,
    kind: 'callback',
    jobId: HOSTILE,
    botId: HOSTILE,
    botName: HOSTILE,
    status: 1,
    startedAt: PAGE_NOW - 2 * MINUTE_MS,
    receivedAt: PAGE_NOW - MINUTE_MS,
    lastReceivedAt: PAGE_NOW,
    timesReceived: 2,
    elapsedSeconds: 61,
    result: 'gave_up',
    deliveries: [deliveryOf(1), DEAD],
    ...fields,
  };
}

export function storyOf(fields: Partial<CallbackStory> = {}): CallbackStory {
  return {
    ...callbackOf(7),
    about: undefined,
    routing: [],
    history: [],
    ...fields,
  };
}

export const SNOOZE: KeptSnooze = {
  id: 5,
  botId: HOSTILE,
  destination: `slack:${HOSTILE}`,
  until: PAGE_NOW + 60 * MINUTE_MS,
  untilSuccess: true,
  because: HOSTILE,
  by: HOSTILE,
  createdAt: PAGE_NOW,
  held: 3,
};
