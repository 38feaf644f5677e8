/** What is written of a callback at once: outcomes of its deliveries, and its answer. */
import type { Admission, DeliveryUpdate, Settlement } from '../../src/ledger/ledger.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';

/** The callback is not looked at where nothing is said of it. */
export function settlementOf(
  update?: DeliveryUpdate,
  callbackId = -1,
  receivedAt = update?.receivedAt ?? 0,
): Settlement {
  return { callbackId, receivedAt, attempts: [], update, isDurable: false };
}

/** Each delivery by itself, and the answer with the last of them. */
export function settlementsOf(
  updates: readonly DeliveryUpdate[],
  callbackId?: number,
  answer?: Settlement['answer'],
): readonly Settlement[] {
  const all = updates.length === 0 ? [undefined] : updates;
  return all.map((update, index) => {
    const isLast = index === all.length - 1;
    return { ...settlementOf(update, callbackId), answer: isLast ? answer : undefined };
  });
}

export async function settleAll(
  by: Pick<DatabaseLedger, 'settle'>,
  settlements: readonly Settlement[],
  withinMs?: number,
): Promise<boolean> {
  let isDue = false;
  for (const settlement of settlements) if (await by.settle(settlement, withinMs)) isDue = true;
  return isDue;
}

/** Nothing yet of what is to be written of an admission. */
export function answeredOf({
  callbackId,
  firstReceivedAt,
}: Pick<Admission, 'callbackId' | 'firstReceivedAt'>): Settlement {
  return settlementOf(undefined, callbackId, firstReceivedAt);
}

export function answerOf(status: number, result: 'delivered' | 'failed' | 'held') {
  return { arrivedAt: 1, answeredAt: 2, status, result } as const;
}
