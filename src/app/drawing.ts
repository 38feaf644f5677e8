/** Draws messages by the settings in force, as they would be sent, without sending or counting anything. */
import type { Drawing, DrawTarget, ReadAttempt } from '../admin/drawing.ts';
import { bulkOf, UnreadCallback } from '../callback/callback.ts';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { formatsOf } from '../config/config.ts';
import { LargeNotices } from '../deliver/large-notices.ts';
import type { MemoryBudget } from '../deliver/memory-budget.ts';
import type { RunningSettings } from '../deliver/settings.ts';
import type { Archive } from '../ledger/archive/archive.ts';
import type { ChannelType } from '../channels/channel.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import { BodyMemory, createCallbackReader } from '../receive/read-callback.ts';
import { renderersByLanguage, type TemplateFailure } from '../render/renderer.ts';
import { createRouter } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';
import type { AppSettings } from './settings.ts';

/** Somebody waits for the page. */
const WITHIN_MS = 3000;

export interface DrawingParts {
  readonly clock: Clock;
  readonly settings: RunningSettings<AppSettings>;
  readonly archive: Pick<Archive, 'told'>;
  readonly memory: MemoryBudget;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
}

/** The returned function gives the drawing by the settings that are in force when it is called. */
export function createDrawings(parts: DrawingParts): () => Drawing {
  const made = new WeakMap<AppSettings, Drawing>();
  return () => {
    const { current } = parts.settings;
    const drawing = made.get(current) ?? drawingBy(current, parts);
    made.set(current, drawing);
    return drawing;
  };
}

/** The ledger has nothing under that id. */
class NothingTold extends Error {}

function drawingBy(current: AppSettings, parts: DrawingParts): Drawing {
  const { clock, settings, archive, memory, channelTypes } = parts;
  const { config, renderer } = current.loaded;
  const { largeCallbacks } = current;
  const kept = <T>(work: Promise<T>) => {
    settings.keepUntil(current, work);
    return work;
  };
  const notices = new LargeNotices({
    clock,
    budget: memory,
    ledger: {
      readNotice: async (id) => {
        const told = await archive.told(id);
        if (told === undefined) throw new NothingTold();
        return told;
      },
    },
    readLarge: (json, deadline) => kept(largeCallbacks.readAgain(json, deadline - clock.monotonic())),
  });
  const { maxBodyBytes: bytes, maxNodes: values } = config.receiver;
  const bodies = new BodyMemory(memory, { bytes, values });
  const readCallback = createCallbackReader({
    clock,
    check: createCallbackCheck(config.display.timezone),
    readLarge: (json, withinMs) => kept(largeCallbacks.read(json, withinMs)),
  });
  return {
    config,
    formats: formatsOf(config, channelTypes),
    templateSets: renderer.templateSets,
    router: createRouter(config.routes, config.defaultRoute),
    read: (body) => readWithin(body, clock.monotonic() + WITHIN_MS, { bodies, readCallback }),
    load: async (callbackId) => {
      try {
        const loaded = await notices.load(callbackId, clock.monotonic() + WITHIN_MS);
        if (loaded === undefined) throw new UnreadCallback('There is no memory for this callback now');
        return loaded;
      } catch (error) {
        if (error instanceof NothingTold) return undefined;
        throw error;
      }
    },
    draw: drawer(current, kept),
  };
}

async function readWithin(
  body: Uint8Array,
  deadline: number,
  {
    bodies,
    readCallback,
  }: { readonly bodies: BodyMemory; readonly readCallback: ReturnType<typeof createCallbackReader> },
): Promise<ReadAttempt> {
  const held = await bodies.hold(body, deadline);
  try {
    const { callback, startedAt } = await readCallback(body, deadline);
    return { callback, startedAt, release: () => held.release() };
  } catch (error) {
    held.release();
    throw error;
  }
}

function drawer(
  { loaded: { renderer }, largeCallbacks }: AppSettings,
  kept: <T>(work: Promise<T>) => Promise<T>,
): Drawing['draw'] {
  const rendererFor = renderersByLanguage(renderer);
  const render = (
    notice: Notice,
    { language, ...target }: DrawTarget,
    onFailure: (failure: TemplateFailure) => void,
  ): unknown => {
    const bulk = isAlert(notice) ? undefined : bulkOf(notice.callback);
    if (isAlert(notice) || bulk === undefined) return rendererFor(language).render(notice, target, onFailure);
    const { startedAt, timesReceived, delayedMs } = notice;
    const order = { json: bulk.json, startedAt, timesReceived, delayedMs, target, language };
    return kept(largeCallbacks.render({ ...order, withinMs: WITHIN_MS }, onFailure));
  };
  return async (notice, target) => {
    const failures: TemplateFailure[] = [];
    const message: unknown = await render(notice, target, (failure) => failures.push(failure));
    return { message, failures };
  };
}
