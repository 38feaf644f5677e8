/** The remotes of a scenario, seen from the driver: where they listen, and who has been told of what. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SlackRateLimit } from '../../src/stand-ins/slack-rate-limit.ts';

export const SLACK_TOKEN = 'xoxb-pressure';

export interface RemotesSettings {
  /** Slack's, with their `#`; what is not among them is `channel_not_found`. */
  readonly channels: readonly string[];
  readonly rateLimit?: SlackRateLimit | undefined;
  /** Slack takes connections and requests, and never answers. */
  readonly doesHang?: boolean;
}

export interface Told {
  /** `<key> <destination>` */
  readonly what: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface RemotesReport {
  /** Of what was posted, in order of acceptance, Slack's first. */
  readonly told: readonly Told[];
  /** Messages of what was in the ledger from the start. */
  readonly toldOfSeeded: number;
  readonly slackCalls: number;
  /** Calls that were answered 429. */
  readonly slackLimited: number;
}

/** Where remotes listen. */
export interface Remote {
  readonly slackApi: string;
  readonly smtpPort: number;
}

export class Remotes implements Remote {
  readonly #child: ChildProcess;
  readonly #gone: AbortSignal;
  readonly slackApi: string;
  readonly smtpPort: number;

  private constructor(child: ChildProcess, gone: AbortSignal, { slackApi, smtpPort }: Remote) {
    this.#child = child;
    this.#gone = gone;
    this.slackApi = slackApi;
    this.smtpPort = smtpPort;
  }

  static async start(settings: RemotesSettings): Promise<Remotes> {
    const child = fork(join(import.meta.dirname, 'remotes-process.ts'), [JSON.stringify(settings)], {
      execArgv: ['--import', 'tsx'],
    });
    const gone = new AbortController();
    child.once('exit', () => gone.abort());
    const [listening] = (await once(child, 'message', { signal: gone.signal })) as [Remote];
    return new Remotes(child, gone.signal, listening);
  }

  /** @throws {Error} their process has ended */
  async report(): Promise<RemotesReport> {
    const answered = once(this.#child, 'message', { signal: this.#gone });
    this.#child.send('report');
    const [report] = (await answered) as [RemotesReport];
    return report;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
