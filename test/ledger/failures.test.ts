/** What has happened to a store is named by what databases, Node and Botbell say of it. */
import { expect } from 'chai';
import {
  operationFailed,
  isOutOfOrder,
  type StoreTrouble,
  troubleOf,
  ledgerUnavailable,
} from '../../src/ledger/failures.ts';
import { LedgerFull, LedgerUnavailable } from '../../src/ledger/ledger.ts';

/** Each as it is said; in brackets, by whom. */
const SAID: readonly (readonly [StoreTrouble, string])[] = [
  ['locked', 'database is locked [SQLite]'],
  ['locked', 'database table is locked [SQLite]'],
  ['locked', 'canceling statement due to lock timeout [PostgreSQL 55P03]'],
  ['locked', 'deadlock detected [PostgreSQL 40P01]'],
  ['slow', 'canceling statement due to statement timeout [PostgreSQL 57014]'],
  ['slow', 'timeout exceeded when trying to connect [pg-pool: no connection in time]'],
  ['slow', 'the ledger did not come to it in time [Botbell]'],
  ['slow', 'the ledger is not keeping up [Botbell]'],
  ['read-only', 'attempt to write a readonly database [SQLite]'],
  ['read-only', 'cannot execute INSERT in a read-only transaction [PostgreSQL 25006]'],
  ['read-only', "EROFS: read-only file system, open '/data/botbell.db' [Node]"],
  ['read-only', "EPERM: operation not permitted, utime '/data/botbell.db' [Node: an immutable file]"],
  ['full', 'database or disk is full [SQLite]'],
  ['full', 'could not extend file "base/1/2": No space left on device [PostgreSQL 53100]'],
  ['full', 'ENOSPC: no space left on device, write [Node]'],
  ['gone', '/data/botbell.db was deleted or moved away: put back [Botbell]'],
  ['gone', '/data/botbell.db was replaced by another file [Botbell]'],
  ['gone', 'connect ECONNREFUSED 127.0.0.1:5432 [Node]'],
  ['gone', 'getaddrinfo ENOTFOUND db.internal [Node]'],
  ['gone', 'terminating connection due to administrator command [PostgreSQL 57P01]'],
  ['gone', 'the database system is starting up [PostgreSQL 57P03]'],
  ['gone', 'the database system is in recovery mode [PostgreSQL 57P03]'],
  ['gone', 'Connection terminated unexpectedly [pg]'],
  ['gone', 'Client has encountered a connection error and is not queryable [pg]'],
  ['unusable', 'database disk image is malformed [SQLite]'],
  ['unusable', 'password authentication failed for user "botbell" [PostgreSQL 28P01]'],
];

describe('what has happened to a store', () => {
  for (const [what, said] of SAID)
    it(`is called ${what} where it is said: ${said}`, () => {
      expect(troubleOf(ledgerUnavailable(new Error(said)))).to.equal(what);
      expect(troubleOf(new LedgerUnavailable(said)), 'from another thread').to.equal(what);
    });

  it('is that it refused one call, where it works, and full, where it has reached its limit', () => {
    expect(troubleOf(operationFailed(new Error('a value is too long')))).to.equal('refused');
    expect(troubleOf(new LedgerFull())).to.equal('full');
  });

  it('puts it out of order unless that passes by itself', () => {
    const outOfOrder = SAID.filter(([, said]) => isOutOfOrder(new LedgerUnavailable(said)));
    const known = new Set(outOfOrder.map(([what]) => what));
    expect([...known]).to.deep.equal(['read-only', 'full', 'gone', 'unusable']);
    expect(isOutOfOrder(operationFailed(new Error('a value is too long')))).to.equal(false);
  });
});
