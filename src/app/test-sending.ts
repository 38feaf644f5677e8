/** Test messages of a running Botbell: by the config in force, in the turn of their destination. */
import { type AttemptDependencies, createAttempt } from '../deliver/attempt.ts';
import type { Dispatcher } from '../deliver/dispatcher.ts';
import type { SendTest } from '../deliver/operations.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import { createTestSender } from '../deliver/test-message.ts';
import type { Logger } from '../observe/logger.ts';
import { type Clock, systemClock } from '../time/clock.ts';

export interface TestParts extends Pick<AttemptDependencies, 'onLateResult'> {
  readonly settings: Pick<RunningSettings, 'current' | 'keepUntil'>;
  readonly onTest: AttemptDependencies['onAttempt'];
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly onUnforeseen: (error: unknown) => void;
}

export function composeTest(parts: TestParts): SendTest {
  const { settings, clock, dispatcher } = parts;
  const attempt = createAttempt({
    ...parts,
    timers: systemClock,
    onAttempt: parts.onTest,
  });
  const sendTest = createTestSender({
    clock,
    sendOnce: (begun, until) => dispatcher.once(attempt, begun, until),
    isStopping: () => dispatcher.isStopping,
  });
  return async (destination, { user: askedBy = '' }, language) => {
    const { current } = settings;
    const target = current.destinations.get(destination);
    if (target === undefined) return undefined;
    const words = language ?? current.language;
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
