/** A process that is gone holds nothing any more; one that may be alive keeps what it has. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { isGone, ownerName } from '../../src/ledger/owner.ts';
import { arrivalOf, claimedOf, OPS } from '../contract/ledger-under-test.ts';
import { callbackWith } from '../support/callbacks.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const SELF = ownerName(2000);

/** The number of a process that has just ended. */
function endedPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('the owner of a claim', () => {
  it('is gone when its process on this machine has ended', () => {
    expect(isGone(ownerName(1000, endedPid()), SELF)).to.equal(true);
  });

  it('is gone when its process has ended and nobody has asked how', async function () {
    if (process.platform !== 'linux') return this.skip();
    const parent = spawn('sh', ['-c', 'true & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    while (!isGone(ownerName(1000, pid), SELF)) await nextTurn();
    parent.stdin.end();
    await once(parent, 'exit');
  });

  it('is gone when this process has taken over its number', () => {
    expect(isGone(ownerName(1000), SELF)).to.equal(true);
  });

  it('is not gone while its process runs', () => {
    expect(isGone(SELF, SELF)).to.equal(false);
    expect(isGone(ownerName(1000, process.ppid), SELF)).to.equal(false);
    expect(isGone(ownerName(1000, 1), SELF), 'of another user').to.equal(false);
  });

  it('is not taken for gone when it ran on another machine', () => {
    expect(isGone(`elsewhere/${endedPid()}/1000`, SELF)).to.equal(false);
    expect(isGone(`${hostname()}/${endedPid()}/1000`, SELF), 'of the same name').to.equal(false);
  });

  it('that has crashed leaves what it held to its successor at once, not when the lease ends', async () => {
    const store = createSqliteStore();
    const arrival = arrivalOf(callbackWith(), [OPS], store.clock.now());
    const openAs = (owner: string) => store.open({ owner });
    const crashed = await openAs(ownerName(1000, endedPid()));
    const elsewhere = await openAs('elsewhere/1/1000');
    await crashed.admit(arrival);
    const other = arrivalOf(callbackWith({ job_id: 'job-2' }), [OPS], store.clock.now());
    await elsewhere.admit(other);
    const successor = await openAs(SELF);
    expect(claimedOf(await successor.admit(arrival))).to.deep.equal(['slack:#ops']);
    expect(claimedOf(await successor.admit(other)), 'it may be alive').to.deep.equal([]);
    await store.close();
  });
});
