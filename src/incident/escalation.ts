/** Whom a route tells of a trouble that lasts, step by step. Pure. Times are milliseconds since 1970. */

/** One of a route's steps, which is known by its position. */
export interface Step {
  /** From when the route first decided to tell of the incident. */
  readonly afterMs: number;
  /** true: told unless a destination of the route has got a message; false: told unless somebody has taken the incident up. */
  readonly unlessDelivered: boolean;
  readonly destinations: readonly string[];
}

/** Who is told next, and when, unless the incident is over by then, or the step is off. */
export interface NextStep {
  readonly at: number;
  readonly who: readonly string[];
  /** As of the step. */
  readonly unlessDelivered: boolean;
}

/** How far the steps of a route have come with an incident. */
export interface Escalation {
  readonly route: string;
  readonly from: number;
  /** The positions of the steps that have been told. */
  readonly done: readonly number[];
  readonly next?: NextStep | undefined;
}

export interface EscalationFacts {
  readonly now: number;
  readonly isTakenUp: boolean;
  /** A destination of the route has got a message of the incident. */
  readonly isDelivered: boolean;
  /** Destinations that a step of any route has told of the incident. */
  readonly told: readonly string[];
  /** Until when `mute` or a snooze holds it there; undefined: nothing does. */
  readonly heldUntil: (destination: string) => number | undefined;
}

/** How often a held step is checked, since somebody may end the snooze or change the hours of `mute`. */
const HELD_ASKED_MS = 60_000;

/** When steps are checked again if none is to come. An incident that is over or given back is looked at sooner. */
const IDLE_MS = 86_400_000;

/** @returns whom to tell now, the positions of the steps that are done then, the next step, and when to decide again */
export function escalate(steps: readonly Step[], { from, done }: Escalation, facts: EscalationFacts) {
  const { now, told, heldUntil } = facts;
  const tell = new Set<string>();
  const ended = [...done];
  const coming: (NextStep & { readonly askedAt: number })[] = [];
  for (const [position, step] of steps.entries()) {
    if (done.includes(position) || isOff(step, facts)) continue;
    const at = from + step.afterMs;
    const left = step.destinations.filter((each) => !told.includes(each) && !tell.has(each));
    if (at > now) coming.push({ at, askedAt: at, who: left, unlessDelivered: step.unlessDelivered });
    const held = at > now ? [] : left.flatMap((each) => heldAt(each, step, facts));
    coming.push(...held);
    if (at <= now && held.length === 0) ended.push(position);
    if (at <= now) for (const each of left) if (heldUntil(each) === undefined) tell.add(each);
  }
  const dueAt = Math.min(now + IDLE_MS, ...coming.map(({ askedAt }) => askedAt));
  return { tell: [...tell], done: ended, next: firstOf(coming.filter(({ who }) => who.length > 0)), dueAt };
}

function heldAt(destination: string, { unlessDelivered }: Step, { now, heldUntil }: EscalationFacts) {
  const at = heldUntil(destination);
  if (at === undefined) return [];
  return [{ at, askedAt: Math.min(at, now + HELD_ASKED_MS), who: [destination], unlessDelivered }];
}

function isOff({ unlessDelivered }: Step, { isTakenUp, isDelivered }: EscalationFacts): boolean {
  return unlessDelivered ? isDelivered : isTakenUp;
}

function firstOf(coming: readonly NextStep[]): NextStep | undefined {
  if (coming.length === 0) return undefined;
  const at = Math.min(...coming.map((each) => each.at));
  const next = coming.filter((each) => each.at === at);
  return {
    at,
    who: next.flatMap(({ who }) => who),
    unlessDelivered: next.every((each) => each.unlessDelivered),
  };
}
