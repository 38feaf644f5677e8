/** Shared by all open channels: closing without interrupting a call, and the fallback to plain text. */
import { UnderWay } from '../time/clock.ts';
import type { Channel, Receipt } from './channel.ts';
import { DeliveryFailure, failureOf, Failures } from './failure.ts';

/** The part that each channel implements. */
export interface Sending extends Pick<Channel, 'send' | 'verify' | 'turn'> {
  /** Called when the channel is closed and no call is in flight. */
  free(): void | Promise<void>;
  /** The failure for an error of `send` or `verify` that is no `DeliveryFailure`. */
  failureOf(error: unknown): DeliveryFailure;
}

export function openedChannel(sending: Sending): Channel {
  const underWay = new UnderWay();
  let isClosed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw closedFailure();
    const running = work();
    underWay.until(running);
    try {
      return await running;
    } catch (error) {
      throw isKnown(error) ? error : sending.failureOf(error);
    }
  };
  const { turn } = sending;
  return {
    ...(turn && { turn }),
    send: (outgoing) => run(() => sending.send(outgoing)),
    verify: () => run(() => sending.verify()),
    close: async () => {
      isClosed = true;
      await underWay.idle();
      await sending.free();
    },
  };
}

/** A failure, or several of `verify`. */
function isKnown(error: unknown): boolean {
  return error instanceof DeliveryFailure || error instanceof Failures;
}

function closedFailure(): DeliveryFailure {
  return failureOf(
    { class: 'transient', code: 'channel_closed' },
    {
      en: 'The channel was being closed, so nothing was sent; the next attempt uses the one that replaces it',
      ja: 'チャネルを閉じていたため、メッセージは送信されていません。次回は新しいチャネルで送信します',
    },
  );
}

/**
 * Sends the card. If the remote refuses it as `permanent`, sends its plain text in the same attempt and time limit.
 * @param plain makes the plain text; undefined: the card has no plainer form
 * @returns the receipt; that of the plain text also has `card_refused` (the code) and `card_refused_reason`
 * @throws {DeliveryFailure} of the plain text, or of the card if no plain text was sent
 */
export async function sendOrPlain<Message>(
  send: (message: Message) => Promise<Receipt>,
  card: Message,
  plain: (() => Message) | undefined,
): Promise<Receipt> {
  try {
    return await send(card);
  } catch (error) {
    const isRefused = error instanceof DeliveryFailure && error.class === 'permanent';
    if (!isRefused || plain === undefined) throw error;
    const receipt = await send(plain());
    return { ...receipt, card_refused: error.code, card_refused_reason: error.message };
  }
}
