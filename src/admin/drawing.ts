/** What the config in force makes of a callback, for whoever wants to see it: routes, and the message for each destination. */
import type { CheckedCallback } from '../callback/callback.ts';
import type { MessageFormat } from '../channels/channel.ts';
import type { Config } from '../config/config.ts';
import type { Notice } from '../notice/notice.ts';
import type { TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget } from '../render/catalog.ts';
import type { Router } from '../route/router.ts';

export interface DrawnMessage {
  readonly message: unknown;
  /** Templates that failed over it; another one took their place. */
  readonly failures: readonly TemplateFailure[];
}

/** By one config; it sends nothing, and counts nothing. */
export interface Drawing {
  readonly config: Config;
  /** By the name of the channel. */
  readonly formats: ReadonlyMap<string, MessageFormat>;
  readonly templateSets: readonly string[];
  readonly router: Router;
  /**
   * Reads it as the receiver would.
   * @throws {UndecodableBody}
   * @throws {InvalidCallback}
   * @throws {HttpProblem} 413 too large
   */
  read(bytes: Uint8Array): CheckedCallback;
  /** A callback of the ledger, or an alert. @returns undefined: the ledger does not have it. @throws {LedgerUnavailable} */
  load(callbackId: number): Promise<Notice | undefined>;
  draw(notice: Notice, target: RenderTarget): DrawnMessage;
}
