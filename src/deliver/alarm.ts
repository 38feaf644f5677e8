/** Tells the operators of what Botbell could not do: once per cause and hour, through the ordinary channels. */
import { createHash } from 'node:crypto';
import type { Callback } from '../callback/callback.ts';
import type { DeliveryTarget, Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';

const HOUR_MS = 3_600_000;

export interface Trouble {
  /** What is told once an hour only, e.g. one channel's one error code. */
  readonly cause: string;
  /** One sentence for an operator, in the display's language. */
  readonly message: string;
  /** The callback that it befell; undefined where there is none. */
  readonly callback: Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'> | undefined;
}

export interface AlarmDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'raise'>;
  /** Empty: nobody wants to know. */
  readonly targets: readonly DeliveryTarget[];
  readonly onRaised: () => void;
  readonly onUnwritten: (error: unknown) => void;
}

export type Alarm = (trouble: Trouble) => void;

/** The returned function never throws and waits for nobody. */
export function createAlarm(dependencies: AlarmDependencies): Alarm {
  const { clock, ledger, targets, onRaised, onUnwritten } = dependencies;
  return (trouble) => {
    if (targets.length === 0) return;
    const raisedAt = clock.now();
    const identity = identityOf(trouble.cause, raisedAt);
    void ledger
      .raise({ identity, callback: asCallback(trouble, raisedAt), raisedAt, targets })
      .then(onRaised, onUnwritten);
  };
}

function identityOf(cause: string, now: number): string {
  const hour = Math.floor(now / HOUR_MS);
  return createHash('sha256').update(`alert\n${cause}\n${hour}`).digest('hex');
}

/** In the shape that the templates know: an error of the BOT that it befell, or of Botbell itself. */
function asCallback({ callback, message }: Trouble, raisedAt: number): Callback {
  const { job_id = '', bot_id = 'botbell', bot_name = 'Botbell' } = callback ?? {};
  return {
    code: 0,
    job_id,
    bot_id,
    bot_name,
    status: 1,
    start_time: new Date(raisedAt).toISOString(),
    message,
  };
}
