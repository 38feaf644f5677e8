/** Draws configs: which destinations are told of which BOT, and by which rules. */
import type { Random } from './random.ts';
import {
  BOTS,
  type ConfigPlan,
  DAY,
  DESTINATIONS,
  HOUR,
  MINUTE,
  type On,
  type RoutePlan,
  SECOND,
  TEAM,
} from './scenario.ts';

export interface Frame {
  /** Milliseconds since 1970. */
  readonly epoch: number;
  readonly lastsMs: number;
  readonly hasRules: boolean;
  readonly isCrowded: boolean;
}

export function drawConfig(random: Random, frame: Frame): ConfigPlan {
  const plan = drawPlan(random, frame);
  if (!frame.hasRules || !random.chance(0.2)) return plan;
  const minute = Math.floor((frame.epoch % DAY) / MINUTE) + random.int(1, frame.lastsMs / MINUTE);
  const routes = plan.routes.map((route) =>
    route.perJob === undefined && random.chance(0.5) ? { ...route, notify: [...route.notify, TEAM] } : route,
  );
  // Not after midnight, when the digest would belong to the next day.
  return { ...plan, routes, digestAt: Math.min(minute, DAY / MINUTE - 1) };
}

function drawPlan(random: Random, frame: Frame): ConfigPlan {
  const hasBurst = frame.hasRules && random.chance(0.3);
  // Plain routes: what else counts towards a burst is not known from outside.
  const isPlain = hasBurst && random.chance(0.6);
  const routes = BOTS.slice(0, random.int(1, 3)).flatMap((bot) =>
    Array.from({ length: random.of([1, 1, 2]) }, () => {
      const { mute, overdueMin, expect, ...route } = routeFor(random, bot, frame);
      const rules = { ...(mute && { mute }), ...(overdueMin && { overdueMin }), ...(expect && { expect }) };
      return isPlain ? route : { ...route, ...rules };
    }),
  );
  return {
    routes,
    takeOverAfterMs: random.of([30, 60, 120]) * SECOND,
    giveUpAfterMs: random.of([2 * MINUTE, 2 * MINUTE, 10 * MINUTE, 24 * HOUR, 24 * HOUR]),
    timeoutMs: random.of([2, 3, 5]) * SECOND,
    attemptsPerRequest: random.int(1, 3),
    permanentAttempts: random.int(1, 3),
    isAccepting: random.chance(0.2),
    maxInFlight: frame.isCrowded ? random.int(1, 4) : 256,
    ...(hasBurst && { burst: { max: random.int(1, 3), perMs: random.of([30, 60, 120]) * SECOND } }),
  };
}

const ON: readonly (readonly On[])[] = [
  ['error'],
  ['error', 'succeeded'],
  ['executing', 'error'],
  ['succeeded'],
];

function routeFor(random: Random, bot: string, frame: Frame): RoutePlan {
  const on: readonly On[] = random.chance(0.5) ? ['succeeded', 'error', 'executing'] : random.of(ON);
  const some = random.some(DESTINATIONS, 0.4);
  const perJob = random.chance(0.2) ? random.of(['thread', 'update'] as const) : undefined;
  const notify = some.length === 0 ? [random.of(DESTINATIONS)] : some;
  const route = { bots: [bot], on, notify, ...(perJob && { perJob }) };
  return frame.hasRules ? { ...route, ...rulesFor(random, on, frame) } : route;
}

function rulesFor(random: Random, on: readonly On[], { epoch, lastsMs }: Frame): Partial<RoutePlan> {
  const minute = Math.floor((epoch % DAY) / MINUTE) + random.int(0, lastsMs / MINUTE - 1);
  const span = random.int(2, 20);
  const mute = { from: minute % 1440, to: (minute + span) % 1440, exceptErrors: random.chance(0.3) };
  return {
    ...(random.chance(0.3) && { on: [...new Set<On>([...on, 'error', 'recovered'])] }),
    ...(random.chance(0.35) && { afterFailures: random.int(2, 3) }),
    ...(random.chance(on.includes('succeeded') ? 0.35 : 0.6) && {
      repeat: random.of(['changes', 'changes', 2, 5] as const),
    }),
    ...(random.chance(0.15) && { unlessCode: 7 }),
    ...(random.chance(0.35) && { mute }),
    ...(random.chance(0.3) && { overdueMin: random.int(1, 6) }),
    ...(random.chance(0.25) && { expect: { everyMin: random.int(2, 6), graceMin: 1 } }),
  };
}

/** An edit elsewhere, which changes nothing for the BOTs that run: a route of another BOT, before all or after them. */
export function drawEdited(config: ConfigPlan, random: Random): ConfigPlan {
  const other: RoutePlan = { bots: ['delta'], on: ['error'], notify: [random.of(DESTINATIONS)] };
  const routes = random.chance(0.5) ? [other, ...config.routes] : [...config.routes, other];
  return { ...config, routes };
}

/** Another config: a route less, another destination, or an additional route. */
export function drawChanged(config: ConfigPlan, random: Random): ConfigPlan {
  const routes = config.routes.flatMap((route) => {
    if (random.chance(0.15)) return [];
    if (random.chance(0.5)) return [route];
    const kept = random.some(route.notify, 0.6);
    return [{ ...route, notify: [...new Set([...kept, random.of(DESTINATIONS)])] }];
  });
  return { ...config, routes };
}
