/** Measures several subjects in turns, with the same stand-ins. */
import { allCallbacks } from './callbacks.ts';
import { type Effort, type Figures, measure } from './measure.ts';
import { Metronome } from './metronome.ts';
import type { Measured } from './report.ts';
import { StandIns } from './stand-ins.ts';
import { orderInRound } from './statistics.ts';
import type { Subject } from './subjects.ts';

/** Measures each subject once in each round, in an order that changes from round to round. */
export async function compare(subjects: readonly Subject[], effort: Effort): Promise<readonly Measured[]> {
  const standIns = await StandIns.start();
  const metronome = new Metronome();
  const measured = subjects.map((subject) => ({ subject, rounds: [] as Figures[] }));
  try {
    for (let round = 0; round < effort.rounds; round += 1) {
      for (const { subject, rounds } of orderInRound(measured, round)) {
        console.error(`round ${round + 1} of ${effort.rounds}: ${subject.name}`);
        rounds.push(await measure(subject, { standIns, metronome }, effort));
      }
    }
    await standIns.verify(allCallbacks());
  } finally {
    await metronome.close();
    await standIns.close();
  }
  return measured.map(({ subject: { name }, rounds }) => ({ name, rounds }));
}
