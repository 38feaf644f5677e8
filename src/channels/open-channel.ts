/** What every open channel does the same way: it closes without interrupting anything, and falls back to plain text. */
import { UnderWay } from '../time/clock.ts';
import type { Channel, Receipt } from './channel.ts';
import { DeliveryFailure, failureOf } from './failure.ts';

/** What differs from channel to channel. */
interface Sending extends Pick<Channel, 'send' | 'verify'> {
  /** Called once nothing is under way. */
  free(): void | Promise<void>;
  /** What an error of the above means; is given no `DeliveryFailure`. */
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
      throw error instanceof DeliveryFailure ? error : sending.failureOf(error);
    }
  };
  return {
    send: (outgoing) => run(() => sending.send(outgoing)),
    verify: () => run(() => sending.verify()),
    close: async () => {
      isClosed = true;
      await underWay.idle();
      await sending.free();
    },
  };
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
 * Sends the card; where the remote refuses it as such, its plain text, as the same attempt: both within its time limit.
 * @param plain undefined: there is nothing plainer
 * @returns the receipt, which says so by `card_refused` (the code) and `card_refused_reason`
 * @throws {DeliveryFailure} by either; of the first where it is not `permanent`
 */
export async function sendOrPlain<Message>(
  send: (message: Message) => Promise<Receipt>,
  card: Message,
  plain: Message | undefined,
): Promise<Receipt> {
  try {
    return await send(card);
  } catch (error) {
    const isRefused = error instanceof DeliveryFailure && error.class === 'permanent';
    if (!isRefused || plain === undefined) throw error;
    const receipt = await send(plain);
    return { ...receipt, card_refused: error.code, card_refused_reason: error.message };
  }
}
