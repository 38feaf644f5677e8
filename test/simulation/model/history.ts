/** What was observed, in an order in which the contract's sentences can be checked. Times: milliseconds since the world began. */
import { isAlert, type OwnSubject } from '../../../src/notice/notice.ts';
import { keyOfSend, nthIn } from '../keys.ts';
import type { Acted, Admitted, Attempt, Listed, ListedDelivery, Observed, Post, Run } from '../observed.ts';
import {
  BOTS,
  type ConfigPlan,
  DUTY,
  type Fault,
  namedBy,
  type Scenario,
  SECOND,
  type Send,
  type WeatherFault,
} from '../scenario.ts';

/** How long the effects of a fault last: a claim, a pause, a process that is not back yet. */
const AFTERMATH_MS = 12 * SECOND;

/** Weather in which a message may wait without an attempt, or for another one's. */
const WAITING = new Set(['limit', 'full', 'dawdle', 'mixed']);

/** Rules that hold a message for a while: it is sent by itself when they end. */
export const HOLDS: ReadonlySet<string> = new Set(['mute', 'snooze', 'burst']);

/** A summary names so many jobs of one BOT, the newest, and may tell of more. */
const MOST_JOBS_NAMED = 20;

/** By then processes have told each other which config they run. */
const SETTLED_AFTER_MS = 20 * SECOND;

/** How long a success may take to be written in a store that works. */
export const WRITTEN_WITHIN_MS = 200;

/** The time of a poll, on a machine that sleeps while nothing happens. */
export const LATE_MS = 20 * SECOND;

/** An attempt to tell a notice of Botbell's own. */
export type SentAs<Name extends OwnSubject['template']> = Attempt & { readonly about: OwnSubject<Name> };

export class History {
  readonly scenario: Scenario;
  readonly observed: Observed;
  readonly now: number;
  /** In the order in which they were admitted. */
  readonly admitted: readonly Admitted[];
  readonly hasReloads: boolean;
  readonly hasSetClocks: boolean;
  /** The store's clock decides when a run began whose start lies in the future. */
  readonly hasSetStoreClock: boolean;
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #ends = new Map<Run, number>();

  constructor(scenario: Scenario, observed: Observed, now: number) {
    this.scenario = scenario;
    this.observed = observed;
    this.now = now;
    this.hasReloads = new Set(scenario.configs.map(routesOfBots)).size > 1;
    this.hasSetClocks = scenario.faults.some(({ kind }) => kind === 'clock');
    this.hasSetStoreClock = scenario.faults.some((fault) => fault.kind === 'clock' && fault.slot < 0);
    for (const attempt of observed.attempts) {
      const place = messageOf(attempt);
      this.#attempts.set(place, [...(this.#attempts.get(place) ?? []), attempt]);
    }
    for (const { at, process } of observed.ends) this.#ends.set(process, at);
    this.admitted = observed.listed.flatMap((listed) => this.#admissionOf(listed) ?? []);
  }

  configOf({ config }: Pick<Admitted, 'config'>): ConfigPlan {
    return this.scenario.configs[config] as ConfigPlan;
  }

  admissionOf({ nth }: Pick<Send, 'nth'>): Admitted | undefined {
    return this.admitted.find(({ send }) => send.nth === nth);
  }

  postsOf({ nth }: Pick<Send, 'nth'>): readonly Post[] {
    return this.observed.posts.filter(({ send }) => send.nth === nth);
  }

  /** Whether the service was waiting for the answer to a POST of the callback at the time, or a moment before. */
  isPostedAt(callback: Pick<Send, 'nth'>, time: number): boolean {
    const posts = this.postsOf(callback);
    return posts.some(({ at, endedAt = Infinity }) => at <= time && time <= endedAt + SECOND);
  }

  resultsOf(bot: string): readonly Admitted[] {
    return this.admitted.filter(({ send }) => send.bot === bot && send.status !== 2);
  }

  /** Whether the attempt's process has surely written its outcome. */
  isWritten({ process, endedAt = 0 }: Attempt, withinMs = WRITTEN_WITHIN_MS): boolean {
    const written = endedAt + withinMs;
    return this.endOf(process) > written && !this.isStoreHit(endedAt, written);
  }

  attemptsTo(destination: string): readonly Attempt[] {
    return this.observed.attempts.filter((each) => each.destination === destination);
  }

  /** The attempts in the order in which they began. */
  attemptsOf({ send }: Pick<Admitted, 'send'>, destination: string): readonly Attempt[] {
    return this.#attempts.get(messageOf({ key: keyOfSend(send.nth, send.job), destination })) ?? [];
  }

  sentAs<Name extends OwnSubject['template']>(...names: readonly Name[]): readonly SentAs<Name>[] {
    return this.observed.attempts.flatMap((attempt) => {
      if (!isAlert(attempt.notice)) return [];
      const about = attempt.notice.alert.subject as unknown as OwnSubject<Name>;
      return names.includes(about.template) ? [{ ...attempt, about }] : [];
    });
  }

  /** Summaries that the destination accepted and that name the callback's job. */
  summariesOf(
    { send }: Pick<Admitted, 'send'>,
    destination: string,
    isNamed = (jobs: readonly string[], job: string) => jobs.includes(job),
  ): readonly Attempt[] {
    const since = this.admissionOf(send)?.at ?? 0;
    const all = this.sentAs('summary').filter((each) => each.destination === destination && each.at >= since);
    const isAbout = ({ about }: SentAs<'summary'>) =>
      about.bots.some(({ bot_id: bot, jobs }) => bot === send.bot && isNamed(jobs, send.job));
    return all.filter((each) => each.takenAt !== undefined && isAbout(each));
  }

  /** When the destination first accepted the callback's message or a summary with it. */
  toldAt(admitted: Pick<Admitted, 'send'>, destination: string): number | undefined {
    const own = this.attemptsOf(admitted, destination).find(({ takenAt }) => takenAt !== undefined);
    const mayBeNamed = (jobs: readonly string[], job: string) =>
      jobs.includes(job) || jobs.length === MOST_JOBS_NAMED;
    return own?.takenAt ?? this.summariesOf(admitted, destination, mayBeNamed)[0]?.takenAt;
  }

  /** When the process ended; Infinity: never. */
  endOf(process: Run): number {
    return this.#ends.get(process) ?? Infinity;
  }

  /** Whether any process's store fails, is slow or loses answers then, or did so shortly before. */
  isStoreHit(from: number, to: number): boolean {
    return this.scenario.faults.some(
      (fault) => fault.kind === 'store' && fault.at <= to && fault.at + fault.for + AFTERMATH_MS >= from,
    );
  }

  /** Whether the store works then, and no process ends, begins to stop, or came back only shortly before. */
  isCalm(from: number, to: number): boolean {
    const { ends, stops } = this.observed;
    const isNear = (at: number) => at <= to && at + 240 * SECOND >= from;
    if (ends.some(({ at }) => isNear(at)) || stops.some((stop) => isNear(stop.from))) return false;
    return !this.isStoreHit(from, to);
  }

  weatherAt(destination: string): readonly WeatherFault[] {
    const isThere = (fault: Fault): fault is WeatherFault =>
      fault.kind === 'weather' && fault.destination === destination;
    return this.scenario.faults.filter(isThere);
  }

  hasWeather(destination: string, from: number, to: number): boolean {
    return this.weatherAt(destination).some((fault) => fault.at <= to && fault.at + fault.for >= from);
  }

  /** Whether nothing is in trouble then, and the destination has had no weather so far. */
  isWell(destination: string, from: number, to: number): boolean {
    return this.isCalm(from, to) && !this.hasWeather(destination, 0, to);
  }

  /** Whether messages may have to wait there by then, without an attempt of their own. */
  mayWait(destination: string, by = Infinity): boolean {
    return this.weatherAt(destination).some(({ mode, at }) => WAITING.has(mode) && at <= by);
  }

  /** The number of the config that all processes ran then and, if `isForGood`, from then on; undefined if they differ, or change. */
  settledConfig(time: number, isForGood = true): number | undefined {
    const loads = this.scenario.skews.flatMap((_, slot) => {
      const ofSlot = this.observed.loaded.filter((load) => load.slot === slot);
      const before = ofSlot.findLast(({ at }) => at <= time - (isForGood ? SETTLED_AFTER_MS : 0));
      return [before ?? ofSlot[0], ...ofSlot.filter(({ at }) => isForGood && at > (before?.at ?? 0))];
    });
    const [first] = loads;
    return loads.every((load) => load?.config === first?.config) ? first?.config : undefined;
  }

  hasSlept(from: number, to: number): boolean {
    return this.observed.slept.some((time) => from - SECOND <= time && time <= to);
  }

  isBehind({ id, send }: Admitted): boolean {
    return this.admitted.some((other) => other.id < id && isOfOneJob(other, { send }));
  }

  /** The configs that any process has run since the callback was first posted. */
  configsSince({ config, send }: Admitted): readonly ConfigPlan[] {
    const firstPost = this.postsOf(send)[0]?.at ?? 0;
    const inForce = this.scenario.skews.flatMap((_, slot) => {
      const loads = this.observed.loaded.filter((load) => load.slot === slot);
      return loads
        .filter((_load, index) => (loads[index + 1]?.at ?? Infinity) >= firstPost)
        .map((load) => load.config);
    });
    return [...new Set([config, ...inForce])].map((number) => this.scenario.configs[number] as ConfigPlan);
  }

  /** `may`: the destinations that any of these configs names for the callback; `must`: those that each names. */
  namedFor(admitted: Admitted): { readonly must: readonly string[]; readonly may: ReadonlySet<string> } {
    const sets = this.configsSince(admitted).map((config) => namedBy(config, admitted.send));
    const may = new Set(sets.flat());
    return { may, must: [...may].filter((destination) => sets.every((set) => set.includes(destination))) };
  }

  /** Whether it is an `executing` whose job's result has come: it is not sent any more. */
  isEndedStart({ send }: Pick<Admitted, 'send'>): boolean {
    return send.status === 2 && this.resultsOf(send.bot).some((other) => isOfOneJob(other, { send }));
  }

  /** Whether an answer said that a rule holds the message for a while, or may have said so and was lost. */
  wasHeld({ send }: Pick<Admitted, 'send'>, destination: string): boolean {
    const posts = this.postsOf(send);
    const isHeld = posts.some((post) =>
      post.deliveries?.some((each) => each.destination === destination && HOLDS.has(each.rule ?? '')),
    );
    const isUnknown = !posts[0]?.deliveries?.length;
    return isHeld || (isUnknown && this.#mayHold);
  }

  /** An `executing` that came after its job's result. */
  isLateStart({ send, id }: Admitted): boolean {
    if (send.status !== 2) return false;
    return this.resultsOf(send.bot).some((other) => isOfOneJob(other, { send }) && other.id < id);
  }

  /** Whether a person asked for something that may concern its deliveries. */
  isActedOn({ id, listed, escalated }: Admitted): boolean {
    const ids = new Set([id, ...[...listed.deliveries, ...escalated].map((delivery) => delivery.id)]);
    const isAbout = ({ act, id: of }: Acted) => act.kind === 'bulk' || (of !== undefined && ids.has(of));
    return this.observed.acted.some(isAbout);
  }

  get #mayHold(): boolean {
    const { configs, acts } = this.scenario;
    const isSnoozing = acts.some((act) => act.kind === 'snooze' || (act.kind === 'takeUp' && act.isQuiet));
    return isSnoozing || configs.some(({ burst, routes }) => burst ?? routes.some(({ mute }) => mute));
  }

  #admissionOf(listed: Listed): Admitted | undefined {
    if (listed.elapsed_time === null || listed.kind !== 'callback') return undefined;
    const nth = nthIn(listed.elapsed_time);
    const posts = this.postsOf({ nth });
    const clockedAt = Date.parse(listed.received_at);
    const post = posts.findLast((each) => isAdmittedBy(each, clockedAt)) ?? posts[0];
    if (post === undefined) throw new Error(`nobody has posted callback ${listed.id}`);
    const { send, config } = post;
    const at = post.at + Math.max(0, clockedAt - post.clockedAt);
    const escalated = listed.deliveries.filter(isOfSteps);
    const others = { ...listed, deliveries: listed.deliveries.filter((each) => !isOfSteps(each)) };
    return { send, id: listed.id, at, config, listed: others, escalated };
  }
}

function routesOfBots({ routes }: ConfigPlan): string {
  return JSON.stringify(routes.filter(({ bots }) => bots.some((bot) => BOTS.includes(bot))));
}

/** Whether the POST was under way at this time of the store's clock. */
function isAdmittedBy({ at, clockedAt, endedAt = Infinity }: Post, time: number): boolean {
  return clockedAt <= time && time - clockedAt <= endedAt - at;
}

export function isOfSteps({ destination }: { readonly destination: string }): boolean {
  return DUTY.includes(destination);
}

export function isOfOneJob(one: Pick<Admitted, 'send'>, other: Pick<Admitted, 'send'>): boolean {
  return one.send.job === other.send.job && one.send.bot === other.send.bot;
}

export function deliveryAt({ listed }: Admitted, destination: string): ListedDelivery | undefined {
  return listed.deliveries.find((delivery) => delivery.destination === destination);
}

export function nameOf({ job, nth }: Send): string {
  return `${job}/${nth}`;
}

export function isSuccess({ endedAt, failure }: Attempt): boolean {
  return endedAt !== undefined && failure === undefined;
}

export function isOpenAt({ at, endedAt }: Post, time: number): boolean {
  return at <= time && (endedAt ?? Infinity) > time;
}

/** `12.345 s` */
export function seconds(ms: number): string {
  return `${(ms / SECOND).toFixed(3)} s`;
}

export const messageOf = ({ key, destination }: Pick<Attempt, 'key' | 'destination'>): string =>
  `${key} at ${destination}`;

export function firstsOf<Item>(all: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  const names = all.map(nameOf);
  return all.filter((_, place) => names.indexOf(names[place] ?? '') === place);
}
