/** Every operation, by the name that a database calls it by (on SQLite, in a thread of its own). */
import { continueBulk, readBulk, readBulks, startBulk, stopBulk } from './actions/bulks.ts';
import { dismiss, lookAt, redeliver } from './actions/one-delivery.ts';
import { routeByHand } from './actions/route-by-hand.ts';
import { tally } from './actions/undelivered.ts';
import { botNamed, botsAfter, countsOf, daysSince, everyBot } from './archive/bots.ts';
import { findCallbacks } from './archive/find-callbacks.ts';
import {
  configsLoaded,
  deadLetters,
  destinationsNamed,
  openWork,
  refusals,
  refusedAlike,
} from './archive/overviews.ts';
import { failedRuns, lastRuns, runsSince } from './archive/runs.ts';
import { readCallback, readDelivery, readStory } from './archive/stories.ts';
import { admit } from './operations/admit.ts';
import { claimDue, dueDestinations } from './operations/claim-due.ts';
import { releaseClaims, releaseHeld, takeOver } from './operations/deliveries.ts';
import { recordDestinations } from './operations/destinations.ts';
import { forget } from './operations/forget.ts';
import { countOpen, postgresBytes, sqliteBytes } from './operations/lookups.ts';
import { currentPaces, forgetPaces, pausePace, reservePace } from './operations/paces.ts';
import { heartbeat, leave, processes, releaseOrphans } from './operations/processes.ts';
import { refuse, seeRefused } from './operations/refused.ts';
import { hasten, reroute, revive, unroutedAfter } from './operations/rerouting.ts';
import { settle } from './operations/settle.ts';

export const archiveReads = {
  callbacks: findCallbacks,
  story: readStory,
  readCallback,
  bots: botsAfter,
  bot: botNamed,
  everyBot,
  countsOf,
  lastRuns,
  runsSince,
  failedRuns,
  days: daysSince,
  deadLetters,
  openWork,
  refusals,
  refusedAlike,
  destinations: destinationsNamed,
  configs: configsLoaded,
  delivery: readDelivery,
};

export const actionReads = { lookAt, tally, bulks: readBulks, bulk: readBulk };

/** Read beside whoever writes. */
export const reads = { ...archiveReads, ...actionReads };

export const actionOperations = {
  redeliver,
  dismiss,
  routeAnew: routeByHand,
  startBulk,
  stopBulk,
  continueBulk,
  seeRefused,
};

export const registry = {
  ...reads,
  ...actionOperations,
  admit,
  claimDue,
  countOpen,
  currentPaces,
  dueDestinations,
  forget,
  forgetPaces,
  hasten,
  heartbeat,
  leave,
  pausePace,
  postgresBytes,
  processes,
  recordDestinations,
  refuse,
  releaseClaims,
  releaseHeld,
  releaseOrphans,
  reservePace,
  reroute,
  revive,
  settle,
  sqliteBytes,
  takeOver,
  unroutedAfter,
};

export type LedgerOperations = typeof registry;
