/** Stand-ins for the remotes, in a process of their own; verifies that each callback arrived there exactly once. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Batch } from './callbacks.ts';
import { Child } from './child.ts';

const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 60_000;

interface Tally {
  /** Callbacks of the range that exactly one message was about; `often`: those that several were about. */
  readonly once: number;
  readonly often: number;
  /** Messages of the whole run in which no number was found. */
  readonly unnumbered: number;
}

export class StandIns {
  readonly #child: Child;
  readonly #origin: string;

  private constructor(child: Child, port: number) {
    this.#child = child;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<StandIns> {
    const child = new Child([join(import.meta.dirname, 'subjects/stand-ins.mjs')]);
    const { slackPort } = await child.announced<{ slackPort: number }>('slackPort');
    return new StandIns(child, slackPort);
  }

  get slackApi(): string {
    return `${this.#origin}/api/`;
  }

  /**
   * Waits until every callback of the range was delivered.
   * @throws {Error} a callback was delivered twice or does not arrive, or a message has no number
   */
  async verify({ from, to }: Pick<Batch, 'from' | 'to'>): Promise<void> {
    for (let waitedMs = 0; waitedMs < LOOK_FOR_MS; waitedMs += LOOK_EVERY_MS) {
      const { once, often, unnumbered } = await this.#tally(from, to);
      if (often > 0) throw new Error(`${often} callbacks were delivered more than once`);
      if (unnumbered > 0) throw new Error(`${unnumbered} messages tell of no callback`);
      if (once === to - from) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`not every callback from ${from} to ${to} was delivered`);
  }

  async #tally(from: number, to: number): Promise<Tally> {
    const { body } = await request(`${this.#origin}/tally?from=${from}&to=${to}`);
    return (await body.json()) as Tally;
  }

  close(): Promise<void> {
    return this.#child.end();
  }
}
