/** Keeps the ledger small: deletes old callbacks in small steps, keeps their figures, and ends incidents that are over without a sign. */
import type { ChannelType } from '../channels/channel.ts';
import { tellsTroubles } from '../config/config.ts';
import type { reloadAlert } from '../deliver/alerts.ts';
import type { Chore } from '../deliver/chores.ts';
import type { ForgetPosition } from '../ledger/callbacks/forget.ts';
import type { Delivering } from '../deliver/delivering.ts';
import type { Planning } from '../deliver/settings.ts';
import type { Incident } from '../incident/incident.ts';
import { toldOfTroublesAlone } from '../people/incidents.ts';

const INTERVAL_MS = 60_000;

/** How long callbacks that reached nobody are kept: short, since anyone who may post can fill the ledger with them. */
const REACHED_NOBODY_KEPT_MS = 3 * 86_400_000;

/** How often the scan starts again at the oldest row. Old callbacks kept as undelivered may be many and change little. */
const ANEW_MS = 86_400_000;

/** The store's clock is taken for set, or the machine for asleep, if it is ahead by so much since the last look. */
const JUMP_MS = 86_400_000;

/** Nothing is deleted for so long then: what came before may be posted again, and the clock be set back. */
const REST_MS = 86_400_000;

type Parts = Pick<Delivering, 'clock' | 'ledger' | 'settings'>;

export function retentionChore({ clock, ledger, settings }: Parts): Chore {
  const oldest: ForgetPosition = { done: 0, reachedNobody: 0, isTidied: false };
  let from = oldest;
  let anewAt = -Infinity;
  let restsUntil = -Infinity;
  /** How far the store's clock was ahead of the monotonic one. */
  let aheadMs = Infinity;
  return {
    everyMs: INTERVAL_MS,
    async work() {
      const { keepMs } = settings.current.config.store;
      const begunAt = clock.monotonic();
      if (begunAt < restsUntil) return false;
      if (begunAt >= anewAt) {
        from = oldest;
        anewAt = begunAt + ANEW_MS;
      }
      const latest = begunAt + aheadMs + JUMP_MS;
      const { next, isMore, asOf } = await ledger.forget({
        doneKeptMs: keepMs,
        nobodyKeptMs: Math.min(keepMs, REACHED_NOBODY_KEPT_MS),
        from,
        latest,
      });
      from = next;
      aheadMs = asOf - begunAt;
      if (asOf > latest) restsUntil = begunAt + REST_MS;
      return isMore;
    },
  };
}

/** A callback is committed and answered within this time after it came, even by another process. */
const LEAST_MARGIN_MS = 60_000;

/** Adds new callbacks to the figures of BOTs and days. */
export function rollUpChore({ ledger, settings }: Pick<Parts, 'ledger' | 'settings'>): Chore {
  return {
    everyMs: INTERVAL_MS,
    work() {
      const { display, receiver } = settings.current.config;
      const marginMs = Math.max(LEAST_MARGIN_MS, receiver.answerWithinMs + 1000);
      return ledger.rollUp({ timezone: display.timezone, marginMs });
    },
  };
}

const INCIDENTS_MS = 5000;

/** Most incidents judged in one turn, since each BOT is compared with every pattern of the config; the next turn judges more. */
const MOST_JUDGED = 500;

interface IncidentParts extends Pick<Parts, 'ledger' | 'settings'> {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** The alert about the config on the disk; undefined: that is in force. */
  readonly refused: () => ReturnType<typeof reloadAlert> | undefined;
}

/** The key of Botbell's own incident about a refused config. */
const CONFIG_REFUSED = 'config';

export function incidentChore({ ledger, settings, channelTypes, refused }: IncidentParts): Chore {
  /** Ids of the open incidents of which the settings `routedBy` tell somebody. */
  let routed = new Set<number>();
  let routedBy: Planning | undefined;
  let recorded: ReturnType<IncidentParts['refused']>;
  return {
    everyMs: INCIDENTS_MS,
    async work() {
      const alert = refused();
      const noticed = {
        key: CONFIG_REFUSED,
        sign: 'reload',
        gist: alert?.subject.problems[0] ?? '',
      } as const;
      if (alert !== undefined && alert !== recorded) await ledger.recordOwnSign(noticed, alert);
      recorded = alert;
      const open = await ledger.archive.openIncidents();
      const { current } = settings;
      const { config, configHash } = current;
      const known = routedBy === current ? routed : new Set();
      routed = new Set(open.map(({ id }) => id).filter((id) => known.has(id)));
      routedBy = current;
      const judged = open.filter(({ id }) => !routed.has(id)).slice(0, MOST_JUDGED);
      for (const each of judged) if (isRouted(current, each)) routed.add(each.id);
      await ledger.maintainIncidents({
        isConfigRefused: alert !== undefined,
        unrouted: judged.map(({ id }) => id).filter((id) => !routed.has(id)),
        configHash,
        keepMs: config.store.keepMs,
        noNews: toldOfTroublesAlone(current, channelTypes),
      });
    },
  };
}

/** Whether the config names the incident's destination, or tells anybody of the BOT's troubles. */
function isRouted({ destinations, router }: Planning, { kind, subject }: Incident): boolean {
  if (kind === 'destination') return destinations.has(subject);
  return kind !== 'bot' || router.routesOf(subject).some(tellsTroubles);
}
