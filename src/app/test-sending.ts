/** Test messages of a running Botbell: by the config in force, in the turn of their destination. */
import { type AttemptDependencies, createAttempt, createSender } from '../deliver/sender.ts';
import type { SendTest } from '../deliver/operations.ts';
import { createTestSender } from '../deliver/test-message.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { DeliveriesUnderWay } from '../deliver/deliveries-under-way.ts';
import type { Lanes } from '../deliver/lanes.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { Logger } from '../observe/logger.ts';

export interface TestParts extends Pick<AttemptDependencies, 'onLateResult'> {
  readonly settings: Pick<RunningSettings, 'current' | 'keepUntil'>;
  readonly onTest: AttemptDependencies['onAttempt'];
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly underWay: DeliveriesUnderWay;
  readonly onUnforeseen: (error: unknown) => void;
}

export function composeTest(parts: TestParts): SendTest {
  const { settings, clock, lanes, underWay } = parts;
  const attempt = createAttempt({
    ...parts,
    timers: systemClock,
    // It belongs to no job.
    earlierReceipts: () => Promise.resolve([]),
    onAttempt: parts.onTest,
  });
  const send = createSender({ clock, lanes, attempt, random: Math.random });
  const sendTest = createTestSender({ clock, send, underWay });
  return async (destination, { user: askedBy = '' }, language) => {
    const { current } = settings;
    const target = current.destinations.get(destination);
    if (target === undefined) return undefined;
    const words = language ?? current.alerts.language;
    const sent = sendTest({ target, settings: current, askedBy, language: words });
    settings.keepUntil(current, sent);
    return sent;
  };
}

/** A test tells nobody of anything, so that no metric counts it. */
export function reportTest(logger: Logger): AttemptDependencies['onAttempt'] {
  return ({ destination }, { outcome, durationMs: ms }) => {
    if ('receipt' in outcome) {
      logger.info({ destination, ms }, 'test message delivered');
      return;
    }
    const { class: failureClass, code, message: reason } = outcome.failure;
    logger.warn({ destination, ms, class: failureClass, code, reason }, 'test message not delivered');
  };
}
