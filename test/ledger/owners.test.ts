/** Whether the process that owns a claim has ended: only what is certain counts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { isGone, ownerName } from '../../src/ledger/shared/processes.ts';

describe('The owner of a claim', function () {
  let child: ChildProcess;
  /** As the child would name itself. */
  let owner: string;

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  beforeEach(async () => {
    child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const beganAt = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19];
    const own = ownerName(1).split('/');
    owner = [own[0], child.pid, 1, own[3], own[4], beganAt].join('/');
  });

  afterEach(() => child.kill('SIGKILL'));

  /** The owner with one part of its name changed. */
  const but = (index: number, part: string) => owner.split('/').with(index, part).join('/');

  it('is not gone while it runs, as this process, but where another process has its id, which began at another time', () => {
    expect([owner, ownerName(1), but(5, '1')].map(isGone)).to.deep.equal([false, false, true]);
  });

  it('is gone when it was killed, but known by its heartbeat alone on another machine, in another container, and where the OS says nothing', async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isGone(owner)).to.equal(true);
    const withoutBoot = owner.split('/').slice(0, 3).join('/');
    const others = [but(3, 'another-boot'), but(4, 'pid:[1]'), withoutBoot, 'first'];
    expect(others.map(isGone)).to.deep.equal([false, false, false, false]);
  });
});
