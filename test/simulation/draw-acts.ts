/** Draws what people ask for during a scenario. */
import type { Random } from './random.ts';
import { type Act, BOTS, MINUTE, SECOND } from './scenario.ts';

interface Acting {
  readonly lastsMs: number;
  readonly used: readonly string[];
  readonly hasSnoozes: boolean;
}

export function drawActs(random: Random, { lastsMs, used, hasSnoozes }: Acting): readonly Act[] {
  const kinds = [
    'redeliver',
    'redeliver',
    'dismiss',
    'route',
    'route',
    'route',
    'bulk',
    'test',
    ...(hasSnoozes ? ['snooze', 'snooze', 'snooze', 'wake'] : []),
  ];
  const draw = (): Act => {
    // Most deliveries that can be given back have failed only by the end.
    const at = random.chance(0.4) ? random.int(0, lastsMs) : lastsMs + random.int(-MINUTE, MINUTE);
    const kind = random.of(kinds) as 'redeliver' | 'dismiss' | 'route' | 'bulk' | 'test' | 'snooze' | 'wake';
    const pick = random.next();
    if (kind === 'bulk') return { kind, at };
    if (kind === 'test') return { kind, at, destination: random.of(used) };
    // Snoozes begin early, so that they hold something.
    return kind === 'snooze' ? snoozeFrom(random, random.int(0, lastsMs), used) : { kind, at, pick };
  };
  const acts = Array.from({ length: random.int(1, 8) }, draw);
  return [...acts, ...wakes(acts.filter(({ kind }) => kind === 'snooze').length, lastsMs + 3 * MINUTE)];
}

/** At the end, a person ends all snoozes: the success that ends one may never come. */
export function wakes(count: number, from: number): readonly Act[] {
  return Array.from({ length: count }, (_, nth) => ({ kind: 'wake', at: from + nth * SECOND, pick: 0 }));
}

function snoozeFrom(random: Random, at: number, used: readonly string[]): Act {
  const bot = random.chance(0.7) ? random.of(BOTS) : undefined;
  const destination = bot === undefined || random.chance(0.3) ? random.of(used) : undefined;
  const isTimed = bot === undefined || random.chance(0.5);
  const lasts = random.int(20, 300) * SECOND;
  return {
    kind: 'snooze',
    at,
    ...(bot && { bot }),
    ...(destination && { destination }),
    ...(isTimed && { for: lasts }),
  };
}
