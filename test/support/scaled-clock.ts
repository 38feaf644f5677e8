/** The system's clock, faster, and begun at a moment of a test's choice: hours pass in seconds. */
import { type Clock, systemClock } from '../../src/time/clock.ts';

/** Half past: what is counted by the hour stays in one of them for the length of a test. */
const MIDDLE_OF_AN_HOUR = Date.UTC(2026, 10, 20, 9, 30);

/** @param factor seconds that pass in one */
export function scaledClock(factor: number): Clock {
  const begun = performance.now();
  return {
    now: () => Math.round(MIDDLE_OF_AN_HOUR + (performance.now() - begun) * factor),
    monotonic: () => (performance.now() - begun) * factor,
    sleep: (ms) => systemClock.sleep(ms / factor),
    startTimer: (ms, onTime) => systemClock.startTimer(ms / factor, onTime),
  };
}
