/** What is done at a time, whatever comes: held messages are told when nothing holds them any more, timers fire. */
import { hash } from 'node:crypto';
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { SignalStore } from '../ledger/database-ledger.ts';
import { ASKED_AGAIN_MS, type OpenRunTimer } from '../ledger/signal/admission.ts';
import type { ExpectedBot } from '../ledger/signal/judge.ts';
import type { DigestPosition } from '../ledger/signal/digest.ts';
import type { Fired } from '../ledger/signal/fire.ts';
import type { EndedHold, EndedHolds, HoldDecision } from '../ledger/signal/holds.ts';
import type { Timer, WatchedRoute } from '../ledger/signal/timers.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import type { Archive } from '../ledger/people.ts';
import type { DigestedBot, DigestNotice, MissedResult } from '../notice/notice.ts';
import type { DigestConfig, RouteConfig } from '../config/config.ts';
import type { ArchivedBot } from '../ledger/archive/archive.ts';
import { digestAtStart, nextDigest } from '../signal/calendar.ts';
import { beginToExpect, missedFrom, withMissed } from '../signal/expect.ts';
import { routesOf } from '../route/router.ts';
import { holdAt } from '../signal/hold.ts';
import type { Clock } from '../time/clock.ts';
import { planOfKind, plannedFor, type RunningSettings, type Settings, watchersOf } from './settings.ts';
import { expectationKey, expectationOf, plannedDelivery } from './watch.ts';

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
    if (this.#adopted !== current) await this.#adopt(current);
    const { ended, timers } = await signals.dueSignals();
    const decisions = ended.groups.map((group) => ({ group, outcome: afterHold(group, ended, current) }));
    if (decisions.length > 0) await signals.endHolds(ended.asOf, decisions);
    for (const timer of timers) await this.#fire(timer, current);
    this.#lookedAt = clock.monotonic();
    if (decisions.length + timers.length > 0) onDue();
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

  /** Begins what these settings ask for: BOTs that they name, digests, holds that they no longer want. */
  async #adopt(settings: Settings): Promise<void> {
    const { signals } = this.#dependencies;
    const expecting = routesOf(settings.config).filter(({ rules }) => rules.expect !== undefined);
    const digests = await this.#digestTimers(settings);
    const expected = expecting.length === 0 ? [] : await this.#expectTimers(settings);
    const expectations = expecting.map(expectationOf);
    const watching = routesOf(settings.config).map((route) => this.#routeTimer(route));
    await signals.adoptTimers({ timers: [...digests, ...expected, ...watching], expectations });
    await signals.askMutesAgain();
    this.#adopted = settings;
  }

  /** Of BOTs that a route names exactly, and of those that have been heard of. */
  async #expectTimers(settings: Settings): Promise<readonly Timer<object>[]> {
    const { clock } = this.#dependencies;
    const known = new Set((await this.#knownBots()).map(({ botId }) => botId));
    const named = routesOf(settings.config)
      .flatMap(({ botIds }) => botIds)
      .filter(isName);
    const bots = [...new Set([...named, ...known])];
    return bots.flatMap((botId) =>
      settings.router.routesOf(botId).flatMap((route) => {
        const rule = route.rules.expect;
        if (rule === undefined) return [];
        const begun = {
          at: clock.now(),
          hasCome: known.has(botId),
          timezone: settings.config.display.timezone,
        };
        const expected = beginToExpect(rule, begun);
        const data = { botId, expected } satisfies ExpectedBot;
        return {
          key: expectationKey(route, botId),
          kind: 'expect' as const,
          dueAt: missedFrom(rule, expected),
          data,
        };
      }),
    );
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

  #routeTimer(route: RouteConfig): Timer<object> {
    const dueAt = this.#dependencies.clock.now() + IDLE_MS;
    return { key: routeKey(route), kind: 'route', dueAt, data: { name: route.name, isIdle: false } };
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
    const subject: MissedResult = {
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

function routeKey({ botIds }: RouteConfig): string {
  return `route ${hash('sha256', JSON.stringify(botIds), 'hex').slice(0, 16)}`;
}

/** Neither a glob nor a regular expression. */
function isName(botId: string): boolean {
  return !botId.includes('*') && !/^\/.*\/i?$/.test(botId);
}

function digestKey({ group }: Pick<DigestConfig, 'group'>): string {
  return `digest ${group}`;
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

function digestOf({ group }: DigestConfig, since: number, bots: readonly DigestedBot[]): DigestNotice {
  const trouble = ({ errors, missed }: DigestedBot) => errors + missed;
  const worstFirst = bots.toSorted((a, b) => trouble(b) - trouble(a));
  const moreBots = Math.max(0, bots.length - MOST_BOTS);
  return { template: 'digest', group, since, bots: worstFirst.slice(0, MOST_BOTS), moreBots };
}

/** @returns what becomes of held messages whose hold has ended */
function afterHold(
  group: EndedHold,
  { asOf, snoozes }: Pick<EndedHolds, 'asOf' | 'snoozes'>,
  settings: Settings,
): HoldDecision['outcome'] {
  const { destination, botId, kind } = group;
  const target = plannedFor(group, planOfKind(settings, group));
  if (target === undefined) return 'pending';
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(group) : undefined;
  const { timezone } = settings.config.display;
  const holders = { snoozes, botId, destination, status, timezone };
  const holds = (target.asked ?? []).map(({ rules: { mute } }) => holdAt(asOf, { ...holders, mute }));
  const held = holds.filter((hold) => hold !== undefined);
  const [first] = held.toSorted((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  if (first === undefined || held.length < holds.length) return 'summary';
  const { rule: reason, until: heldUntil = asOf + ASKED_AGAIN_MS, snoozeId } = first;
  return { reason, heldUntil, snoozeId };
}
