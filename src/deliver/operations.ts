/** The actions that people take while Botbell runs, by the settings in force, for the page, the API and the command line. */
import type { Actor } from '../ledger/history.ts';
import type { BulkKind, RedeliveryFilter, RoutedByHand } from '../ledger/actions/actions.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { SnoozeRequest } from '../ledger/signal/snoozes.ts';
import { nearestOrAll } from '../text/nearest.ts';
import type { Language } from '../time/display.ts';
import type { Delivering } from './delivering.ts';
import { type SendOnce, sendTest } from './test-message.ts';
import { planOf, type Planning, runningConfig } from './settings.ts';

/** An action and its result, for the log. */
export interface ReportedAction {
  readonly what: string;
  readonly actor: Actor;
  /** The id of a delivery, callback, refused body, redelivery in bulk or snooze; or a destination. */
  readonly subject: number | string;
  readonly result: string;
}

export interface OperationsDependencies extends Delivering {
  /** A redelivery in bulk has begun. */
  readonly onBulkStarted: () => void;
  readonly onAction: (action: ReportedAction) => void;
  readonly sendOnce: SendOnce;
}

type Say = (what: string, actor: Actor, subject: number | string, result: string) => void;

/** Each action changes the ledger, wakes the loop if something may be due, and is logged. */
export function createOperations(dependencies: OperationsDependencies) {
  const { clock, ledger, settings, onDue, onAction, sendOnce } = dependencies;
  const { actions, archive } = ledger;
  const say: Say = (what, actor, subject, result) => onAction({ what, actor, subject, result });
  return {
    async redeliver(deliveryId: number, actor: Actor, again: boolean) {
      const result = await actions.redeliver(deliveryId, actor, again);
      say('redeliver', actor, deliveryId, result);
      if (result === 'accepted') onDue();
      return result;
    },
    async dismiss(deliveryId: number, actor: Actor) {
      const result = await actions.dismiss(deliveryId, actor);
      say('dismiss', actor, deliveryId, result);
      return result;
    },
    async routeAnew(callbackId: number, actor: Actor) {
      const story = await archive.story(callbackId);
      const plan = story && planByHand(settings.current, story);
      const routed = plan && (await actions.routeAnew(callbackId, plan, actor));
      say('route anew', actor, callbackId, routedInWords(routed));
      onDue();
      return routed;
    },
    /** Marks a refused body as seen, and the earlier ones with the same fault. */
    async seeRefused(id: number, actor: Actor) {
      await actions.seeRefused(id);
      say('see refused', actor, id, 'seen');
    },
    ...inBulk(dependencies, say),
    ...snoozing(dependencies, say),
    /** Sends a real test message. Never rejects. @returns undefined: the config in force has no such destination */
    async test(destination: string, actor: Actor, language?: Language) {
      const { current } = settings;
      const target = current.destinations.get(destination);
      const words = language ?? current.config.display.language;
      const request = { settings: current, askedBy: actor.user ?? '', language: words };
      const sent = target && (await sendTest({ target, ...request }, clock, sendOnce));
      say('test', actor, destination, sent === undefined ? 'unknown' : 'sent');
      return sent;
    },
  };
}

function inBulk({ ledger: { actions }, onBulkStarted }: OperationsDependencies, say: Say) {
  const { tally, bulks, bulk } = actions;
  return {
    tally,
    bulks,
    bulk,
    async startBulk(filter: RedeliveryFilter, actor: Actor, kind?: BulkKind) {
      const started = await actions.startBulk(filter, actor, kind);
      say('redeliver in bulk', actor, started.id, started.what);
      onBulkStarted();
      return started;
    },
    async stopBulk(id: number, actor: Actor) {
      const stopped = await actions.stopBulk(id, actor);
      say('stop in bulk', actor, id, stopped?.state ?? 'unknown');
      return stopped;
    },
  };
}

function snoozing({ ledger: { actions }, settings, onDue }: OperationsDependencies, say: Say) {
  return {
    /** What to suggest for a destination that the config in force lacks; undefined: it has it, or none is given. */
    unknownDestination(destination: string | undefined) {
      const known = [...settings.current.destinations.keys()];
      const isKnown = destination === undefined || known.includes(destination);
      return isKnown ? undefined : nearestOrAll(destination, known);
    },
    snoozes: actions.snoozes,
    async snooze(request: SnoozeRequest) {
      const id = await actions.snooze(request);
      say('snooze', request.actor, id, 'begun');
      return id;
    },
    /** Releases what the snooze holds. @returns whether there was such a snooze */
    async endSnooze(id: number, actor: Actor) {
      const hasEnded = await actions.endSnooze(id);
      say('end a snooze', actor, id, hasEnded ? 'ended' : 'unknown');
      if (hasEnded) onDue();
      return hasEnded;
    },
  };
}

/** The destinations that the settings name for a callback in the ledger. */
export function planByHand(settings: Planning, callback: Pick<CallbackStory, 'kind' | 'botId' | 'status'>) {
  const { destinations: targets, explanations: routing } = planOf(settings, callback);
  return { targets, routing, channels: runningConfig(settings).channels };
}

function routedInWords(routed: RoutedByHand | 'superseded' | undefined): string {
  if (routed === undefined) return 'unknown';
  if (routed === 'superseded') return routed;
  return `${routed.told.length} told, ${routed.untouched.length} left alone`;
}
