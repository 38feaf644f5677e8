/** The program's CPU time, which nobody can tell any more once it is gone: then what it last was. */
import type { HostileProgram } from '../support/hostile-program.ts';

export function cpuUntilGone(program: Pick<HostileProgram, 'cpuMs'>): () => number {
  let last = 0;
  return () => {
    try {
      last = program.cpuMs();
    } catch {
      // It is gone.
    }
    return last;
  };
}
