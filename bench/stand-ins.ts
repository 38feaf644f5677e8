/** The remotes of a run, in a process of their own, and the proof that each callback arrived there exactly once. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Batch } from './callbacks.ts';
import { Child } from './child.ts';

const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 60_000;

interface Ports {
  readonly slackPort: number;
  readonly smtpPort: number;
}

interface Tally {
  /** Callbacks of the range that one message told of, and ones that several told of. */
  readonly once: number;
  readonly often: number;
  /** Messages of the whole run in which no number was found. */
  readonly unnumbered: number;
}

export class StandIns {
  readonly #child: Child;
  readonly #ports: Ports;

  private constructor(child: Child, ports: Ports) {
    this.#child = child;
    this.#ports = ports;
  }

  static async start(): Promise<StandIns> {
    const child = new Child([join(import.meta.dirname, 'subjects/stand-ins.mjs')]);
    return new StandIns(child, await child.announced<Ports>('slackPort', 'smtpPort'));
  }

  get slackApi(): string {
    return `http://127.0.0.1:${this.#ports.slackPort}/api/`;
  }

  get smtpPort(): number {
    return this.#ports.smtpPort;
  }

  /**
   * Waits until every callback of the range was delivered.
   * @throws {Error} one delivered twice, one that does not arrive, a message of nobody knows what
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

  /** How many callbacks of the range arrived, once or more often. */
  async countArrived({ from, to }: Pick<Batch, 'from' | 'to'>): Promise<number> {
    const { once, often } = await this.#tally(from, to);
    return once + often;
  }

  async #tally(from: number, to: number): Promise<Tally> {
    const { body } = await request(`http://127.0.0.1:${this.#ports.slackPort}/tally?from=${from}&to=${to}`);
    return (await body.json()) as Tally;
  }

  close(): Promise<void> {
    return this.#child.end();
  }
}
