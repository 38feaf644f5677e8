/** Draws routes' steps, and what people do about incidents, from random numbers of their own, so that worlds without them stay the same. */
import { wakes } from './draw-acts.ts';
import { Random } from './random.ts';
import {
  type Act,
  BOTS,
  DUTY,
  type Fault,
  MINUTE,
  type RoutePlan,
  type Scenario,
  SECOND,
  type StepPlan,
} from './scenario.ts';

/** By then, after all is well, most last steps are due. */
const TAIL_MS = 2 * MINUTE;

export function withIncidents(scenario: Scenario): Scenario {
  const random = new Random(scenario.seed, 'incidents');
  const hasSteps = random.chance(0.3);
  const hasPeople = random.chance(hasSteps ? 0.6 : 0.15);
  const { configs, acts, faults, tailMs } = scenario;
  const stepped = new Map<RoutePlan, RoutePlan>();
  if (hasSteps) for (const route of configs[0]?.routes ?? []) stepped.set(route, withSteps(random, route));
  const used = configs.map(({ routes, ...config }) => ({
    ...config,
    routes: routes.map((route) => stepped.get(route) ?? route),
  }));
  const people = hasPeople ? quietly(peopleOf(random, scenario), scenario) : [];
  const isQuiet = people.some(({ kind }) => kind === 'wake');
  const trouble = hasSteps && random.chance(0.3) ? [weather(random, scenario)] : [];
  return {
    ...scenario,
    configs: used,
    acts: [...acts, ...people],
    faults: [...faults, ...trouble],
    tailMs: Math.max(tailMs, hasSteps ? TAIL_MS : 0, isQuiet ? WOKEN_AFTER_MS + MINUTE : 0),
  };
}

/** When, after all is well, a person ends all snoozes. */
const WOKEN_AFTER_MS = 4 * MINUTE;

/** Makes some take-ups quiet, also from random numbers of their own. */
function quietly(acts: readonly Act[], { healedAt, seed }: Scenario): readonly Act[] {
  const random = new Random(seed, 'quiet');
  const drawn = acts.map((act) => (act.kind === 'takeUp' ? { ...act, isQuiet: random.chance(0.4) } : act));
  const snoozed = drawn.flatMap((act) => (act.kind === 'takeUp' && act.isQuiet ? BOTS : []));
  return [...drawn, ...wakes(snoozed.length, healedAt + WOKEN_AFTER_MS)];
}

function withSteps(random: Random, route: RoutePlan): RoutePlan {
  if (!route.on.includes('error') || random.chance(0.2)) return route;
  const steps = Array.from({ length: random.int(1, 2) }, (): StepPlan => ({
    afterMin: random.int(1, 4),
    isUnlessDelivered: random.chance(0.35),
    notify: random.chance(0.3) ? DUTY : [random.of(DUTY)],
  }));
  return { ...route, steps };
}

function weather(random: Random, { healedAt }: Scenario): Fault {
  const mode = random.of(['error', 'permanent', 'config', 'hang', 'unsure', 'mixed'] as const);
  const lasts = random.of([30, 120, 400]) * SECOND;
  return { kind: 'weather', at: random.int(0, healedAt), for: lasts, destination: random.of(DUTY), mode };
}

function peopleOf(random: Random, { healedAt, seed, sends }: Scenario): readonly Act[] {
  const errors = sends.filter(({ status }) => status === 1);
  return Array.from({ length: random.int(1, 5) }, (_, nth): Act => {
    // Mostly soon after an error, before a step of it is due.
    const isSoon = errors.length > 0 && random.chance(0.6);
    const soon = isSoon ? random.of(errors).at + random.int(2, 50) * SECOND : 0;
    const about = { at: isSoon ? soon : random.int(MINUTE, healedAt + 2 * MINUTE), pick: random.next() };
    const kind = random.of(['takeUp', 'takeUp', 'takeUp', 'release', 'close'] as const);
    if (kind !== 'takeUp') return { kind, ...about };
    return { kind, ...about, by: `person ${nth} of ${seed}`, isAll: random.chance(0.5), isQuiet: false };
  });
}
