/** What people do while Botbell runs, by the settings in force, for the page, the API and the command line. */
import type { RedeliveryFilter, RoutedByHand } from '../ledger/deliveries/by-hand.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import type { Incident } from '../incident/incident.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import type { Actions, Archive } from '../ledger/registry.ts';
import type { ChannelType } from '../channels/channel.ts';
import type { Language } from '../time/display.ts';
import { planOf } from '../deliver/plan.ts';
import { type Planning, runningConfig } from '../deliver/settings.ts';
import { type PlannedTarget, routesOf } from '../route/router.ts';
import { destinationOf } from './destinations.ts';
import { readTakeUp, type TakeUpFields, toldOfTroublesAlone } from './incidents.ts';
import { bulkJson, snoozeJson, testJson } from './json.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { type Outcome, type OutcomeName, Refused, statusOf } from './outcomes.ts';
import { askerOf, readSnooze, type SnoozeFields } from './snooze.ts';
import type { TestOutcome } from './test-message.ts';

/** An action and its result, for the log. */
export interface ReportedAction {
  readonly what: string;
  readonly actor: Actor;
  /** The id of a delivery, callback, redelivery in bulk or snooze; or a destination. */
  readonly subject: number | string;
  readonly result: OutcomeName;
}

export interface ActionParts {
  readonly ledger: { readonly actions: Actions; readonly archive: Archive };
  readonly planning: () => Planning;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sendTest: (target: PlannedTarget, askedBy: string, language: Language) => Promise<TestOutcome>;
  /** Called when deliveries may be due. */
  readonly onDue: () => void;
  /** Called when a redelivery in bulk has begun. */
  readonly onBulkStarted: () => void;
  readonly onAction: (action: ReportedAction) => void;
}

export type People = ReturnType<typeof createPeople>;

function result(id: number, name: OutcomeName): Outcome {
  return { name, json: { id, result: name } };
}

/** Each action changes the ledger, wakes the loop if something may be due, and is logged. @throws {Refused} it cannot be done */
export function createPeople(parts: ActionParts) {
  const { actions, archive } = parts.ledger;
  const done = doneBy(parts);
  return {
    /** @param again whether to send even what was delivered before */
    redeliver: async (id: number, actor: Actor, again: boolean) =>
      done('redeliver', actor, id, result(id, await actions.redeliver(id, actor, again))),
    dismiss: async (id: number, actor: Actor) =>
      done('dismiss', actor, id, result(id, await actions.dismiss(id, actor))),
    async routeAnew(id: number, actor: Actor) {
      const story = await archive.story(id);
      const routed = story && (await actions.routeAnew(id, planByHand(parts.planning(), story), actor));
      return done('route anew', actor, id, routedOutcome(id, routed ?? 'unknown'));
    },
    /** Logs an action that the store does not confirm: it may have been done all the same. @throws {Error} as `acting` rejects */
    confirmed: (what: string, actor: Actor, subject: number | string, acting: Promise<Outcome>) =>
      acting.catch((error: unknown) => {
        if (error instanceof LedgerUnavailable)
          parts.onAction({ what, actor, subject, result: 'store unwritten' });
        throw error;
      }),
    ...inBulk(parts),
    ...snoozing(parts),
    ...onIncidents(parts),
    /** @param language of the words about the remote's answer */
    async test(text: string, actor: Actor, language?: Language) {
      const planning = parts.planning();
      const destination = destinationOf(text, planning, parts.channelTypes);
      const target = planning.destinations.get(destination) as PlannedTarget;
      const inLanguage = language ?? planning.config.display.language;
      const sent = await parts.sendTest(target, actor.user ?? '', inLanguage);
      const name = sent.isDelivered ? 'tested, delivered' : 'tested, failed';
      const values = { destination, words: sent.words };
      return done('test', actor, destination, { name, values, json: testJson(sent) });
    },
  };
}

/** Logs an outcome and returns it. @throws {Refused} if it is a refusal */
function doneBy({ onAction, onDue }: Pick<ActionParts, 'onAction' | 'onDue'>) {
  return (what: string, actor: Actor, subject: number | string, outcome: Outcome): Outcome => {
    onAction({ what, actor, subject, result: outcome.name });
    if (statusOf(outcome) >= 400) throw new Refused({ name: outcome.name });
    onDue();
    return outcome;
  };
}

/** The destinations that the config names for a callback in the ledger. */
function planByHand(planning: Planning, callback: Pick<CallbackStory, 'kind' | 'botId' | 'status'>) {
  const { destinations: targets, explanations: routing } = planOf(planning, callback);
  return { targets, routing, channels: runningConfig(planning).channels };
}

function routedOutcome(id: number, json: RoutedByHand | 'superseded' | 'unknown'): Outcome {
  if (typeof json === 'string') return { name: json };
  const name = json.told.length === 0 ? 'routed to nobody' : 'routed';
  return { name, values: { destinations: json.told.join(', ') }, json: { id, ...json } };
}

function inBulk(parts: ActionParts) {
  const { actions } = parts.ledger;
  const done = doneBy(parts);
  return {
    async startBulk(filter: RedeliveryFilter, actor: Actor, what: 'redelivered' | 'dismissed') {
      const bulk = await actions.startBulk(filter, actor, what);
      parts.onBulkStarted();
      return done('redeliver in bulk', actor, bulk.id, { name: `bulk ${what}`, json: bulkJson(bulk) });
    },
    async stopBulk(id: number, actor: Actor) {
      const bulk = await actions.stopBulk(id, actor);
      const outcome = bulk ? { name: 'stopped' as const, json: bulkJson(bulk) } : result(id, 'unknown');
      return done('stop in bulk', actor, id, outcome);
    },
  };
}

function snoozing(parts: ActionParts) {
  const { planning, now, ledger, channelTypes } = parts;
  const { actions, archive } = ledger;
  const done = doneBy(parts);
  return {
    snooze: async (fields: SnoozeFields, sender: Actor) => {
      const actor = askerOf(fields, sender);
      const { timezone } = planning().config.display;
      const asked = readSnooze(fields, { now: now(), timezone });
      const destination = asked.destination && destinationOf(asked.destination, planning(), channelTypes);
      const { botId: bot } = asked;
      const isKnown = bot === undefined || (await isKnownBot(bot, planning(), archive));
      const id = await actions.snooze({ ...asked, destination, actor });
      const [kept] = (await archive.snoozes({}, { ids: [id] })).items;
      const json = kept ? snoozeJson(kept) : { id };
      const name = isKnown ? 'snoozed' : 'snoozed, unknown';
      return done('snooze', actor, id, { name, values: { bot: bot ?? '' }, json });
    },
    /** Releases what the snooze holds. */
    async endSnooze(id: number, actor: Actor) {
      const name = (await actions.endSnooze(id)) ? 'ended' : 'unknown';
      return done('end a snooze', actor, id, result(id, name));
    },
  };
}

function onIncidents(parts: ActionParts) {
  const { actions, archive } = parts.ledger;
  const done = doneBy(parts);
  const noNews = () => toldOfTroublesAlone(parts.planning(), parts.channelTypes);
  return {
    /** Records who is on the incidents; `quiet` snoozes their BOTs until the next success. Snoozes of who was on them before go over to them. */
    async takeUp(ids: readonly number[], fields: TakeUpFields, actor: Actor) {
      const { quiet: isAsked, ...by } = readTakeUp(ids, fields, actor);
      const quieting = { isAsked, because: by.because || by.by, actor: { ...actor, user: by.by } };
      const taken = await actions.takeUp(ids, by, noNews(), quieting);
      const name = taken.length === 0 ? await notOpen(ids, archive) : 'taken up';
      const json = { ids: idsOf(taken), by: by.by };
      return done('take up', actor, ids.join(' '), { name, values: { by: by.by }, json });
    },
    /** Nobody is on the incidents any more: their steps begin anew, and the snoozes that came with a quiet take-up end. */
    async giveBack(ids: readonly number[], actor: Actor) {
      const given = await actions.releaseIncidents(ids);
      const name = given.length === 0 ? await notOpen(ids, archive) : 'given back';
      return done('give back', actor, ids.join(' '), { name, json: { ids: idsOf(given) } });
    },
    async closeIncidents(ids: readonly number[], actor: Actor) {
      const isAnyClosed = await actions.closeIncidents(ids, noNews());
      const name = isAnyClosed ? 'closed' : await notOpen(ids, archive);
      return done('close', actor, ids.join(' '), { name, json: { id: ids[0], result: name } });
    },
  };
}

function idsOf(incidents: readonly Incident[]): readonly number[] {
  return incidents.map(({ id }) => id);
}

async function notOpen([id = 0]: readonly number[], archive: Archive): Promise<'not open' | 'unknown'> {
  return (await archive.incident(id)) === undefined ? 'unknown' : 'not open';
}

/** Whether a callback or a route has named the BOT. */
async function isKnownBot(botId: string, { config }: Planning, archive: Archive): Promise<boolean> {
  const isRouted = routesOf(config).some(({ botIds }) => botIds.includes(botId));
  return isRouted || (await archive.bot(botId)) !== undefined;
}
