/** Every operation by its name, since SQLite's keeper receives names and arguments, not functions. */
import * as byHand from './deliveries/by-hand.ts';
import * as overviews from './archive/overviews.ts';
import * as callbacks from './archive/stories.ts';
import type { ArgsOf, CallOptions, ResultOf, Transactions, Tx } from './database.ts';
import * as admission from './callbacks/admit.ts';
import * as claims from './deliveries/claim.ts';
import * as deliveries from './deliveries/deliveries.ts';
import * as forgetting from './callbacks/forget.ts';
import * as remotes from './deliveries/failing.ts';
import * as clock from './shared/clock.ts';
import * as sharing from './shared/processes.ts';
import * as incidents from './incidents/people.ts';
import * as escalations from './incidents/escalations.ts';
import { recordOutage } from './incidents/outage.ts';
import * as signs from './incidents/signs.ts';
import * as migrating from './shared/migrate.ts';
import * as rerouting from './deliveries/rerouting.ts';
import * as settling from './deliveries/settle.ts';
import * as days from './days/roll-up.ts';
import * as rules from './timers/admission.ts';
import * as firing from './timers/fire.ts';
import * as holds from './deliveries/holds.ts';
import * as timers from './timers/timers.ts';

export const archiveReads = {
  callbacks: callbacks.findCallbacks,
  story: callbacks.readStory,
  body: callbacks.readBody,
  ...overviews,
  delivery: callbacks.readDelivery,
  readKnownFacts: rules.readKnownFacts,
  snoozes: timers.findSnoozes,
  tally: byHand.tally,
  bulks: byHand.readBulks,
  bulk: byHand.readBulk,
  processes: sharing.processes,
  incident: incidents.readIncident,
  incidents: incidents.findIncidents,
  openIncidents: incidents.openIncidents,
  countIncidents: incidents.countIncidents,
  figuresOfPeriod: days.figuresOfPeriod,
  figuresByDay: days.figuresByDay,
};

export const actionOperations = {
  redeliver: byHand.redeliver,
  dismiss: byHand.dismiss,
  routeAnew: byHand.routeByHand,
  startBulk: byHand.startBulk,
  stopBulk: byHand.stopBulk,
  continueBulk: byHand.continueBulk,
  snooze: timers.snooze,
  endSnooze: timers.endSnooze,
  takeUp: incidents.takeUp,
  releaseIncidents: incidents.releaseIncidents,
  closeIncidents: incidents.closeIncidents,
};

export const serviceOperations = {
  adoptTimers: firing.adoptTimers,
  maintainIncidents: signs.maintainIncidents,
  claim: claims.claim,
  currentPaces: remotes.currentPaces,
  pausesOf: remotes.pausesOf,
  digestCounts: days.digestCounts,
  endFailing: remotes.endFailing,
  endHolds: holds.endHolds,
  failingDestinations: remotes.failingDestinations,
  fire: firing.fire,
  fireEscalation: escalations.fireEscalation,
  forget: forgetting.forget,
  forgetPaces: remotes.forgetPaces,
  hasten: rerouting.hasten,
  jobMessages: rules.jobMessages,
  signOff: sharing.signOff,
  recordOwnSign: signs.recordOwnSign,
  openRun: timers.openRun,
  pausePace: remotes.pausePace,
  processes: sharing.processes,
  recordDestinations: remotes.recordDestinations,
  recordOutage,
  reroute: rerouting.reroute,
  reservePace: remotes.reservePace,
  revive: rerouting.revive,
  rollUp: days.rollUp,
};

export const operations = {
  ...archiveReads,
  ...actionOperations,
  ...serviceOperations,
  admit: admission.admit,
  correctTimes: clock.correctTimes,
  freeClaims: sharing.freeClaims,
  heartbeat: sharing.heartbeat,
  ledgerState: migrating.ledgerState,
  refuse: signs.refuse,
  settle: settling.settle,
  takeOver: deliveries.takeOver,
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
