/** Draws what goes wrong. Each seed leaves most kinds out and has much of one or two, to find faults that need two rare events at once. */
import { Random } from './random.ts';
import {
  DAY,
  type Fault,
  HOUR,
  MINUTE,
  type Scenario,
  SECOND,
  type StoreFault,
  TEAM,
  type Weather,
  WEATHERS,
} from './scenario.ts';

const KINDS = ['weather', 'outage', 'kill', 'killAt', 'stop', 'slow', 'fails', 'lost', 'clock'] as const;
type Kind = (typeof KINDS)[number];

/** How much there is of each kind: 0 none, 1 some, 3 much. */
export type Swarm = Readonly<Record<Kind, number>>;

/** @param needsUndelivered whether people act or configs change, which has no effect if everything is delivered */
export function drawSwarm(random: Random, hasRules: boolean, needsUndelivered: boolean): Swarm {
  const up = new Set<string>(
    random.chance(0.08)
      ? []
      : [random.of(KINDS), random.of(KINDS), random.of([...KINDS, 'weather', 'weather'])],
  );
  const amountOf = (kind: Kind) =>
    up.has(kind) ? 3 : Number(random.chance(kind === 'weather' ? 0.4 : 0.12));
  const drawn = Object.fromEntries(KINDS.map((kind) => [kind, amountOf(kind)])) as unknown as Swarm;
  const swarm = needsUndelivered && random.chance(0.6) ? { ...drawn, weather: 3 } : drawn;
  // Rules decide by time; the contract does not say what they do while a call of the store takes seconds.
  return hasRules ? { ...swarm, slow: 0 } : swarm;
}

interface Struck {
  readonly swarm: Swarm;
  readonly lastsMs: number;
  readonly replicas: number;
  readonly used: readonly string[];
  readonly moments: readonly number[];
  readonly hasRules: boolean;
}

const OUTAGES: readonly Weather[] = ['error', 'hang', 'reset-before', 'unsure'];
const SET_BY = [-DAY, -HOUR, -5 * MINUTE, -40 * SECOND, 40 * SECOND, 10 * MINUTE, HOUR, DAY];

export function drawFaults(random: Random, struck: Struck): readonly Fault[] {
  const { swarm, lastsMs, replicas, used, moments, hasRules } = struck;
  // A seed has one or two kinds of weather, or a mix of all.
  const weathers = random.chance(0.4) ? (['mixed'] as const) : [random.of(WEATHERS), random.of(WEATHERS)];
  const at = () => random.int(0, lastsMs);
  // Mostly at a time when something is under way.
  const amid = () =>
    moments.length > 0 && random.chance(0.6)
      ? Math.min(lastsMs, random.of(moments) + random.int(0, random.of([8, 400])))
      : at();
  const slot = () => random.int(0, replicas - 1);
  const downFor = () => random.of([1, 5, 20, 60, 180]) * SECOND;
  const some = (amount: number, make: () => Fault | readonly Fault[]) =>
    Array.from({ length: amount === 0 ? 0 : random.int(1, 2 * amount) }, make).flat();
  const store = (mode: StoreFault['mode']) => (): Fault => ({
    kind: 'store',
    at: random.chance(0.5) ? amid() : at(),
    for: random.of([1, 4, 15, 60, 90]) * SECOND,
    slot: random.chance(0.5) ? -1 : slot(),
    mode,
    ...(random.chance(0.5) && { only: random.int(0, 3) }),
  });
  const weather = (): Fault => {
    const destination = random.of(used);
    const lasts = random.of([5, 30, 120, 400, 900]) * SECOND;
    return { kind: 'weather', at: at(), for: lasts, destination, mode: random.of(weathers) };
  };
  /** Long enough for a destination to count as down, and for several messages to wait for it. */
  const outage = (): Fault => ({
    kind: 'weather',
    at: random.int(0, lastsMs / 2),
    for: random.int(200, 500) * SECOND,
    destination: random.of(used),
    mode: random.of(OUTAGES),
  });
  const clock = (): readonly Fault[] => {
    const [begins, by] = [at(), random.of(SET_BY)];
    // Rules go by the store's clock; the contract does not say what they decide while that is set.
    const which = random.of([hasRules ? slot() : -1, slot()]);
    const set: Fault = { kind: 'clock', at: begins, slot: which, by };
    const back: Fault = { kind: 'clock', at: begins + random.int(1, 120) * SECOND, slot: which, by: -by };
    return [set, back];
  };
  const ends = (kind: 'kill' | 'stop') => (): Fault => ({
    kind,
    at: amid(),
    slot: slot(),
    downFor: downFor(),
  });
  const killAt = (): Fault => ({
    kind: 'killAt',
    at: amid(),
    slot: slot(),
    n: random.int(1, 40),
    what: random.of(['store', 'any']),
    downFor: downFor(),
  });
  return [
    ...some(2 * swarm.weather, weather),
    ...(swarm.outage > 0 ? [outage()] : []),
    ...some(swarm.kill, ends('kill')),
    ...some(2 * swarm.killAt, killAt),
    ...some(swarm.stop, ends('stop')),
    ...some(swarm.slow, store('slow')),
    ...some(swarm.fails, store('fails')),
    ...some(swarm.lost, store('lost')),
    ...some(swarm.clock > 1 ? 1 : swarm.clock, clock),
  ];
}

/** An address that is gone for good, if configs give up within minutes; from random numbers of its own. */
export function drawGone({ seed, configs, healedAt }: Scenario): readonly Fault[] {
  const random = new Random(seed, 'gone');
  const places = new Set(configs.flatMap(({ routes }) => routes.flatMap(({ notify }) => notify)));
  places.delete(TEAM);
  const isSoon = configs.every(({ giveUpAfterMs }) => giveUpAfterMs < HOUR);
  if (!isSoon || places.size === 0 || !random.chance(0.15)) return [];
  const about = { destination: random.of([...places]), mode: random.of([...OUTAGES, 'config'] as const) };
  return [{ kind: 'weather', at: random.int(0, healedAt), for: DAY, ...about, isForGood: true }];
}

/** Replicas reload, or are replaced by hand, one after the other. */
export function drawReloads(
  random: Random,
  lastsMs: number,
  replicas: number,
  configs: number,
): readonly Fault[] {
  const withinMs = random.of([40 * SECOND, 4 * MINUTE]);
  return Array.from({ length: replicas }, (_, slot) =>
    Array.from({ length: configs - 1 }, (_, index): Fault => {
      const at = Math.round((lastsMs * (index + 1)) / configs) + random.int(0, withinMs / SECOND) * SECOND;
      return { kind: 'reload', at, slot, config: index + 1 };
    }),
  ).flat();
}
