/** The power fails the moment after an answer: what was answered while somebody was still to be told is on disk. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { post } from '../../support/bridge-world.ts';
import {
  afterPowerCut,
  type FlushedDisk,
  makeFlushedDisk,
  mayMakeFlushedDisks,
} from '../../support/flushed-disk.ts';
import { noise } from '../../support/noise.ts';
import { deliveriesIn } from '../../support/proof-ledger.ts';
import { keyedCallbacks } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProgramWorld, type ProgramWorld, SLACK_OPS } from '../../support/program-world.ts';
import { itAtFullSize } from '../../support/test-size.ts';

/** What a power cut may leave of the two files, at the extremes: only what was flushed of them, or all that was written. */
const EXTREMES = ['flushed', 'written'] as const;
const LEFT = EXTREMES.flatMap((file) => EXTREMES.map((log) => ({ file, log })));

if (mayMakeFlushedDisks('a power cut under SQLite')) {
  describe('A power cut under a SQLite ledger', () => {
    let disk: FlushedDisk;
    let world: ProgramWorld;

    before('a library is compiled that is preloaded', () => {
      disk = makeFlushedDisk();
    });

    after(() => disk.remove());

    afterEach(() => world.close());

    const start = async (receiver: string, fault?: SlackFault) => {
      const delivery = 'attempts_per_request: 1';
      world = await createProgramWorld({ receiver, delivery, faultOf: () => fault });
      return world.start({}, disk.variables(world.folder));
    };

    /** Every ledger that the cut may leave: sound, and with a line for each of the jobs. */
    const expectAllToBeKept = async (jobs: readonly string[]) => {
      for (const [index, survives] of LEFT.entries()) {
        const left = afterPowerCut(world.file, join(world.folder, `left-${index}`), survives);
        const database = new DatabaseSync(left);
        const check: unknown = database.prepare('pragma integrity_check').get();
        expect(check, JSON.stringify(survives)).to.deep.equal({ integrity_check: 'ok' });
        database.close();
        const lines = (['pending', 'delivered'] as const).map((state) =>
          deliveriesIn(`sqlite:${left}`, state),
        );
        const kept = new Set((await Promise.all(lines)).flat());
        const missing = jobs.filter((job) => !kept.has(`${job} ${SLACK_OPS}`));
        expect(missing, JSON.stringify(survives)).to.deep.equal([]);
      }
    };

    const jobOf = (callback: Record<string, unknown>) => String(callback['job_id']);

    for (const { name, receiver, fault, status } of [
      { name: '`accepted`', receiver: 'answer_when: accepted', fault: { kind: 'hang' }, status: 200 },
      { name: '502', receiver: '', fault: { kind: 'status', status: 503 }, status: 502 },
      { name: '`taken_over`', receiver: 'answer_within: 1s', fault: { kind: 'hang' }, status: 200 },
    ] as const) {
      it(`the moment after a single ${name} leaves it on disk`, async () => {
        const victim = await start(receiver, fault);
        const [callback = {}] = keyedCallbacks(1);
        let answer = await post(victim.callbacksUrl, callback);
        // On a machine too busy to write in time; the service posts again, too.
        while (answer.status === 504) answer = await post(victim.callbacksUrl, callback);
        victim.kill('SIGKILL');
        await victim.exited();
        expect(answer.status).to.equal(status);
        await expectAllToBeKept([jobOf(callback)]);
      });
    }

    itAtFullSize('at any moment of a load that has the log moved leaves all that was accepted', async () => {
      const victim = await start('answer_when: accepted');
      const callbacks = keyedCallbacks(2000, { unknown: noise(30_000) });
      const accepted: string[] = [];
      const posters = Array.from({ length: 50 }, async () => {
        for (let next = callbacks.pop(); next !== undefined; next = callbacks.pop()) {
          const answer = await post(victim.callbacksUrl, next).catch(() => undefined);
          if (answer === undefined) return;
          expect(answer.status).to.equal(200);
          accepted.push(jobOf(next));
        }
      });
      // With some 35 kB each, the log has been moved a few times by then.
      await until('some hundreds are accepted', () => accepted.length > 600);
      victim.kill('SIGKILL');
      const known = [...accepted];
      await Promise.all([victim.exited(), ...posters]);
      expect(statSync(world.file).size, 'the log has been moved').to.be.greaterThan(8 * 1024 * 1024);
      await expectAllToBeKept(known);
    });
  });
}
