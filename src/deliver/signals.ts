/** What Botbell tells by itself at a time, even if no callback comes: a table of what to do with each kind of claimed timer. */
import type { DigestConfig, RouteConfig } from '../config/config.ts';
import type { Destination } from '../config/destination.ts';
import type { Escalation } from '../incident/escalation.ts';
import type { AskedSteps } from '../ledger/incidents/escalations.ts';
import type { Tick } from '../ledger/deliveries/claim.ts';
import type { DigestPosition } from '../ledger/days/roll-up.ts';
import type { Adoption, Fired, FiredNotice, Standing } from '../ledger/timers/fire.ts';
import type { ExpectedBot } from '../ledger/timers/admission.ts';
import { type OpenRunTimer, overdueTimers, type Timer, timerKey } from '../ledger/timers/timers.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import { type DigestedBot, mostTroubled, type OwnSubject } from '../notice/notice.ts';
import { routesOf } from '../route/router.ts';
import { digestAtStart, nextDigest } from '../signal/calendar.ts';
import { type Expected, missedFrom, underRule } from '../signal/expect.ts';
import { holdRules } from './ended-holds.ts';
import type { DeliveringByLoop } from './loop.ts';
import { plannedDelivery } from './plan.ts';
import { budgetTimers, doubtsAt, type Firing, reportTimers, tellBudget, tellReport } from './reports.ts';
import type { Settings } from './settings.ts';
import { expectationOf, expectTimers, isStillExpected, overdueOf } from './watch.ts';

/** Most claimed timers that this process fires at the same moment, so that POSTs find the store free. */
const MOST_AT_ONCE = 8;

const MOST_BOTS_KNOWN = 10_000;

export class Signals {
  readonly #dependencies: DeliveringByLoop;
  /** The settings whose timers the ledger has. */
  #adopted: Settings | undefined;
  /** Whether this process has adopted any settings yet. */
  #hasStarted = false;
  /** Keys. */
  readonly #firing = new Set<string>();
  /** The store's time at the last tick. */
  #seenAt = -Infinity;

  constructor(dependencies: DeliveringByLoop) {
    this.#dependencies = dependencies;
  }

  /** How many timers may be claimed; none before the ledger has those of these settings. */
  roomFor(settings: Settings): number {
    return this.#adopted === settings ? MOST_AT_ONCE - this.#firing.size : 0;
  }

  /** Fires the timers claimed at `now` by the store's clock. Adopts settings that are new, or in force again after those of other processes. */
  async fire({ timers, isLatest }: Tick, now: number, settings: Settings): Promise<void> {
    for (const timer of timers) this.#dependencies.loop.underWay.until(this.#fire(timer, settings, now));
    // The store's clock was set back: what was made while it was ahead is asked for anew.
    if (now < this.#seenAt - BACK_MS) this.#adopted = undefined;
    this.#seenAt = now;
    if (!isLatest) this.#adopted = undefined;
    else if (this.#adopted !== settings) await this.#adopt(settings).catch(this.#dependencies.onUnforeseen);
  }

  /** At the next tick: while this process was not heard, one with another config may have put its own timers in their place. */
  adoptAnew(): void {
    this.#adopted = undefined;
  }

  isFiring(key: string): boolean {
    return this.#firing.has(key);
  }

  /** A timer that fails is in hand no more, so its claim is freed, and it is fired again. Never rejects. */
  async #fire(timer: Timer, settings: Settings, now: number): Promise<void> {
    const { ledger, onHeld, onUnforeseen, onDue } = this.#dependencies;
    this.#firing.add(timer.key);
    try {
      const fired = await FIRED_BY[timer.kind](timer as Timer<never>, { settings, now, ledger });
      const { kind = '', botId = '' } = fired?.notice ?? {};
      for (const { reason, destination } of fired ? await ledger.fire(fired) : [])
        if (reason) onHeld(reason, { kind, botId, destination });
    } catch (error) {
      onUnforeseen(error);
    }
    this.#firing.delete(timer.key);
    if (this.#firing.size === 0) onDue();
  }

  /** Has the ledger hold the timers of these settings and no others: for digests, expected BOTs, reports, the budget and open runs. */
  async #adopt(settings: Settings): Promise<void> {
    const { ledger, onDue } = this.#dependencies;
    const routes = routesOf(settings.config);
    const isExpecting = routes.some(({ rules }) => rules.expect !== undefined);
    const known = isExpecting ? await ledger.archive.bots(undefined, MOST_BOTS_KNOWN) : [];
    const isWatchingRuns = overdueOf(routes).length > 0;
    const reasked = mutedOtherwise(this.#adopted, settings);
    const isStart = !this.#hasStarted;
    const adopt = (standing: Standing) => ({ ...timersAsked(settings, known, standing, isStart), reasked });
    await ledger.adoptTimers(isWatchingRuns, adopt);
    this.#adopted = settings;
    this.#hasStarted = true;
    onDue();
  }
}

function timersAsked(
  settings: Settings,
  known: readonly ArchivedBot[],
  standing: Standing,
  isStart: boolean,
): Pick<Adoption, 'timers' | 'ended'> {
  const { now, begun, runs } = standing;
  const overdue = runs.flatMap((run) => overdueTimers(run, overdueOf(settings.router.routesOf(run.botId))));
  const timers = [
    ...digestTimers(settings, standing, isStart),
    ...expectTimers(settings, known, begun, now),
    ...reportTimers(settings, standing),
    ...budgetTimers(settings, standing),
    ...overdue.filter(({ dueAt }) => dueAt > now - LOST_MS),
  ];
  const asked = new Set(timers.map(({ key }) => key));
  const ended = begun.filter((timer) => !asked.has(timer.key) && !isStillExpected(timer, settings));
  return { timers, ended: ended.map(({ key }) => key) };
}

/** The destinations whose routes, or whose routes' hours of `mute`, are not as before; all if the settings before are not known. */
function mutedOtherwise(before: Settings | undefined, now: Settings): readonly string[] | 'all' {
  if (before === undefined) return 'all';
  const [was, is] = [mutesOf(before), mutesOf(now)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
}

/** What `mute` depends on at each destination, as a text. */
function mutesOf({ config }: Pick<Settings, 'config'>): ReadonlyMap<string, string> {
  const mutes = new Map<string, string>();
  for (const { name, botIds, on, rules, notify } of routesOf(config)) {
    const text = JSON.stringify([name, botIds, on, rules.mute, config.display.timezone]);
    for (const { destination } of notify) mutes.set(destination, `${mutes.get(destination) ?? ''}${text}`);
  }
  return mutes;
}

/** A store's clock that goes back by more was set; one that is corrected little by little goes back by less. */
const BACK_MS = 1000;

/** Runs that became overdue longer ago than this before the settings took effect count as lost, and are not told. */
const LOST_MS = 86_400_000;

/** A callback is committed within this time after it came, or never. */
function marginOf({ config: { receiver } }: Settings): number {
  return receiver.answerWithinMs + 1000;
}

function digestTimers(
  { config: { digests, display } }: Settings,
  { now, begun }: Standing,
  isStart: boolean,
): readonly Timer<DigestPosition>[] {
  return digests.map((digest) => {
    const key = digestKey(digest);
    const stored = begun.find((timer) => timer.key === key);
    const kept = stored?.data as DigestPosition | undefined;
    // One that lies ahead dates from before the clock was set back.
    const known = kept && kept.since <= now ? kept : undefined;
    const data = known ?? { since: now, toldAt: now };
    // A digest that is due at the very moment of the first start is told.
    const toldAt = known?.toldAt ?? now - 1;
    // While the store was away, nothing was told; what fell due while Botbell did not run is told for an hour alone.
    const isStillDue =
      !isStart &&
      stored !== undefined &&
      stored.dueAt <= now &&
      nextDigest(digest, stored.dueAt - 1, display.timezone) === stored.dueAt;
    const dueAt = isStillDue ? stored.dueAt : digestAtStart(digest, now, toldAt, display.timezone);
    return { key, kind: 'digest', dueAt, data };
  });
}

function digestKey({ group }: Pick<DigestConfig, 'group'>): string {
  return timerKey('digest', group);
}

/** No result: the function has written all by itself. */
type Fire = (timer: Timer<never>, firing: Firing) => Fired | Promise<Fired | void>;

const FIRED_BY: Readonly<Record<Timer['kind'], Fire>> = {
  overdue,
  expect: missed,
  digest: tellDigest,
  report: tellReport,
  budget: tellBudget,
  hold: (timer, { settings, ledger }) => ledger.endHolds(timer, holdRules(settings)),
  burst: (timer) => ({ timer }),
  escalation: (timer: Timer<Escalation>, { settings, ledger }) =>
    ledger.fireEscalation(timer, stepsOf(timer.data, settings)),
};

/** What the route's `then` says today; if there is no such route any more, the routes that continue its steps. */
function stepsOf({ route: name }: Escalation, { config, router }: Settings): AskedSteps {
  const heirsOf = (botId: string) =>
    router.routesOf(botId).flatMap((each) => (each.steps === undefined ? [] : each.name));
  const route = routesOf(config).find((each) => each.name === name);
  const namesOf = (targets: readonly Destination[]) => targets.map(({ destination }) => destination);
  const steps = route?.steps?.map(({ notify, ...step }) => ({ ...step, destinations: namesOf(notify) }));
  const { timezone } = config.display;
  return {
    heirs: route === undefined ? heirsOf : () => [],
    steps: steps ?? [],
    own: namesOf(route?.notify ?? []),
    mute: route?.rules.mute ?? [],
    timezone,
  };
}

async function overdue(timer: Timer<OpenRunTimer>, { settings, ledger, now }: Firing): Promise<Fired> {
  const { callbackId: about, overdueMs } = timer.data;
  const run = await ledger.openRun(about);
  if (run === undefined) return { timer };
  const { botId, botName, jobId, startedAt } = run;
  const facts = JSON.stringify({ startedAt, runningForMs: Math.max(overdueMs, now - startedAt) });
  // The callback's JSON as it came, since parsing it would lose numbers that no double holds.
  const subject = `{"callback":${run.body},${facts.slice(1)}`;
  const told = toldBy(settings, botId, ({ rules }) => rules.overdueMs === overdueMs);
  return { timer, notice: { kind: 'overdue', subject, jobId, botId, botName, about, ...told } };
}

function missed(timer: Timer<ExpectedBot>, { settings, now }: Firing): Fired {
  const { botId, botName, expected } = timer.data;
  const asked = expectationOf(timer, settings);
  if (asked === undefined) return { timer };
  const { rule, routes } = asked;
  const today = underRule(rule, expected, now);
  // The timer is by another config's rule; by today's rule nothing is missed yet.
  const next = (expected: Expected) => ({
    dueAt: missedFrom(rule, expected),
    data: { botId, botName, expected },
  });
  if (missedFrom(rule, today) > now) return { timer, next: next(today) };
  const { dueAt, lastResultAt } = today;
  const subject: OwnSubject<'missed'> = { template: 'missed', botId, botName, dueAt, lastResultAt };
  const told = toldBy(settings, botId, (route) => routes.includes(route));
  const notice = { kind: 'missed', subject: JSON.stringify(subject), botId, botName, ...told };
  return { timer, next: next({ ...today, missed: dueAt }), notice };
}

async function tellDigest(timer: Timer<DigestPosition>, { settings, ledger, now }: Firing): Promise<Fired> {
  const digest = settings.config.digests.find((each) => digestKey(each) === timer.key);
  if (digest === undefined) return { timer };
  const { bots, next } = await ledger.digestCounts(timer.data, marginOf(settings));
  const { timezone } = settings.config.display;
  const { group } = digest;
  const isOfGroup = ({ bot_id }: DigestedBot) =>
    settings.router.routesOf(bot_id).some(({ groups }) => groups.includes(group));
  const own = bots.filter(isOfGroup);
  const open = own.filter((bot) => bot.open > 0).length;
  const { since } = timer.data;
  const figures = { since, ...mostTroubled(own), open };
  const subject: OwnSubject<'digest'> = {
    template: 'digest',
    group,
    ...figures,
    doubts: doubtsAt(now, settings),
  };
  return {
    timer,
    next: { dueAt: nextDigest(digest, now, timezone), data: next },
    notice: { kind: 'digest', subject: JSON.stringify(subject), planned: digest.notify, timezone },
  };
}

/** The destinations of the BOT's routes that match `watches`, with the rules of each. */
function toldBy(
  settings: Settings,
  botId: string,
  watches: (route: RouteConfig) => boolean,
): Pick<FiredNotice, 'planned' | 'timezone'> {
  const targets = settings.router.watchersOf(botId, watches);
  const planned = targets.map((target) => plannedDelivery(settings.config, target));
  return { planned, timezone: settings.config.display.timezone };
}
