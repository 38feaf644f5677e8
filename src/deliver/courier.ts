/** Takes one errand as far as its deadline allows: its turn in the lane, attempts, waits between them. */
import { DeliveryFailure } from '../channels/failure.ts';
import type { Clock } from '../time/clock.ts';
import type { DeliveryUnderWay } from './deliveries-under-way.ts';
import type { Deferral, Lanes, Rank } from './lanes.ts';
import type { AttemptResult, AttemptSettings, Messenger } from './messenger.ts';
import type { AddressedNotice } from './plan.ts';
import { nextStep, pauseAfter } from './retry-policy.ts';
import type { DeliverySettings } from './settings.ts';

export interface CourierDependencies {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly send: Messenger;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What came of an errand. */
export interface Trip {
  readonly attempts: readonly AttemptResult[];
  readonly outcome: AttemptResult['outcome'] | { readonly deferred: Deferral };
}

export interface Leg {
  readonly addressed: AddressedNotice;
  /** With which the whole began. */
  readonly settings: AttemptSettings & { readonly delivery: Pick<DeliverySettings, 'attemptsPerRequest'> };
  readonly delivery: DeliveryUnderWay;
  /** By the monotonic clock: no attempt begins after it; one that was begun before it is seen through. */
  readonly deadline: number;
  readonly rank: Rank;
}

/** Never throws. */
export type Courier = (leg: Leg) => Promise<Trip>;

export function createCourier(dependencies: CourierDependencies): Courier {
  const { clock, lanes, random } = dependencies;
  return async (leg) => {
    const { addressed, delivery, deadline } = leg;
    const { attemptsPerRequest } = leg.settings.delivery;
    const attempts: AttemptResult[] = [];
    let failures = 0;
    let { rank } = leg;
    for (;;) {
      const entry = lanes.enter(addressed, deadline, rank);
      const refusal = entry instanceof Promise ? await entry : entry;
      if (refusal !== undefined) return { attempts, outcome: { deferred: refusal } };
      const startedAt = clock.monotonic();
      const result = await attempt(dependencies, leg);
      attempts.push(result);
      const { outcome } = result;
      if (!('failure' in outcome)) return { attempts, outcome };
      delivery.stall();
      // Having been let in, it stays before what comes now.
      rank = 'next';
      if (outcome.failure.class === 'rate_limited') {
        lanes.limited(addressed, pauseAfter(outcome.failure), startedAt);
        continue;
      }
      failures += 1;
      const timeLeftMs = deadline - clock.monotonic();
      const step = nextStep(outcome.failure, failures, attemptsPerRequest, timeLeftMs, random());
      if (step.kind === 'stop') return { attempts, outcome };
      await lanes.waitToRetry(step.ms);
    }
  };
}

async function attempt(
  { clock, lanes, send }: CourierDependencies,
  { addressed, delivery, settings }: Leg,
): Promise<AttemptResult> {
  lanes.started(addressed.destination);
  const startedAt = clock.now();
  const since = clock.monotonic();
  const result = await new Promise<AttemptResult>((resolve) => {
    delivery.cut = () =>
      resolve({ startedAt, durationMs: clock.monotonic() - since, outcome: { failure: CUT_OFF } });
    void send(addressed, settings, delivery.id).then(resolve);
  });
  delivery.cut = undefined;
  return result;
}

const CUT_OFF = new DeliveryFailure({
  class: 'transient',
  code: 'cut_off',
  message: 'Botbell was stopped before the remote had answered: the message may have arrived',
});
