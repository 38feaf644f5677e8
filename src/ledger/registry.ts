/** Every operation by its name, since SQLite's keeper receives names and arguments, not functions. */
import {
  continueBulk,
  dismiss,
  readBulk,
  readBulks,
  redeliver,
  routeByHand,
  startBulk,
  stopBulk,
  tally,
} from './deliveries/by-hand.ts';
import {
  botNamed,
  botsAfter,
  cameSince,
  countOpen,
  deadLetters,
  destinationsNamed,
  lastRuns,
  refusals,
  storeBytes,
} from './archive/overviews.ts';
import { findCallbacks, readBody, readDelivery, readStory } from './archive/stories.ts';
import type { ArgsOf, CallOptions, ResultOf, Transactions, Tx } from './database.ts';
import { admit } from './callbacks/admit.ts';
import { claim } from './deliveries/claim.ts';
import { takeOver } from './deliveries/deliveries.ts';
import { forget } from './callbacks/forget.ts';
import {
  currentPaces,
  endFailing,
  failingDestinations,
  forgetPace,
  forgetPaces,
  pausePace,
  pausesOf,
  recordDestinations,
  reservePace,
} from './deliveries/failing.ts';
import { correctTimes } from './shared/clock.ts';
import { freeClaims, heartbeat, leave, processes } from './shared/processes.ts';
import {
  closeIncidents,
  countIncidents,
  findIncidents,
  openIncidents,
  readIncident,
  releaseIncidents,
  takeUp,
} from './incidents/people.ts';
import { fireEscalation } from './incidents/escalations.ts';
import {
  careForIncidents,
  endOwn,
  noticeOwn,
  recordOutage,
  refuse,
  troubledDestinations,
} from './incidents/signs.ts';
import { ledgerState } from './shared/migrate.ts';
import { hasten, reroute, revive, unroutedAfter, waitingAfter } from './deliveries/rerouting.ts';
import { settle } from './deliveries/settle.ts';
import { digestCounts, figuresByDay, figuresOfPeriod, rollUp } from './days/roll-up.ts';
import { jobMessages, knownOf } from './timers/admission.ts';
import { adoptTimers, fire } from './timers/fire.ts';
import { endHolds } from './deliveries/holds.ts';
import { openRun } from './timers/timers.ts';
import { endSnooze, readSnoozes, snooze } from './timers/snoozes.ts';

export const archiveReads = {
  callbacks: findCallbacks,
  story: readStory,
  body: readBody,
  bots: botsAfter,
  bot: botNamed,
  cameSince,
  lastRuns,
  deadLetters,
  countOpen,
  refusals,
  destinations: destinationsNamed,
  delivery: readDelivery,
  knownOf,
  snoozes: readSnoozes,
  tally,
  bulks: readBulks,
  bulk: readBulk,
  storeBytes,
  processes,
  incident: readIncident,
  incidents: findIncidents,
  openIncidents,
  countIncidents,
  figuresOfPeriod,
  figuresByDay,
};

export const actionOperations = {
  redeliver,
  dismiss,
  routeAnew: routeByHand,
  startBulk,
  stopBulk,
  continueBulk,
  snooze,
  endSnooze,
  takeUp,
  releaseIncidents,
  closeIncidents,
};

export const serviceOperations = {
  adoptTimers,
  careForIncidents,
  claim,
  currentPaces,
  pausesOf,
  digestCounts,
  endFailing,
  endHolds,
  endOwn,
  failingDestinations,
  fire,
  fireEscalation,
  forget,
  forgetPace,
  forgetPaces,
  hasten,
  jobMessages,
  leave,
  noticeOwn,
  openRun,
  pausePace,
  processes,
  recordDestinations,
  recordOutage,
  reroute,
  reservePace,
  revive,
  rollUp,
  troubledDestinations,
  unroutedAfter,
  waitingAfter,
};

export const operations = {
  ...archiveReads,
  ...actionOperations,
  ...serviceOperations,
  admit,
  correctTimes,
  freeClaims,
  heartbeat,
  ledgerState,
  refuse,
  settle,
  takeOver,
};

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type Args<Name extends OperationName> = ArgsOf<Operations[Name]>;
export type Result<Name extends OperationName> = ResultOf<Operations[Name]>;

/** Runs an operation in a transaction. @throws {LedgerUnavailable} by the deadline; {OperationFailed} the store works, the operation failed */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  args: Args<Name>,
  options?: CallOptions,
) => Promise<Result<Name>>;

export interface Database {
  readonly call: CallOperation;
  close(): Promise<void>;
}

export function databaseOver(transactions: Transactions): Database {
  return {
    call: (name, args, options) => {
      const operation = operations[name] as (tx: Tx, ...args: unknown[]) => Promise<Result<typeof name>>;
      return transactions.run((tx) => operation(tx, ...args), options);
    },
    close: () => transactions.close(),
  };
}

/** Each operation as a method, without the transaction among its parameters. */
export type Methods<Some> = {
  readonly [Name in keyof Some]: (...args: ArgsOf<Some[Name]>) => Promise<ResultOf<Some[Name]>>;
};

export function methodsOver<Some extends Partial<Operations>>(
  call: CallOperation,
  some: Some,
  options?: CallOptions,
) {
  const names = Object.keys(some) as OperationName[];
  const methods = names.map((name) => [name, (...args: never) => call(name, args, options)]);
  return Object.fromEntries(methods) as Methods<Some>;
}

/** The reads for people, each bounded in size, on a connection of their own. Each settles within five seconds. @throws {LedgerUnavailable} */
export type Archive = Methods<typeof archiveReads>;

/** People's actions, each on disk when it resolves. Each settles within five seconds. @throws {LedgerUnavailable} */
export type Actions = Methods<typeof actionOperations>;
