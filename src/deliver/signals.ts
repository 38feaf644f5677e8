/** What is done at a time, whatever comes: held messages are told when nothing holds them any more, timers fire. */
import type { DigestConfig, RouteConfig } from '../config/config.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import type { SignalStore } from '../ledger/database-ledger.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import type { Archive } from '../ledger/registry.ts';
import type { DigestPosition } from '../ledger/signal/digest.ts';
import type { Fired } from '../ledger/signal/fire.ts';
import type { ExpectedBot } from '../ledger/signal/judge.ts';
import { type OpenRunTimer, overdueTimers } from '../ledger/signal/runs.ts';
import { type Timer, timerKey, type WatchedRoute } from '../ledger/signal/timers.ts';
import type { DigestedBot, OwnSubject } from '../notice/notice.ts';
import { digestAtStart, nextDigest } from '../signal/calendar.ts';
import { beginToExpect, missedFrom, withMissed } from '../signal/expect.ts';
import { routesOf } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';
import { afterHold, isAnother } from './after-hold.ts';
import { type RunningSettings, type Settings, watchersOf } from './settings.ts';
import { expectationKey, expectationOf, overdueOf, plannedDelivery } from './watch.ts';

export interface SignalsDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly signals: SignalStore;
  readonly archive: Pick<Archive, 'bot' | 'bots'>;
  readonly settings: Pick<RunningSettings, 'current'>;
  /** While processes with other configs live, the one that may route anew does it. */
  readonly mayDecide: () => boolean;
  /** Something may be due. */
  readonly onDue: () => void;
  readonly onUnforeseen: (error: unknown) => void;
  /** No BOT that it names has come for a long time. */
  readonly onIdleRoute: (name: string) => void;
}

/** How often it is looked for what is due. */
const EVERY_MS = 1000;

export class Signals {
  readonly #dependencies: SignalsDependencies;
  /** The settings whose timers the ledger has. */
  #adopted: Settings | undefined;
  #lookedAt = -Infinity;

  constructor(dependencies: SignalsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {LedgerUnavailable} */
  async work(): Promise<void> {
    const { clock, settings, signals, mayDecide, onDue } = this.#dependencies;
    if (!mayDecide() || clock.monotonic() < this.#lookedAt + EVERY_MS) return;
    const { current } = settings;
    const isAnew = this.#adopted !== current;
    if (isAnew) await this.#adopt(current);
    const { ended, timers } = await signals.dueSignals(isAnew);
    const decisions = ended.held.map((held) => ({ held, outcome: afterHold(held, ended, current) }));
    const changed = decisions.filter(isAnother);
    if (changed.length > 0) await signals.endHolds(changed);
    this.#adopted = current;
    for (const timer of timers) await this.#fire(timer, current);
    this.#lookedAt = clock.monotonic();
    if (changed.length + timers.length > 0) onDue();
  }

  /** One that cannot be fired keeps nothing else waiting. @throws {LedgerUnavailable} */
  async #fire(timer: Timer, settings: Settings): Promise<void> {
    const { signals, onUnforeseen } = this.#dependencies;
    try {
      await signals.fire(await this.#fired(timer, settings));
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw error;
      onUnforeseen(error);
    }
  }

  /** Begins what these settings ask for, and ends what they do not: BOTs and runs that they watch, digests, routes. */
  async #adopt(settings: Settings): Promise<void> {
    const { clock, signals } = this.#dependencies;
    const routes = routesOf(settings.config);
    const now = clock.now();
    const expecting = routes.filter(({ rules }) => rules.expect !== undefined);
    const known = expecting.length === 0 ? [] : await this.#knownBots();
    const runs = overdueOf(routes).length === 0 ? [] : await signals.openRuns();
    const overdue = runs.flatMap((run) => overdueTimers(run, overdueOf(settings.router.routesOf(run.botId))));
    const data = (name: string) => ({ name, isIdle: false }) satisfies WatchedRoute;
    const timers: readonly Timer<object>[] = [
      ...(await this.#digestTimers(settings)),
      ...expectTimers(settings, known, now),
      ...overdue.filter(({ dueAt }) => dueAt > now - LOST_MS),
      ...routes.map((route) => ({
        key: routeKey(route),
        kind: 'route' as const,
        dueAt: now + IDLE_MS,
        data: data(route.name),
      })),
    ];
    await signals.adoptTimers({ timers, kept: expecting.map(expectationOf) });
  }

  async #knownBots(): Promise<readonly ArchivedBot[]> {
    const { archive } = this.#dependencies;
    const known: ArchivedBot[] = [];
    for (let page = await archive.bots('', BOTS_A_PAGE); page.length > 0;) {
      known.push(...page);
      page = page.length < BOTS_A_PAGE ? [] : await archive.bots(known.at(-1)?.botId ?? '', BOTS_A_PAGE);
    }
    return known;
  }

  async #digestTimers({ config: { digests, display } }: Settings): Promise<readonly Timer<object>[]> {
    if (digests.length === 0) return [];
    const { clock, signals } = this.#dependencies;
    const now = clock.now();
    const begun = await signals.timersOfKind('digest');
    const { next } = await signals.digestCounts({ position: Number.MAX_SAFE_INTEGER });
    return digests.map((digest) => {
      const key = digestKey(digest);
      const data = begun.find((timer) => timer.key === key)?.data as DigestPosition | undefined;
      const dueAt = digestAtStart(digest, { now, timezone: display.timezone, toldAt: data?.since ?? now });
      return { key, kind: 'digest', dueAt, data: data ?? next };
    });
  }

  async #fired(timer: Timer, settings: Settings): Promise<Fired> {
    switch (timer.kind) {
      case 'overdue':
        return this.#overdue(timer as Timer<OpenRunTimer>, settings);
      case 'expect':
        return this.#missed(timer as Timer<ExpectedBot>, settings);
      case 'digest':
        return this.#digest(timer as Timer<DigestPosition>, settings);
      case 'route':
        return this.#idle(timer, settings);
      case 'burst':
        return { timer };
    }
  }

  async #idle(timer: Timer, settings: Settings): Promise<Fired> {
    const { clock, onIdleRoute } = this.#dependencies;
    const route = routesOf(settings.config).find((each) => routeKey(each) === timer.key);
    if (route === undefined) return { timer };
    const matched = (await this.#knownBots()).filter(({ botId }) =>
      settings.router.routesOf(botId).includes(route),
    );
    const lastAt = Math.max(...matched.map(({ lastReceivedAt }) => lastReceivedAt), 0);
    const now = clock.now();
    const isIdle = lastAt <= now - IDLE_MS;
    if (isIdle) onIdleRoute(route.name);
    const dueAt = isIdle ? now + SAID_AGAIN_MS : lastAt + IDLE_MS;
    return { timer, next: { dueAt, data: { name: route.name, isIdle } satisfies WatchedRoute } };
  }

  async #overdue(timer: Timer<OpenRunTimer>, settings: Settings): Promise<Fired> {
    const { clock, signals } = this.#dependencies;
    const { callbackId: about, overdueMs } = timer.data;
    const run = await signals.openRun(about);
    if (run === undefined) return { timer };
    const { botId, botName, jobId, startedAt } = run;
    const targets = watchersOf(settings.router, botId, ({ rules }) => rules.overdueMs === overdueMs);
    const facts = JSON.stringify({ startedAt, runningForMs: Math.max(overdueMs, clock.now() - startedAt) });
    // The callback as it came: a number in it may be one that no double holds.
    const subject = `{"callback":${run.body},${facts.slice(1)}`;
    const planned = targets.map((target) => plannedDelivery(settings, target, botId));
    const { timezone } = settings.config.display;
    return {
      timer,
      notice: { kind: 'overdue', isOfJob: true, subject, jobId, botId, botName, about, planned, timezone },
    };
  }

  async #missed(timer: Timer<ExpectedBot>, settings: Settings): Promise<Fired> {
    const { botId, expected } = timer.data;
    const isIt = (route: Parameters<typeof expectationKey>[0]) => expectationKey(route, botId) === timer.key;
    const rule = settings.router
      .routesOf(botId)
      .find((route) => route.rules.expect !== undefined && isIt(route))?.rules;
    if (rule?.expect === undefined) return { timer };
    const bot = await this.#dependencies.archive.bot(botId);
    const subject: OwnSubject<'missed'> = {
      template: 'missed',
      botId,
      botName: bot?.botName ?? '',
      dueAt: expected.dueAt,
      lastResultAt: bot?.lastResultAt,
    };
    const missed = withMissed(expected);
    const targets = watchersOf(
      settings.router,
      botId,
      (route) => route.rules.expect !== undefined && isIt(route),
    );
    const planned = targets.map((target) => plannedDelivery(settings, target, botId));
    const named = {
      kind: 'missed',
      botId,
      botName: subject.botName,
      timezone: settings.config.display.timezone,
    };
    return {
      timer,
      next: { dueAt: missedFrom(rule.expect, missed), data: { botId, expected: missed } },
      notice: { ...named, subject: JSON.stringify(subject), planned },
    };
  }

  async #digest(timer: Timer<DigestPosition>, settings: Settings): Promise<Fired> {
    const { clock, signals } = this.#dependencies;
    const digest = settings.config.digests.find((each) => digestKey(each) === timer.key);
    if (digest === undefined) return { timer };
    const { bots, next } = await signals.digestCounts(timer.data);
    const { timezone } = settings.config.display;
    const subject = digestOf(digest, timer.data.since, botsOf(digest, bots, settings));
    return {
      timer,
      next: { dueAt: nextDigest(digest, clock.now(), timezone), data: next },
      notice: { kind: 'digest', subject: JSON.stringify(subject), planned: digest.notify, timezone },
    };
  }
}

const BOTS_A_PAGE = 500;

/** A route that has matched nothing for so long is said in the log, and again after a week. */
const IDLE_MS = 30 * 86_400_000;
const SAID_AGAIN_MS = 7 * 86_400_000;

/** A run that would have been overdue so long before anybody began to ask is lost, and nobody is told of it. */
const LOST_MS = 86_400_000;

function routeKey({ botIds }: RouteConfig): string {
  return timerKey('route', botIds);
}

function digestKey({ group }: Pick<DigestConfig, 'group'>): string {
  return timerKey('digest', group);
}

/** Neither a glob nor a regular expression. */
function isName(botId: string): boolean {
  return !botId.includes('*') && !/^\/.*\/i?$/.test(botId);
}

/** Of BOTs that a route names exactly, and of those that have been heard of. */
function expectTimers(
  { config, router }: Settings,
  known: readonly ArchivedBot[],
  at: number,
): readonly Timer<ExpectedBot>[] {
  const heardOf = new Set(known.map(({ botId }) => botId));
  const { timezone } = config.display;
  const named = routesOf(config).flatMap(({ botIds }) => botIds);
  return [...new Set([...named.filter(isName), ...heardOf])].flatMap((botId) =>
    router.routesOf(botId).flatMap((route) => {
      const rule = route.rules.expect;
      if (rule === undefined) return [];
      const expected = beginToExpect(rule, { at, hasCome: heardOf.has(botId), timezone });
      const key = expectationKey(route, botId);
      return { key, kind: 'expect', dueAt: missedFrom(rule, expected), data: { botId, expected } };
    }),
  );
}

function botsOf(
  { group }: DigestConfig,
  bots: readonly DigestedBot[],
  { router }: Pick<Settings, 'router'>,
): readonly DigestedBot[] {
  return bots.filter(({ bot_id }) => router.routesOf(bot_id).some(({ groups }) => groups.includes(group)));
}

/** What a digest names; the rest is counted. */
const MOST_BOTS = 50;

function digestOf(
  { group }: DigestConfig,
  since: number,
  bots: readonly DigestedBot[],
): OwnSubject<'digest'> {
  const trouble = ({ errors, missed }: DigestedBot) => errors + missed;
  const worstFirst = bots.toSorted((a, b) => trouble(b) - trouble(a));
  const moreBots = Math.max(0, bots.length - MOST_BOTS);
  return { template: 'digest', group, since, bots: worstFirst.slice(0, MOST_BOTS), moreBots };
}
