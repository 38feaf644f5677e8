/** Everything that is written, or read for what is about to be sent, by the name that a database calls it by. */
import { actionOperations } from '../actions/operations.ts';
import { admit } from './admit.ts';
import { claimDue, dueDestinations } from './claim-due.ts';
import { releaseClaims, takeOver } from './deliveries.ts';
import { recordDestinations } from './destinations.ts';
import { forget, forgetDone } from './forget.ts';
import { releaseHeld } from './held.ts';
import { countOpen } from './lookups.ts';
import { currentPaces, forgetPaces, pausePace, reservePace } from './paces.ts';
import { heartbeat, leave, processes } from './processes.ts';
import { refuse } from './refused.ts';
import { hasten, revive, routeAnew, unroutedAfter } from './rerouting.ts';
import { settle } from './settle.ts';

export const operations = {
  ...actionOperations,
  admit,
  claimDue,
  countOpen,
  currentPaces,
  dueDestinations,
  forget,
  forgetDone,
  forgetPaces,
  hasten,
  heartbeat,
  leave,
  pausePace,
  processes,
  recordDestinations,
  refuse,
  releaseClaims,
  releaseHeld,
  reservePace,
  revive,
  routeAnew,
  settle,
  takeOver,
  unroutedAfter,
};
