/** Has a message made: here, or, of a large callback, in the thread for such. */
import { bulkOf } from '../callback/callback.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget } from '../render/templates/catalog.ts';
import type { LargeCallbacks } from './large-callbacks.ts';

/** It comes on top of the time limit of an attempt, and must fit into the margin that a claim has beyond that: 5 s. */
const MOST_RENDER_MS = 4000;

export interface ComposerParts {
  readonly renderer: Pick<Renderer, 'render'>;
  readonly largeCallbacks: Pick<LargeCallbacks, 'render'>;
  readonly onFailure: (failure: TemplateFailure) => void;
}

/** The returned function gives the message, or a promise of it, which rejects with a {DeliveryFailure}. */
export function createComposer({ renderer, largeCallbacks, onFailure }: ComposerParts) {
  return (notice: Notice, target: RenderTarget): unknown => {
    const bulk = isAlert(notice) ? undefined : bulkOf(notice.callback);
    if (isAlert(notice) || bulk === undefined) return renderer.render(notice, target, onFailure);
    const { startedAt, timesReceived } = notice;
    const order = { json: bulk.json, startedAt, timesReceived, target, withinMs: MOST_RENDER_MS };
    return largeCallbacks.render(order, onFailure);
  };
}
