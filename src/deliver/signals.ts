/** Does what is due at a time, even if no callback comes: releases held deliveries when their holds end, and fires timers. */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { DigestConfig, RouteConfig } from '../config/config.ts';
import { LedgerUnavailable, SUPERSEDED } from '../ledger/ledger.ts';
import { ASKED_AGAIN_MS } from '../ledger/signal/admission.ts';
import type { DigestPosition } from '../ledger/signal/digest.ts';
import type { Fired, FiredNotice } from '../ledger/signal/fire.ts';
import {
  BEFORE_ALL_HOLDS,
  type EndedHold,
  type EndedHolds,
  type HoldDecision,
  type HoldPosition,
} from '../ledger/signal/holds.ts';
import type { ExpectedBot } from '../ledger/signal/judge.ts';
import { type OpenRunTimer, overdueTimers } from '../ledger/signal/runs.ts';
import { type Timer, timerKey, type WatchedRoute } from '../ledger/signal/timers.ts';
import { digested, type DigestedBot, type OwnSubject } from '../notice/notice.ts';
import { routesOf } from '../route/router.ts';
import { digestAtStart, nextDigest } from '../signal/calendar.ts';
import { decide } from '../signal/decide.ts';
import { missedFrom, withMissed } from '../signal/expect.ts';
import { NOTHING_TOLD } from '../signal/streak.ts';
import type { Delivering } from './delivering.ts';
import type { ConfigFollower } from './follow-config.ts';
import { knownBots, lookAtRoute, watchTimer } from './idle-routes.ts';
import { plannedDelivery } from './plan.ts';
import { plannedFor, planOf, type Settings, watchersOf } from './settings.ts';
import { expectTimers, isRouteOf, isStillExpected, overdueOf } from './watch.ts';

export interface SignalsDependencies extends Delivering {
  /** Decides whether this process may do this work: while processes run with different configs, not all may. */
  readonly follower: Pick<ConfigFollower, 'mayDecide'>;
  /** No callback has matched the route for a long time. */
  readonly onIdleRoute: (name: string) => void;
}

export class Signals {
  readonly #dependencies: SignalsDependencies;
  /** The settings whose timers the ledger has. */
  #adopted: Settings | undefined;
  /** How far the rules in force have been asked again about what is held; undefined: about all of it. */
  #askedAnew: HoldPosition | undefined;

  constructor(dependencies: SignalsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {LedgerUnavailable} */
  async work(): Promise<void> {
    const { settings, ledger, follower, onDue } = this.#dependencies;
    const { signals } = ledger;
    if (!follower.mayDecide) return;
    const { current } = settings;
    if (this.#adopted !== current) {
      await this.#adopt(current);
      this.#adopted = current;
      this.#askedAnew = BEFORE_ALL_HOLDS;
    }
    const { ended, timers } = await signals.dueSignals(this.#askedAnew);
    const decisions = ended.held.map((held) => ({ held, outcome: afterHold(held, ended, current) }));
    const changed = decisions.filter(isAnother);
    if (changed.length > 0) await signals.endHolds(changed);
    this.#askedAnew &&= ended.next;
    for (const timer of timers) await this.#fire(timer, current);
    if (changed.length + timers.length > 0) onDue();
  }

  /** Reports a timer that fails, so that it does not stop the others. @throws {LedgerUnavailable} */
  async #fire(timer: Timer, settings: Settings): Promise<void> {
    const { ledger, onHeld, onUnforeseen } = this.#dependencies;
    try {
      const fired = await this.#fired(timer, settings);
      const { kind = '', botId = '' } = fired.notice ?? {};
      for (const { reason, destination } of await ledger.signals.fire(fired))
        if (reason) onHeld(reason, { kind, botId, destination });
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw error;
      onUnforeseen(error);
    }
  }

  /** Has the ledger hold the timers of these settings and no others: for expected BOTs, open runs, digests and routes. */
  async #adopt(settings: Settings): Promise<void> {
    const { clock, ledger } = this.#dependencies;
    const { signals } = ledger;
    const routes = routesOf(settings.config);
    const now = clock.now();
    const isExpecting = routes.some(({ rules }) => rules.expect !== undefined);
    const known = isExpecting ? await knownBots(this.#dependencies) : [];
    const runs = overdueOf(routes).length === 0 ? [] : await signals.openRuns();
    const overdue = runs.flatMap((run) => overdueTimers(run, overdueOf(settings.router.routesOf(run.botId))));
    const kinds = ['digest', 'expect', 'route'] as const;
    const begun = (await Promise.all(kinds.map((kind) => signals.timersOfKind(kind)))).flat();
    const timers: readonly Timer<object>[] = [
      ...(await this.#digestTimers(settings, begun)),
      ...expectTimers(settings, known, now),
      ...overdue.filter(({ dueAt }) => dueAt > now - LOST_MS),
      ...routes.map((route) => watchTimer(route, now, { lastAt: now, isIdle: false })),
    ];
    const asked = new Set(timers.map(({ key }) => key));
    const ended = begun.filter((timer) => !asked.has(timer.key) && !isStillExpected(timer, settings));
    await signals.adoptTimers(
      timers,
      ended.map(({ key }) => key),
    );
  }

  async #digestTimers(
    { config: { digests, display } }: Settings,
    begun: readonly Timer[],
  ): Promise<readonly Timer<object>[]> {
    if (digests.length === 0) return [];
    const { clock, ledger } = this.#dependencies;
    const { signals } = ledger;
    const now = clock.now();
    const { next } = await signals.digestCounts({ position: Number.MAX_SAFE_INTEGER });
    return digests.map((digest) => {
      const key = digestKey(digest);
      const data = begun.find((timer) => timer.key === key)?.data as DigestPosition | undefined;
      const dueAt = digestAtStart(digest, { now, timezone: display.timezone, toldAt: data?.since ?? now });
      return { key, kind: 'digest', dueAt, data: data ?? next };
    });
  }

  async #fired(timer: Timer, settings: Settings): Promise<Fired> {
    const { onIdleRoute } = this.#dependencies;
    switch (timer.kind) {
      case 'overdue':
        return this.#overdue(timer as Timer<OpenRunTimer>, settings);
      case 'expect':
        return missed(timer as Timer<ExpectedBot>, settings);
      case 'digest':
        return this.#digest(timer as Timer<DigestPosition>, settings);
      case 'route':
        return lookAtRoute(timer as Timer<WatchedRoute>, settings, this.#dependencies, onIdleRoute);
      case 'burst':
        return { timer };
    }
  }

  async #overdue(timer: Timer<OpenRunTimer>, settings: Settings): Promise<Fired> {
    const { clock, ledger } = this.#dependencies;
    const { callbackId: about, overdueMs } = timer.data;
    const run = await ledger.signals.openRun(about);
    if (run === undefined) return { timer };
    const { botId, botName, jobId, startedAt } = run;
    const facts = JSON.stringify({ startedAt, runningForMs: Math.max(overdueMs, clock.now() - startedAt) });
    // The callback's JSON as it came, since parsing it would lose numbers that no double holds.
    const subject = `{"callback":${run.body},${facts.slice(1)}`;
    const told = toldBy(settings, botId, ({ rules }) => rules.overdueMs === overdueMs);
    return {
      timer,
      notice: { kind: 'overdue', isOfJob: true, subject, jobId, botId, botName, about, ...told },
    };
  }

  async #digest(timer: Timer<DigestPosition>, settings: Settings): Promise<Fired> {
    const { clock, ledger } = this.#dependencies;
    const digest = settings.config.digests.find((each) => digestKey(each) === timer.key);
    if (digest === undefined) return { timer };
    const { bots, next } = await ledger.signals.digestCounts(timer.data);
    const { router, config } = settings;
    const { timezone } = config.display;
    const { group } = digest;
    const isOfGroup = ({ bot_id }: DigestedBot) =>
      router.routesOf(bot_id).some(({ groups }) => groups.includes(group));
    const own = digested(bots.filter(isOfGroup));
    const subject: OwnSubject<'digest'> = { template: 'digest', group, since: timer.data.since, ...own };
    return {
      timer,
      next: { dueAt: nextDigest(digest, clock.now(), timezone), data: next },
      notice: { kind: 'digest', subject: JSON.stringify(subject), planned: digest.notify, timezone },
    };
  }
}

/** Runs that became overdue longer ago than this before the settings took effect count as lost, and are not told. */
const LOST_MS = 86_400_000;

function digestKey({ group }: Pick<DigestConfig, 'group'>): string {
  return timerKey('digest', group);
}

function missed(timer: Timer<ExpectedBot>, settings: Settings): Fired {
  const { botId, botName, expected } = timer.data;
  const rule = settings.router.routesOf(botId).find(isRouteOf(timer))?.rules.expect;
  if (rule === undefined) return { timer };
  const { dueAt, lastResultAt } = expected;
  const subject: OwnSubject<'missed'> = { template: 'missed', botId, botName, dueAt, lastResultAt };
  const after = withMissed(expected);
  const told = toldBy(settings, botId, isRouteOf(timer));
  return {
    timer,
    next: { dueAt: missedFrom(rule, after), data: { botId, botName, expected: after } },
    notice: { kind: 'missed', subject: JSON.stringify(subject), botId, botName, ...told },
  };
}

/** The destinations of the BOT's routes that match `watches`, with the rules of each. */
function toldBy(
  settings: Settings,
  botId: string,
  watches: (route: RouteConfig) => boolean,
): Pick<FiredNotice, 'planned' | 'timezone'> {
  const targets = watchersOf(settings.router, botId, watches);
  const planned = targets.map((target) => plannedDelivery(settings.config, target, botId));
  return { planned, timezone: settings.config.display.timezone };
}

/** The outcome by the settings in force: the delivery is released, unless a rule or snooze still holds it. */
function afterHold(
  held: EndedHold,
  { asOf, snoozes }: Pick<EndedHolds, 'asOf' | 'snoozes'>,
  settings: Settings,
): HoldDecision['outcome'] {
  const { destination, botId, kind, telling } = held;
  if (held.isLate) return SUPERSEDED;
  const plan = planOf(settings, held);
  const target = plannedFor(held, plan);
  // A callback is routed anew. What Botbell tells by itself is told where it was held, unless only other destinations are left.
  const isElsewhere = plan.destinations.length > 0 && !settings.destinations.has(destination);
  if (target === undefined) return kind === 'callback' || isElsewhere ? 'pending' : 'summary';
  const { asked = [] } = plannedDelivery(settings.config, target, botId);
  if (asked.length === 0) return 'summary';
  const wanting = asked.filter(({ name }) => telling?.wantedBy?.includes(name));
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(held) : undefined;
  const subject = { botId, status, startedAt: asOf, row: undefined, likeness: '', unmet: [], isWanted: true };
  const here = { destination, snoozes, told: NOTHING_TOLD, lateFor: new Map(), burst: undefined };
  const { timezone } = settings.config.display;
  const routes = wanting.length === 0 ? asked : wanting;
  const { verdict } = decide(subject, routes, { ...here, window: undefined }, { now: asOf, timezone });
  if (verdict.does !== 'hold') return 'summary';
  const { rule: reason, until: heldUntil = asOf + ASKED_AGAIN_MS, snoozeId } = verdict;
  return { reason, heldUntil, snoozeId };
}

/** Whether the decision changes anything. */
function isAnother({ held, outcome }: HoldDecision): boolean {
  if (typeof outcome === 'string') return true;
  const { reason, heldUntil, snoozeId } = outcome;
  return reason !== held.reason || heldUntil !== held.heldUntil || snoozeId !== held.snoozeId;
}
