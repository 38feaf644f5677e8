/** What the thread of large callbacks is asked, and what it answers. All of it can be cloned. */
import type { Callback, CheckedCallback, CallbackError } from '../callback/callback.ts';
import type { ChannelConfig } from '../config/config.ts';
import type { TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget, TemplateSources } from '../render/templates/catalog.ts';

/** With which the thread is started. */
export interface LargeCallbackSetting {
  readonly templates: TemplateSources;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
}

interface OfCallback {
  /** The same for every task about the same callback. */
  readonly subject: number;
  readonly json: Uint8Array;
}

export interface ReadTask extends OfCallback {
  /** What the ledger has was checked when it came. */
  readonly kind: 'check' | 'read';
}

export interface RenderTask extends OfCallback {
  readonly kind: 'render';
  readonly startedAt: number;
  readonly timesReceived: number;
  readonly target: RenderTarget;
}

export type LargeCallbackTask = ReadTask | RenderTask;

export type LargeCallbackAnswer =
  | ({ readonly kind: 'checked'; readonly identity: string } & CheckedCallback)
  | { readonly kind: 'read'; readonly identity: string; readonly callback: Callback }
  /** No JSON. */
  | { readonly kind: 'undecodable'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly errors: readonly CallbackError[] }
  | { readonly kind: 'rendered'; readonly message: unknown; readonly failures: readonly TemplateFailure[] }
  | { readonly kind: 'failed'; readonly detail: string };
