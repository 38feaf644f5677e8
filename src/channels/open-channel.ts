/** Shared by all open channels: closing without interrupting a call, and errors as failures. */
import { UnderWay } from '../time/clock.ts';
import type { Channel, Outgoing, Receipt } from './channel.ts';
import { DeliveryFailure } from './failure.ts';

export interface Sending<Out = Outgoing> extends Omit<Channel, 'close' | 'send'> {
  readonly send: (outgoing: Out) => Promise<Receipt>;
  /** Called when the channel is closed and no call is in flight. */
  readonly free: () => void | Promise<void>;
  /** The failure for an error of `send` or `verify` that is no `DeliveryFailure`. */
  readonly failureOf: (error: unknown) => DeliveryFailure;
}

export function failureIn(error: unknown, { failureOf }: Pick<Sending, 'failureOf'>): DeliveryFailure {
  return error instanceof DeliveryFailure ? error : failureOf(error);
}

export function openedChannel({ turn, send, verify, free, failureOf }: Sending): Channel {
  const underWay = new UnderWay();
  const run = <T>(work: Promise<T>): Promise<T> => {
    underWay.begin();
    return work.then(
      (done) => {
        underWay.end();
        return done;
      },
      (error: unknown) => {
        underWay.end();
        // If several addresses fail, `verify` throws an `AggregateError` of their failures.
        throw error instanceof AggregateError ? error : failureIn(error, { failureOf });
      },
    );
  };
  return {
    turn,
    send: (outgoing) => run(send(outgoing)),
    verify: () => run(verify()),
    close: async () => {
      await underWay.idle();
      await free();
    },
  };
}
