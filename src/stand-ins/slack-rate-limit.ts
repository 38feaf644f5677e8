/** The local Slack's rate limits: a message a second and channel, few at once, and so many a minute in all. */

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;

/** Slack: "Rate limits", posting messages: about one a second and channel, and several hundred a minute in all. */
export interface SlackRateLimit {
  /** Messages that one channel takes at once after a rest; from then on one a second. */
  readonly burst: number;
  /** Seconds for which whoever sends faster is refused, also named as `Retry-After`. */
  readonly retryAfter: number;
  /** Messages a minute in all channels together, a tenth of them at once; none: no such limit. */
  readonly workspacePerMinute?: number;
  /** Milliseconds of a clock that never goes back; the process's own where it is left out. */
  readonly now?: () => number;
}

export class SlackRateLimiter {
  readonly #now: () => number;
  readonly #bucket: (size: number, intervalMs: number) => Bucket;
  readonly #burst: number;
  readonly #workspace: readonly Bucket[];
  readonly #channels = new Map<string, Bucket>();

  constructor({ burst, retryAfter, workspacePerMinute, now = () => performance.now() }: SlackRateLimit) {
    this.#now = now;
    this.#burst = burst;
    this.#bucket = (size, intervalMs) => new Bucket(size, intervalMs, retryAfter * MS_PER_SECOND);
    this.#workspace =
      workspacePerMinute === undefined
        ? []
        : [this.#bucket(Math.ceil(workspacePerMinute / 10), MS_PER_MINUTE / workspacePerMinute)];
  }

  /** Counts a message that passes. @returns the seconds of `Retry-After` for one that does not */
  take(channelId: string): number | undefined {
    const now = this.#now();
    const channel = this.#channels.get(channelId) ?? this.#bucket(this.#burst, MS_PER_SECOND);
    this.#channels.set(channelId, channel);
    const buckets = [channel, ...this.#workspace];
    const waitMs = Math.max(...buckets.map((bucket) => bucket.refusedForMs(now)));
    if (waitMs > 0) return Math.ceil(waitMs / MS_PER_SECOND);
    for (const bucket of buckets) bucket.spend(now);
    return undefined;
  }
}

/** A token bucket, kept as the time at which it is full (the generic cell rate algorithm): no sum of fractions drifts. */
class Bucket {
  readonly #size: number;
  readonly #intervalMs: number;
  readonly #penaltyMs: number;
  #fullAt = -Infinity;
  #closedUntil = -Infinity;

  constructor(size: number, intervalMs: number, penaltyMs: number) {
    this.#size = size;
    this.#intervalMs = intervalMs;
    this.#penaltyMs = penaltyMs;
  }

  /** 0: a message passes. Whoever is refused is told the truth: until then, none passes. */
  refusedForMs(now: number): number {
    if (now < this.#closedUntil) return this.#closedUntil - now;
    if (this.#fullAt - now <= (this.#size - 1) * this.#intervalMs) return 0;
    this.#closedUntil = now + this.#penaltyMs;
    return this.#penaltyMs;
  }

  spend(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
  }
}
