/** The space of a store that Botbell bounds by itself. */
import type { Clock } from '../../time/clock.ts';
import type { OpenStore } from '../dialect.ts';
import { earlyStep } from './prune.ts';
import { EarlyForgetting, type StoreEvent, StoreSpace } from './store-space.ts';
import type { TimedStore } from '../timed-store.ts';

export interface SpaceSettings {
  readonly clock: Clock;
  /** Undefined: no limit. */
  readonly maxBytes?: number;
  readonly onStoreEvent?: (event: StoreEvent) => void;
}

/** Bytes; undefined: nobody set a limit, or the database server's operator does. */
export function limitOf(
  { measure }: Pick<OpenStore, 'measure'>,
  { maxBytes }: Pick<SpaceSettings, 'maxBytes'>,
): number | undefined {
  return measure === undefined ? undefined : maxBytes;
}

/** Undefined: it has no limit. */
export function spaceIn(
  store: TimedStore,
  inHand: Pick<ReadonlySet<number>, 'has'>,
  settings: SpaceSettings,
): StoreSpace | undefined {
  const { measure } = store;
  const { clock, onStoreEvent = () => undefined } = settings;
  const maxBytes = limitOf(store, settings);
  if (measure === undefined || maxBytes === undefined) return undefined;
  const forgetting = new EarlyForgetting(async (step) => {
    const inBackground = { isDurable: false, deadline: store.deadline() };
    const done = await store.transact(inBackground, (trx) => earlyStep(trx, store.traits, inHand, step));
    if (done.forgotten > 0) onStoreEvent({ what: 'forgotten_early', count: done.forgotten });
    return done;
  }, clock);
  return new StoreSpace({ maxBytes, measure, forgetting, clock, onEvent: onStoreEvent });
}
