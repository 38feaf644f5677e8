/** The remotes: their answers depend on the weather at the destination. */
import type { Channel, Outgoing, Receipt } from '../../src/channels/channel.ts';
import { DeliveryFailure, type FailureDetails } from '../../src/channels/failure.ts';
import { isAlert } from '../../src/notice/notice.ts';
import { keyOf, nthOf } from './keys.ts';
import type { Told } from './renderer.ts';
import type { Attempt } from './observed.ts';
import type { Process, WorldParts } from './process.ts';
import { Random } from './random.ts';
import { isMail, MINUTE, MIXED, SECOND, type Weather, type WeatherFault } from './scenario.ts';

/** The code of a failure after which the message may have arrived, and is sent again only when a person asks for it. */
export const STRANGE = '302';

const FAILURES: Partial<Record<Weather, FailureDetails>> = {
  error: { class: 'transient', code: '503', message: 'trouble' },
  permanent: { class: 'permanent', code: 'too_long', message: 'never' },
  config: { class: 'config', code: 'not_in_channel', message: 'mend it' },
  'reset-before': { class: 'transient', code: 'ECONNREFUSED', message: 'refused' },
  'reset-after': { class: 'transient', code: 'ECONNRESET', message: 'reset', mayHaveArrived: true },
  // 408, 500, 502 and 504.
  unsure: { class: 'transient', code: '500', message: 'broken', mayHaveArrived: true },
  // A redirect, or a 2xx that is not understood.
  strange: { class: 'config', code: STRANGE, message: 'look at it', mayHaveArrived: true },
  // A server that asks unknown senders to come back later.
  later: { class: 'transient', code: '450', message: 'greylisted', isForLater: true },
};

/** How long a chat may take to answer a request that it has. */
const CHAT_ANSWERS_WITHIN_MS = MINUTE;
const MAIL_ANSWERS_WITHIN_MS = 10 * MINUTE;

const TIMES_OUT: FailureDetails = {
  class: 'transient',
  code: 'ETIMEDOUT',
  message: 'no answer',
  mayHaveArrived: true,
};

export function remotesOf({ scenario, timeline, observed, say }: WorldParts) {
  const tries = new Map<string, number>();
  let underWay = 0;

  function weatherAt(destination: string, random: Random): Weather | undefined {
    const { now } = timeline;
    const found = scenario.faults.findLast(
      (fault): fault is WeatherFault =>
        fault.kind === 'weather' &&
        fault.destination === destination &&
        fault.at <= now &&
        now < fault.at + fault.for &&
        (fault.isForGood ?? now < scenario.healedAt),
    );
    return found?.mode === 'mixed' ? random.of([undefined, undefined, undefined, ...MIXED]) : found?.mode;
  }

  function send(process: Process, destination: string, outgoing: Outgoing): Promise<Receipt> {
    if (!process.isAlive) return new Promise(() => undefined);
    const { notice } = outgoing.message as Told;
    const key = keyOf(notice);
    const nth = (tries.get(`${key} ${destination}`) ?? 0) + 1;
    tries.set(`${key} ${destination}`, nth);
    const { mode, root } = outgoing.perJob ?? {};
    const about = { key, nth: nthOf(notice), notice, destination, perJob: mode, root: root?.['ts'] };
    const attempt: Attempt = { ...about, process, at: timeline.now };
    observed.attempts.push(attempt);
    const random = new Random(scenario.seed, `remote ${key} ${destination} ${nth}`);
    const found = weatherAt(destination, random);
    // Nobody can ask for an alert again, since the list has none.
    const weather = found === 'strange' && isAlert(notice) ? 'error' : found;
    say(`${process.name} sends ${key} to ${destination} (${nth})${weather ? ` in weather ${weather}` : ''}`);
    underWay += 1;
    return exchange(attempt, outgoing, weather, random);
  }

  /** One call of a remote, and the ways in which it can end. */
  function exchange(attempt: Attempt, outgoing: Outgoing, weather: Weather | undefined, random: Random) {
    const { key, destination } = attempt;
    const process = attempt.process as Process;
    const { onHandedOver, timeoutMs } = outgoing;
    /** Whether the message was on the wire, so that it may arrive even if its sender dies. */
    const isOnTheWire = random.chance(0.5);
    let hasEnded = false;
    return new Promise<Receipt>((resolve, reject) => {
      const take = (afterMs: number) =>
        timeline.after(afterMs, () => {
          if (!process.isAlive && !isOnTheWire) return;
          attempt.takenAt = timeline.now;
          say(`${destination} takes ${key}`);
        });
      const conclude = (details: FailureDetails | undefined) => {
        const { now: from } = timeline;
        attempt.endedAt = from;
        say(`${destination} answers ${details?.code ?? 'ok'} to ${process.name} about ${key}`);
        if (details === undefined) return resolve({ ts: `${from}` });
        const failure = new DeliveryFailure(details);
        attempt.failure = failure;
        if (failure.class === 'rate_limited')
          observed.pauses.push({ destination, process, from, until: from + (failure.retryAfterMs ?? 0) });
        reject(failure);
      };
      const end = (afterMs: number, details?: FailureDetails) =>
        timeline.after(afterMs, () => {
          if (hasEnded) return;
          hasEnded = true;
          underWay -= 1;
          process.reach('any', () => conclude(details));
        });
      /** A remote that has the whole message and takes its time: a mail server up to ten minutes, a chat up to one. */
      const dawdle = () => {
        const longestMs = isMail(destination) ? MAIL_ANSWERS_WITHIN_MS : CHAT_ANSWERS_WITHIN_MS;
        const answersInMs = random.int(1, isMail(destination) ? 500 : 80) * SECOND;
        if (answersInMs <= longestMs || random.chance(0.5)) take(takesMs);
        if (onHandedOver === undefined) return end(timeoutMs, TIMES_OUT);
        timeline.after(takesMs, () =>
          process.reach('any', () => {
            attempt.handedOverAt = timeline.now;
            onHandedOver();
          }),
        );
        end(answersInMs);
        return end(longestMs, TIMES_OUT);
      };
      const takesMs = weather === 'slow' ? random.int(1000, 9000) : random.int(5, 300);
      if (weather === 'hang') {
        if (random.chance(0.3)) take(takesMs);
        return end(timeoutMs, TIMES_OUT);
      }
      if (weather === 'dawdle') return dawdle();
      if (weather === 'limit') {
        const retryAfterMs = random.of([1, 3, 10, 45]) * SECOND;
        return end(takesMs, { class: 'rate_limited', code: '429', message: 'slow down', retryAfterMs });
      }
      const failure = weather && FAILURES[weather];
      const isTaken = failure?.mayHaveArrived ? weather === 'reset-after' || random.chance(0.5) : !failure;
      if (isTaken) take(takesMs / 2);
      end(takesMs, failure);
      return end(timeoutMs, TIMES_OUT);
    });
  }

  return {
    get underWay() {
      return underWay;
    },
    channelOf(process: Process, name: string): Channel {
      const { sleep } = process.clock(process.slot);
      return {
        turn: async (withinMs, destination) => {
          const random = new Random(scenario.seed, `turn ${destination} ${timeline.now}`);
          if (weatherAt(destination, random) !== 'full') return () => undefined;
          await sleep(withinMs);
          return undefined;
        },
        send: (outgoing) => send(process, `${name}:${outgoing.address}`, outgoing),
        verify: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
  };
}
