/**
 * Decides by the rules in force what becomes of messages whose hold has ended: one summary tells them all, or a single one is told as
 * itself, unless a rule or a snooze still holds them.
 */
import { NOT_ASKED_FOR, SUPERSEDED } from '../ledger/ledger.ts';
import { tellingSteps } from '../ledger/incidents/escalations.ts';
import type { AskedRoute } from '../signal/decide.ts';
import { asArriving, applyRules, NOTHING_KNOWN } from '../ledger/timers/admission.ts';
import type { HoldOutcome, EndedHold, HoldRules, KnownNow } from '../ledger/deliveries/holds.ts';
import { type Plan, type PlannedTarget, routesOf } from '../route/router.ts';
import { plannedDelivery, plannedFor, planOf } from './plan.ts';
import type { Settings } from './settings.ts';

export function holdRules(settings: Settings): HoldRules {
  const routes = routesOf(settings.config).map(({ name }) => name);
  return { decide: (held, askedAgainAt, known) => decideOn(held, askedAgainAt, known, settings), routes };
}

function decideOn(held: EndedHold, askedAgainAt: number, known: KnownNow, settings: Settings): HoldOutcome {
  if (held.isOutdated) return SUPERSEDED;
  const plan = planOf(settings, held);
  const target = plannedFor(held, plan);
  if (isLetGo(held, plan, settings)) return NOT_ASKED_FOR;
  if (target === undefined) return unplanned(held, plan, settings);
  const { asked = [] } = plannedDelivery(settings.config, target);
  const decision = asked.length > 0 ? decisionOn(held, asked, known, settings) : undefined;
  if (decision === undefined) return { route: undefined, isPlanned: true, escalating: [] };
  const { ruling, routes } = decision;
  if (ruling.does !== 'hold') {
    const tells = routes.flatMap(({ does, route }) => (does === 'tell' ? [route] : []));
    const escalating = tellingSteps([{ ...held, asked }], [{ ...held, reason: undefined, tells }]);
    return { route: ruling.route, isPlanned: true, escalating };
  }
  const { rule: reason, until: heldUntil = askedAgainAt, snoozeId } = ruling;
  return { reason, heldUntil, snoozeId };
}

function decisionOn(
  { destination, botId, kind, status, telling }: EndedHold,
  asked: readonly AskedRoute[],
  { now, snoozes }: KnownNow,
  { config }: Settings,
) {
  const wanting = asked.filter(({ name }) => telling?.wantedBy?.includes(name));
  const planned = [{ destination, asked: wanting.length === 0 ? asked : wanting }];
  const about = { botId, status: kind === 'callback' ? status : undefined, planned };
  const arriving = asArriving({ ...about, timezone: config.display.timezone }, now);
  return applyRules(arriving, { ...NOTHING_KNOWN, snoozes }, now).foreseen[0]?.decision;
}

/** A callback is routed anew. A notice of Botbell's own is told where it was held, unless the config now has only other destinations for it. */
function unplanned({ kind, destination }: EndedHold, plan: Plan, { destinations }: Settings): HoldOutcome {
  const isElsewhere = plan.destinations.length > 0 && !destinations.has(destination);
  if (kind === 'callback' || isElsewhere) return 'pending';
  return { route: undefined, isPlanned: false, escalating: [] };
}

/** Whether the BOT's routes still name the destination, but no longer for this status: nobody is told what they have switched off. */
function isLetGo(
  { kind, botId, destination, telling }: EndedHold,
  plan: Plan,
  { router }: Settings,
): boolean {
  const isIt = (target: PlannedTarget) => target.destination === destination;
  const isOccasion = telling?.occasion !== undefined && [...plan.perhaps, ...plan.later].some(isIt);
  if (kind !== 'callback' || isOccasion || plan.destinations.some(isIt)) return false;
  return [...router.watchersOf(botId, () => true), ...plan.later].some(isIt);
}
