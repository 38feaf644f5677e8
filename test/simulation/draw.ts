/** Draws the scenario of a seed. */
import { drawActs } from './draw-acts.ts';
import { drawChanged, drawConfig, drawEdited } from './draw-config.ts';
import { withDuty } from './draw-duty.ts';
import { drawFaults, drawGone, drawReloads, drawSwarm } from './draw-faults.ts';
import { withIncidents } from './draw-incidents.ts';
import { drawSends } from './draw-sends.ts';
import { Random } from './random.ts';
import { MINUTE, OPERATORS, type Scenario, SECOND } from './scenario.ts';

export function scenarioOf(seed: number): Scenario {
  const scenario = withDuty(withIncidents(drawn(seed)));
  return { ...scenario, faults: [...scenario.faults, ...drawGone(scenario)] };
}

function drawn(seed: number): Scenario {
  const random = new Random(seed, 'scenario');
  const minute = random.int(0, 23 * 60 + 59);
  const replicas = random.of([1, 1, 2, 2, 3]);
  const lastsMs = random.int(3, 12) * MINUTE;
  const hasRules = random.chance(0.45);
  const isCrowded = !hasRules && random.chance(0.12);
  const hasReloads = random.chance(hasRules ? 0.25 : 0.35);
  const hasActs = random.chance(0.4);
  // Such scenarios begin before midnight and go on after it.
  const isLate = hasRules && random.chance(0.15);
  const epoch = Date.UTC(2026, 10, 20) + (isLate ? 24 * 60 - random.int(1, 8) : minute) * MINUTE;
  const frame = { epoch, lastsMs, hasRules, isCrowded };
  const first = drawConfig(random, frame);
  const edits = hasReloads ? random.int(1, 2) : 0;
  // Often the first config comes back, with what was taken away.
  const changed = Array.from({ length: edits }, (_, edit) =>
    edit === 1 && random.chance(0.6) ? first : (hasRules ? drawEdited : drawChanged)(first, random),
  );
  const sends = drawSends(random, frame, first);
  const used = [...new Set(first.routes.flatMap(({ notify }) => notify)), OPERATORS];
  const swarm = drawSwarm(random, hasRules, hasActs || hasReloads);
  const moments = sends.map(({ at }) => at);
  const faults = drawFaults(random, { swarm, lastsMs, replicas, used, moments, hasRules });
  const reloads = hasReloads ? drawReloads(random, lastsMs, replicas, 1 + changed.length) : [];
  return {
    seed,
    epoch,
    replicas,
    skews: Array.from({ length: replicas }, () => (random.chance(0.6) ? 0 : random.int(-90, 90) * SECOND)),
    isOrdered: random.chance(0.5),
    configs: [first, ...changed],
    sends,
    acts: hasActs ? drawActs(random, { lastsMs, used, hasSnoozes: hasRules }) : [],
    faults: [...faults, ...reloads],
    healedAt: lastsMs + 2 * MINUTE,
    tailMs: hasRules ? 12 * MINUTE : hasReloads ? MINUTE : 0,
  };
}
