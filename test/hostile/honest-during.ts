/** What honest clients see of an attack, and how much the program was at work while it kept each of them waiting. */
import { Samples } from '../fuzz/samples.ts';
import type { HonestSeen } from '../support/honest-prober.ts';
import type { HostileProgram } from '../support/hostile-program.ts';
import { cpuUntilGone } from './cpu-until-gone.ts';

export interface HonestWaits extends HonestSeen {
  /**
   * Milliseconds of CPU that the program had at most while one callback waited for its answer, or one /healthz: what the
   * others cost it, however busy the machine is with other things.
   */
  readonly mostWorkMs: number;
}

export async function honestDuring(
  program: HostileProgram,
  attack: () => Promise<void>,
): Promise<HonestWaits> {
  const samples = new Samples({ cpuMs: cpuUntilGone(program), rss: () => 0 }, () => undefined);
  try {
    const honest = await program.startHonest();
    await attack();
    const seen = await honest.stop();
    const waits = [...seen.posts, ...seen.health].map(({ at, ms }) => samples.cpuMs(at, ms));
    return { ...seen, mostWorkMs: Math.max(...waits) };
  } finally {
    samples.stop();
  }
}
