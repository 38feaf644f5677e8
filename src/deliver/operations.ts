/** What people can do while Botbell runs, by the settings in force: the page, the API and the command line all come here. */
import type { Actor } from '../ledger/actions/action.ts';
import type {
  ActionRequest,
  Actions,
  BulkKind,
  RedeliveryFilter,
  RoutedByHand,
} from '../ledger/actions/actions.ts';
import type { Archive, CallbackStory } from '../ledger/archive/archive.ts';
import type { Language } from '../time/display.ts';
import type { TestOutcome } from './test-message.ts';
import { planFor, type RunningSettings, type Settings } from './settings.ts';

/** What was asked for and what came of it, for the log. */
export interface ReportedAction {
  readonly what: 'redeliver' | 'dismiss' | 'route anew' | 'redeliver in bulk' | 'stop in bulk' | 'test';
  readonly actor: Actor;
  /** A delivery, a callback, a redelivery in bulk or a destination. */
  readonly subject: number | string;
  readonly result: string;
}

type DoneByLedger = Pick<
  Actions,
  'redeliver' | 'dismiss' | 'routeAnew' | 'tally' | 'startBulk' | 'bulks' | 'bulk' | 'stopBulk'
>;

/**
 * Really sends a message marked as a test. Never rejects.
 * @param language of what is said of the outcome; default: the display's
 * @returns undefined: the config in force has no such destination
 */
export type SendTest = (
  destination: string,
  actor: Actor,
  language?: Language,
) => Promise<TestOutcome | undefined>;

export interface OperationsDependencies {
  readonly actions: DoneByLedger;
  readonly archive: Pick<Archive, 'story'>;
  readonly settings: Pick<RunningSettings, 'current'>;
  /** Something may be due. */
  readonly onDue: () => void;
  /** One has begun, or was stopped. */
  readonly onBulkChanged: () => void;
  readonly onAction: (action: ReportedAction) => void;
  /** Really sends a message marked as a test. */
  readonly test: SendTest;
}

/** Each is asked of the ledger, told to whoever attempts deliveries, and said in the log. */
export function createOperations(dependencies: OperationsDependencies) {
  const { onAction, test } = dependencies;
  return {
    ...onOne(dependencies),
    ...inBulk(dependencies),
    async test(destination: string, actor: Actor, language?: Language) {
      const sent = await test(destination, actor, language);
      const result = sent === undefined ? 'unknown' : 'sent';
      onAction({ what: 'test', actor, subject: destination, result });
      return sent;
    },
  };
}

type WithoutTest = Omit<OperationsDependencies, 'test'>;

function onOne({ actions, archive, settings, onDue, onAction }: WithoutTest) {
  return {
    async redeliver(deliveryId: number, request: ActionRequest, again: boolean) {
      const result = await actions.redeliver(deliveryId, request, again);
      onAction({ what: 'redeliver', actor: request.actor, subject: deliveryId, result });
      if (result === 'accepted') onDue();
      return result;
    },
    async dismiss(deliveryId: number, request: ActionRequest) {
      const result = await actions.dismiss(deliveryId, request);
      onAction({ what: 'dismiss', actor: request.actor, subject: deliveryId, result });
      return result;
    },
    async routeAnew(callbackId: number, request: ActionRequest) {
      const story = await archive.story(callbackId);
      const plan = story && planByHand(settings.current, story);
      const routed = plan && (await actions.routeAnew(callbackId, plan, request));
      const result = routedInWords(routed);
      onAction({ what: 'route anew', actor: request.actor, subject: callbackId, result });
      if (routed !== undefined && routed !== 'superseded') onDue();
      return routed;
    },
  };
}

function inBulk({ actions, onDue, onBulkChanged, onAction }: WithoutTest) {
  return {
    tally: (filter: RedeliveryFilter) => actions.tally(filter),
    async startBulk(filter: RedeliveryFilter, request: ActionRequest, what?: BulkKind) {
      const bulk = await actions.startBulk(filter, request, what);
      onAction({ what: 'redeliver in bulk', actor: request.actor, subject: bulk.id, result: bulk.what });
      onBulkChanged();
      return bulk;
    },
    bulks: () => actions.bulks(),
    bulk: (id: number) => actions.bulk(id),
    async stopBulk(id: number, request: ActionRequest) {
      const bulk = await actions.stopBulk(id, request);
      const result = bulk?.state ?? 'unknown';
      onAction({ what: 'stop in bulk', actor: request.actor, subject: id, result });
      onDue();
      onBulkChanged();
      return bulk;
    },
  };
}

/** As routing sees a callback that the ledger has. */
type Routable = Pick<CallbackStory, 'kind' | 'botId' | 'status'>;

/** Whom the settings name for it. */
export function planByHand(
  settings: Pick<Settings, 'route' | 'alerts'> & { readonly config: Pick<Settings['config'], 'channels'> },
  callback: Routable,
) {
  const { kind, botId: bot_id, status } = callback;
  const { targets, routing } = planFor(settings, kind === 'alert' ? undefined : { bot_id, status });
  return { targets, routing, channels: settings.config.channels };
}

function routedInWords(routed: RoutedByHand | 'superseded' | undefined): string {
  if (routed === undefined) return 'unknown';
  if (routed === 'superseded') return routed;
  return `${routed.told.length} told, ${routed.untouched.length} left alone`;
}
