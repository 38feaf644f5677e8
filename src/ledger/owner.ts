/** Who holds a claim: one process of one machine, named so that its successor can tell that it is gone. */
import { hostname } from 'node:os';

/** @param startedAt milliseconds since the epoch: tells apart two processes that had the same number */
export function ownerName(startedAt: number): string {
  return `${hostname()}/${process.pid}/${startedAt}`;
}

/** Whether the owner ran on this machine and no longer does; false where that cannot be told. */
export function isGone(owner: string, self: string): boolean {
  const [host, pid] = owner.split('/');
  if (owner === self || host !== hostname()) return false;
  return Number(pid) === process.pid || !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
