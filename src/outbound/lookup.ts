/** Looks up the addresses of hosts: none waits for another one's name servers, and those that were known outlive an outage of DNS. */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { type Clock, Deadline, DeadlinePassed, systemClock } from '../time/clock.ts';

/** How long name servers are waited for if addresses are known, in milliseconds. */
const PATIENCE_MS = 1000;

/** Of each family: one is tried after the other, and all have to fit into the time of a connection. */
const MOST_ADDRESSES = 4;

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const bySystem: Resolve = (host) => lookup(host, { all: true, hints: ADDRCONFIG });

/**
 * Node has the system look up two names at a time, each until its name servers answer, which may be half a minute: so a name is looked up
 * once for all who ask for it. The addresses of the last answer serve while none comes, but not after one that the name does not exist.
 */
export function rememberingLookup(
  resolve = bySystem,
  clock: Pick<Clock, 'monotonic' | 'startTimer'> = systemClock,
): LookupFunction {
  const known = new Map<string, readonly LookupAddress[]>();
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  const begin = async (host: string) => {
    try {
      const found = fewOf(await resolve(host));
      known.set(host, found);
      return found;
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ENOTFOUND') known.delete(host);
      const last = known.get(host);
      if (last === undefined) throw error;
      return last;
    } finally {
      underWay.delete(host);
    }
  };
  const addressesOf = async (host: string) => {
    const answer = underWay.get(host) ?? begin(host);
    underWay.set(host, answer);
    const last = known.get(host);
    if (last === undefined) return answer;
    return new Deadline(clock, PATIENCE_MS).bound(answer).catch((error: unknown) => {
      if (error instanceof DeadlinePassed) return last;
      throw error;
    });
  };
  const look = callbackify(addressesOf);
  return (host, _options, done) => {
    look(host, (error, found) => {
      done(error, [...((found as readonly LookupAddress[] | undefined) ?? [])]);
    });
  };
}

function fewOf(addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  return [4, 6]
    .flatMap((of) => addresses.filter(({ family }) => family === of).slice(0, MOST_ADDRESSES))
    .sort((one, other) => addresses.indexOf(one) - addresses.indexOf(other));
}

/** For a connection to a host: of the process, so that what one has learned serves all. */
export const HOST_OPTIONS = {
  lookup: rememberingLookup(),
  autoSelectFamily: true,
  /** Node's own 250 ms are less than a round trip to the other side of the world. */
  autoSelectFamilyAttemptTimeout: 500,
};
