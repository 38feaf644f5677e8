/** Who holds a claim: one process of one machine, named so that its successor can tell that it is gone. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where process numbers mean the same: containers and cloned machines may share a host name, but not these. */
const MACHINE = [hostname(), bootId(), processNumbers()].join(' ');

/** @param startedAt milliseconds since the epoch: tells apart two processes that had the same number */
export function ownerName(startedAt: number, pid = process.pid): string {
  return `${MACHINE}/${pid}/${startedAt}`;
}

/** Its machine's name and its number there. */
export function partsOf(owner: string): { readonly machine: string; readonly pid: string } {
  const [machine = '', pid = ''] = owner.split('/');
  return { machine: machine.split(' ', 1)[0] ?? '', pid };
}

/** Whether the owner ran on this machine and no longer does; false where that cannot be told. */
export function isGone(owner: string, self: string): boolean {
  const [machine, pid] = owner.split('/');
  if (owner === self || machine !== MACHINE) return false;
  return Number(pid) === process.pid || !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Ended, but kept in the list of processes until its parent asks how; Linux, proc(5). */
function isZombie(pid: number): boolean {
  // The state follows the name, which may hold anything, in parentheses.
  return /^.*\) Z /s.test(ifThere(() => readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** Linux, proc(5); elsewhere the host name must do. */
function bootId(): string {
  return ifThere(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

/** The namespace that this process's number belongs to; Linux, pid_namespaces(7). */
function processNumbers(): string {
  return ifThere(() => readlinkSync('/proc/self/ns/pid'));
}

function ifThere(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
