/** Takes one errand as far as one request allows: attempts, waits between them, pauses the remote asked for. */
import { DeliveryFailure } from '../channels/failure.ts';
import type { Clock } from '../time/clock.ts';
import type { AttemptResult, Errand, Messenger } from './messenger.ts';
import type { RemotePauses } from './remote-pauses.ts';
import { fits, nextStep, pauseAfter } from './retry-policy.ts';

export interface CourierDependencies {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly pauses: RemotePauses;
  readonly send: Messenger;
  readonly attemptsPerRequest: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What came of an errand in one request. */
export interface Trip {
  readonly attempts: readonly AttemptResult[];
  readonly outcome: AttemptResult['outcome'];
}

/** No attempt is begun after `deadline`; one that was begun before it is seen through. Never throws. */
export type Courier = (errand: Errand, deadline: number) => Promise<Trip>;

export function createCourier(dependencies: CourierDependencies): Courier {
  const { clock, pauses, send, attemptsPerRequest } = dependencies;
  return async (errand, deadline) => {
    const attempts: AttemptResult[] = [];
    for (;;) {
      const paused = pauses.remaining(errand.channel);
      if (paused > 0 && !fits(paused, deadline - clock.now())) {
        return { attempts, outcome: { failure: leftAlone(errand, paused) } };
      }
      if (paused > 0) {
        await clock.sleep(paused);
        continue;
      }
      if (clock.now() >= deadline) return { attempts, outcome: attempts.at(-1)?.outcome ?? OUT_OF_TIME };
      const result = await send(errand);
      attempts.push(result);
      if (!('failure' in result.outcome)) return { attempts, outcome: result.outcome };
      const { failure } = result.outcome;
      pauses.pause(errand.channel, pauseAfter(failure));
      const timeLeftMs = deadline - clock.now();
      const step = nextStep(failure, attempts.length, attemptsPerRequest, timeLeftMs, dependencies.random());
      if (step.kind === 'stop') return { attempts, outcome: result.outcome };
      await clock.sleep(step.ms);
    }
  };
}

const OUT_OF_TIME: Trip['outcome'] = {
  failure: new DeliveryFailure({
    class: 'transient',
    code: 'no_time',
    message: 'no time was left to try it before the answer was due',
  }),
};

function leftAlone({ channel }: Errand, remainingMs: number): DeliveryFailure {
  return new DeliveryFailure({
    class: 'rate_limited',
    code: 'paused',
    message: `${channel} asked to be left alone for ${Math.ceil(remainingMs / 1000)} s more`,
    retryAfterMs: remainingMs,
  });
}
