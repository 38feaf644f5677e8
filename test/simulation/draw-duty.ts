/** Draws, from random numbers of their own, worlds with one lasting incident, whose steps are held, or which is taken up and given back. */
import { Random } from './random.ts';
import {
  type Act,
  BOTS,
  DAY,
  DESTINATIONS,
  DUTY,
  MINUTE,
  type RoutePlan,
  type Scenario,
} from './scenario.ts';
import { SECOND, type Send, type StepPlan } from './scenario.ts';

const [BOT = ''] = BOTS;

/** Long enough for the steps, what holds them, and the ends of the holds. */
const LASTS_MS = 15 * MINUTE;

export function withDuty(scenario: Scenario): Scenario {
  const random = new Random(scenario.seed, 'duty');
  const [first] = scenario.configs;
  if (first === undefined || !random.chance(0.1)) return scenario;
  const { burst: _, routes, ...config } = first;
  const failsAt = random.int(5, 90) * SECOND;
  const does = random.of(['mute', 'snooze', 'release'] as const);
  const minute = Math.floor(((scenario.epoch + failsAt) % DAY) / MINUTE) + 1;
  const mute = {
    from: minute % 1440,
    to: (minute + random.int(2, 5)) % 1440,
    exceptErrors: random.chance(0.2),
  };
  const steps = stepsOf(random);
  const notify = [random.of(DESTINATIONS)];
  const route: RoutePlan = { bots: [BOT], on: ['error', 'succeeded'], notify, steps };
  const muted = does === 'mute' ? { ...route, mute } : route;
  const isOther = ({ kind }: Scenario['faults'][number]) => kind !== 'reload' && kind !== 'clock';
  return {
    ...scenario,
    configs: [{ ...config, routes: [muted, ...routes.filter(({ bots }) => !bots.includes(BOT))] }],
    sends: [...scenario.sends.filter(({ bot }) => bot !== BOT), ...sendsFrom(random, failsAt)],
    acts: does === 'mute' ? [] : actsFrom(random, failsAt, does),
    faults: scenario.faults.filter(isOther),
    tailMs: Math.max(scenario.tailMs, LASTS_MS - scenario.healedAt),
  };
}

function stepsOf(random: Random): readonly StepPlan[] {
  const afterMin = random.int(2, 4);
  const isUnlessDelivered = random.chance(0.2);
  const [one = '', other = ''] = random.chance(0.5) ? DUTY : DUTY.toReversed();
  const next = {
    afterMin: afterMin + 1,
    isUnlessDelivered: false,
    notify: [random.chance(0.7) ? other : one],
  };
  return [{ afterMin, isUnlessDelivered, notify: [one] }, ...(random.chance(0.7) ? [next] : [])];
}

/** From here on, no other send has these numbers. */
const FIRST_NTH = 900;

function sendsFrom(random: Random, failsAt: number): readonly Send[] {
  const again = random.chance(0.3) ? [failsAt + random.int(20, 200) * SECOND] : [];
  const well = random.chance(0.5) ? [failsAt + random.of([5, 8, 11]) * MINUTE] : [];
  return [failsAt, ...again, ...well].map((at): Send => {
    const status = well.includes(at) ? 0 : 1;
    const about = {
      job: `duty-${at}`,
      bot: BOT,
      startedAt: at - SECOND,
      message: 'no login',
      code: 1,
      tries: 10,
    };
    return { ...about, at, status, nth: FIRST_NTH + Math.floor(at / (10 * SECOND)) };
  });
}

function actsFrom(random: Random, failsAt: number, does: 'snooze' | 'release'): readonly Act[] {
  const at = failsAt + random.int(5, 60) * SECOND;
  const pick = 0;
  if (does === 'snooze') {
    const whose = random.chance(0.6) ? { bot: BOT } : { destination: random.of(DUTY) };
    const snooze = { kind: 'snooze', at, for: random.int(90, 500) * SECOND, ...whose } as const;
    const wakeAt = at + random.int(60, 400) * SECOND;
    return [snooze, ...(random.chance(0.4) ? [{ kind: 'wake', at: wakeAt, pick } as const] : [])];
  }
  const takeUp = {
    kind: 'takeUp',
    at,
    pick,
    by: 'whoever is on duty',
    isAll: false,
    isQuiet: false,
  } as const;
  return [takeUp, { kind: 'release', at: at + random.int(10, 100) * SECOND, pick }];
}
