/**
 * What becomes of messages whose hold has ended, by the rules in force: told in one summary, or as itself if it is one alone, unless a
 * rule or a snooze still holds them.
 */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import { NOT_ASKED_FOR, SUPERSEDED } from '../ledger/ledger.ts';
import { tellingSteps } from '../ledger/incidents/escalations.ts';
import type { Ended, EndedHold, HoldRules } from '../ledger/deliveries/holds.ts';
import { type Plan, type PlannedTarget, routesOf } from '../route/router.ts';
import { decide } from '../signal/decide.ts';
import { NOTHING_TOLD } from '../signal/streak.ts';
import { plannedDelivery, plannedFor, planOf } from './plan.ts';
import type { Settings } from './settings.ts';

export function holdRules(settings: Settings): HoldRules {
  const routes = routesOf(settings.config).map(({ name }) => name);
  return { decide: (held, askedAgainAt, known) => decideOn(held, askedAgainAt, known, settings), routes };
}

function decideOn(
  held: EndedHold,
  askedAgainAt: number,
  { now, snoozes }: Parameters<HoldRules['decide']>[2],
  settings: Settings,
): Ended {
  const { destination, botId, kind, telling } = held;
  if (held.isOver) return SUPERSEDED;
  const plan = planOf(settings, held);
  const target = plannedFor(held, plan);
  if (isLetGo(held, plan, settings)) return NOT_ASKED_FOR;
  if (target === undefined) return unplanned(held, plan, settings);
  const { asked = [] } = plannedDelivery(settings.config, target);
  if (asked.length === 0) return { route: undefined, isPlanned: true, escalating: [] };
  const wanting = asked.filter(({ name }) => telling?.wantedBy?.includes(name));
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(held) : undefined;
  const subject = {
    id: 0,
    botId,
    status,
    startedAt: now,
    row: undefined,
    likeness: '',
    unmet: [],
    isWanted: true,
  };
  const here = { destination, snoozes, told: NOTHING_TOLD, lateFor: new Map(), burst: undefined };
  const { timezone } = settings.config.display;
  const routes = wanting.length === 0 ? asked : wanting;
  const decided = decide(subject, routes, { ...here, window: undefined }, { now, timezone });
  const { ruling } = decided;
  if (ruling.does !== 'hold') {
    const tells = decided.routes.flatMap(({ does, route }) => (does === 'tell' ? [route] : []));
    const escalating = tellingSteps([{ ...held, asked }], [{ ...held, reason: undefined, tells }]);
    return { route: ruling.route, isPlanned: true, escalating };
  }
  const { rule: reason, until: heldUntil = askedAgainAt, snoozeId } = ruling;
  return { reason, heldUntil, snoozeId };
}

/** A callback is routed anew. What Botbell tells by itself is told where it was held, unless only other destinations are left. */
function unplanned({ kind, destination }: EndedHold, plan: Plan, { destinations }: Settings): Ended {
  const isElsewhere = plan.destinations.length > 0 && !destinations.has(destination);
  if (kind === 'callback' || isElsewhere) return 'pending';
  return { route: undefined, isPlanned: false, escalating: [] };
}

/** Whether routes of its BOT name the destination still, but none for its status: nobody is to be woken for what he has switched off. */
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
