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

export class Remotes {
  underWay = 0;
  readonly #parts: WorldParts;
  readonly #tries = new Map<string, number>();

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  channelOf(process: Process, name: string): Channel {
    const { scenario, timeline } = this.#parts;
    const { sleep } = process.clock(process.slot);
    return {
      turn: async (withinMs, destination) => {
        const random = new Random(scenario.seed, `turn ${destination} ${timeline.now}`);
        if (this.#weatherAt(destination, random) !== 'full') return () => undefined;
        await sleep(withinMs);
        return undefined;
      },
      send: (outgoing) => this.#send(process, `${name}:${outgoing.address}`, outgoing),
      verify: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }

  #weatherAt(destination: string, random: Random): Weather | undefined {
    const { scenario, timeline } = this.#parts;
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

  #send(process: Process, destination: string, outgoing: Outgoing): Promise<Receipt> {
    if (!process.isAlive) return new Promise(() => undefined);
    const { notice } = outgoing.message as Told;
    const key = keyOf(notice);
    const nth = (this.#tries.get(`${key} ${destination}`) ?? 0) + 1;
    this.#tries.set(`${key} ${destination}`, nth);
    const { mode, root } = outgoing.perJob ?? {};
    const about = { key, nth: nthOf(notice), notice, destination, perJob: mode, root: root?.['ts'] };
    const attempt: Attempt = { ...about, process, at: this.#parts.timeline.now };
    this.#parts.observed.attempts.push(attempt);
    const random = new Random(this.#parts.scenario.seed, `remote ${key} ${destination} ${nth}`);
    const found = this.#weatherAt(destination, random);
    // Nobody can ask for an alert again, since the list has none.
    const weather = found === 'strange' && isAlert(notice) ? 'error' : found;
    this.#parts.say(
      `${process.name} sends ${key} to ${destination} (${nth})${weather ? ` in weather ${weather}` : ''}`,
    );
    this.underWay += 1;
    return new Promise((resolve, reject) =>
      new Exchange(this, this.#parts, { attempt, process, outgoing, random, resolve, reject }).run(weather),
    );
  }
}

interface Exchanged {
  readonly attempt: Attempt;
  readonly process: Process;
  readonly outgoing: Outgoing;
  readonly random: Random;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (failure: DeliveryFailure) => void;
}

/** One call of a remote, and the ways in which it can end. */
class Exchange {
  readonly #remotes: Remotes;
  readonly #parts: WorldParts;
  readonly #of: Exchanged;
  /** Whether the message was on the wire, so that it may arrive even if its sender dies. */
  readonly #isOnTheWire: boolean;
  #hasEnded = false;

  constructor(remotes: Remotes, parts: WorldParts, exchanged: Exchanged) {
    this.#remotes = remotes;
    this.#parts = parts;
    this.#of = exchanged;
    this.#isOnTheWire = exchanged.random.chance(0.5);
  }

  run(weather: Weather | undefined): void {
    const { outgoing, random } = this.#of;
    const takesMs = weather === 'slow' ? random.int(1000, 9000) : random.int(5, 300);
    if (weather === 'hang') {
      if (random.chance(0.3)) this.#take(takesMs);
      return this.#end(outgoing.timeoutMs, TIMES_OUT);
    }
    if (weather === 'dawdle') return this.#dawdle(takesMs);
    if (weather === 'limit') {
      const retryAfterMs = random.of([1, 3, 10, 45]) * SECOND;
      return this.#end(takesMs, { class: 'rate_limited', code: '429', message: 'slow down', retryAfterMs });
    }
    const failure = weather && FAILURES[weather];
    const isTaken = failure?.mayHaveArrived ? weather === 'reset-after' || random.chance(0.5) : !failure;
    if (isTaken) this.#take(takesMs / 2);
    this.#end(takesMs, failure);
    this.#end(outgoing.timeoutMs, TIMES_OUT);
  }

  /** A remote that has the whole message and takes its time: a mail server up to ten minutes, a chat up to one. */
  #dawdle(takesMs: number): void {
    const { attempt, process, outgoing, random } = this.#of;
    const { onHandedOver, timeoutMs } = outgoing;
    const longestMs = isMail(attempt.destination) ? MAIL_ANSWERS_WITHIN_MS : CHAT_ANSWERS_WITHIN_MS;
    const answersInMs = random.int(1, isMail(attempt.destination) ? 500 : 80) * SECOND;
    if (answersInMs <= longestMs || random.chance(0.5)) this.#take(takesMs);
    if (onHandedOver === undefined) return this.#end(timeoutMs, TIMES_OUT);
    this.#parts.timeline.after(takesMs, () =>
      process.reach('any', () => {
        attempt.handedOverAt = this.#parts.timeline.now;
        onHandedOver();
      }),
    );
    this.#end(answersInMs);
    this.#end(longestMs, TIMES_OUT);
  }

  #take(afterMs: number): void {
    const { attempt, process } = this.#of;
    const { timeline, say } = this.#parts;
    timeline.after(afterMs, () => {
      if (!process.isAlive && !this.#isOnTheWire) return;
      attempt.takenAt = timeline.now;
      say(`${attempt.destination} takes ${attempt.key}`);
    });
  }

  #end(afterMs: number, details?: FailureDetails): void {
    const { timeline } = this.#parts;
    timeline.after(afterMs, () => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.#remotes.underWay -= 1;
      this.#of.process.reach('any', () => this.#conclude(details));
    });
  }

  #conclude(details: FailureDetails | undefined): void {
    const { attempt, process, resolve, reject } = this.#of;
    const { timeline, observed, say } = this.#parts;
    const { destination } = attempt;
    attempt.endedAt = timeline.now;
    say(`${destination} answers ${details?.code ?? 'ok'} to ${process.name} about ${attempt.key}`);
    if (details === undefined) return resolve({ ts: `${timeline.now}` });
    const failure = new DeliveryFailure(details);
    attempt.failure = failure;
    const { now: from } = timeline;
    if (failure.class === 'rate_limited')
      observed.pauses.push({ destination, process, from, until: from + (failure.retryAfterMs ?? 0) });
    reject(failure);
  }
}
