/** How a claim names the process that owns it, and whether that process has ended. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells this process from others that had, or have elsewhere, the same process id; undefined: the OS does not say. */
function markOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // Two containers on one machine may both have a process 1, so a process can only be looked for among its own.
    const namespace = readlinkSync('/proc/self/ns/pid');
    const { beganAt } = statOf(pid);
    return `${boot}/${namespace}/${beganAt}`;
  } catch {
    return undefined;
  }
}

/** @throws {Error} there is no such process, or the OS does not show it (`man proc_pid_stat`: the name may have blanks and brackets) */
function statOf(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, beganAt: fields[18] };
}

/** The name of a claim's owner: host, process id and start, and what `isGone` needs where the OS gives it. */
export function ownerName(startedAt: number): string {
  const name = `${hostname()}/${process.pid}/${startedAt}`;
  const mark = markOf(process.pid);
  return mark === undefined ? name : `${name}/${mark}`;
}

/** Whether the owner was a process of this machine and is none any more. False: it lives, or only its heartbeat can tell. */
export function isGone(owner: string): boolean {
  const [, pid = '', , ...mark] = owner.split('/');
  const own = ownMark?.split('/') ?? [];
  const isOfHere = mark.length === own.length && mark.length > 0 && mark[0] === own[0] && mark[1] === own[1];
  return isOfHere && !isRunning(Number(pid), mark.at(-1));
}

const ownMark = markOf(process.pid);

function isRunning(pid: number, beganAt: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  try {
    const found = statOf(pid);
    // A zombie only waits for its parent to read its exit status.
    return found.beganAt === beganAt && found.state !== 'Z' && found.state !== 'X';
  } catch {
    return true;
  }
}
