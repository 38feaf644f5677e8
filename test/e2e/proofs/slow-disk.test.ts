/** A disk that takes long to flush: only what must be on it waits for it, and the process stays alive meanwhile. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import { post } from '../../support/bridge-world.ts';
import {
  type FlushedDisk,
  flushesIn,
  makeFlushedDisk,
  mayMakeFlushedDisks,
  slowDown,
} from '../../support/flushed-disk.ts';
import { noise } from '../../support/noise.ts';
import type { ServeProcess } from '../../support/process.ts';
import { keyedCallback, keyOf, pairsOf } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import {
  createProofWorld,
  type ProofSettings,
  type ProofWorld,
  DESTINATIONS,
} from '../../support/proof-world.ts';

const FLUSH_MS = 400;
const MEGABYTE = 1024 * 1024;

/** Some 6 MB in the ledger's log, so that it is moved. What is in an unknown field is kept, and shown to nobody. */
const CALLBACKS = 240;
const FIELDS = { unknown: noise(25_000) };
const AT_ONCE = 20;

if (mayMakeFlushedDisks('a slow disk')) {
  describe('On a disk that takes 400 ms a flush', () => {
    let disk: FlushedDisk;
    let world: ProofWorld;
    let botbell: ServeProcess;

    before('a library is compiled that is preloaded', () => {
      disk = makeFlushedDisk();
    });

    after(() => disk.remove());

    afterEach(() => world.close());

    const start = async (settings: ProofSettings, flushMs = FLUSH_MS) => {
      world = await createProofWorld(settings);
      botbell = await world.start({}, disk.variables(world.folder));
      slowDown(world.folder, flushMs);
    };

    /** How often /healthz is answered until `work` is through. */
    const healthDuring = async (work: Promise<unknown>) => {
      let answers = 0;
      const over = new AbortController();
      const working = work.finally(() => over.abort());
      const healthz = `${new URL(botbell.callbacksUrl).origin}/healthz`;
      for (; !over.signal.aborted; answers += 1) {
        const { statusCode, body } = await request(healthz);
        await body.dump();
        expect(statusCode).to.equal(200);
        await sleep(5);
      }
      await working;
      return answers;
    };

    const postOne = async (number: number, fields: Readonly<Record<string, unknown>> = {}) => {
      const callback = keyedCallback(keyOf(number), fields);
      const startedAt = performance.now();
      const { status, body } = await post(botbell.callbacksUrl, callback);
      return { callback, status, result: body.result, ms: performance.now() - startedAt };
    };

    const postMany = async () => {
      const answers: Awaited<ReturnType<typeof postOne>>[] = [];
      for (let number = 0; number < CALLBACKS; number += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, (_, index) => postOne(number + index, FIELDS));
        answers.push(...(await Promise.all(some)));
      }
      return answers;
    };

    for (const answer_when of ['accepted', 'delivered']) {
      it(`in ${answer_when} mode it stays alive under load while its log is moved into the file`, async () => {
        await start({ receiver: `answer_when: ${answer_when}` });
        const work = postMany();
        const flushesBefore = flushesIn(world.folder).length;
        await healthDuring(work);
        const answers = await work;
        expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
        // A page that several commits write stands in the log as often, and in the file once.
        await until('the log has been moved', () => statSync(world.file).size > 2 * MEGABYTE);
        expect(flushesIn(world.folder).slice(flushesBefore)).to.include('other').and.not.to.include('main');
        const expected = pairsOf(
          answers.map(({ callback }) => callback),
          DESTINATIONS,
        );
        await until('everybody is told', () => world.told().length === expected.length);
        expect(world.told().toSorted()).to.deep.equal(expected.toSorted());
      });
    }

    it('an `accepted` comes after the flush, and /healthz is answered meanwhile', async () => {
      await start({ receiver: 'answer_when: accepted' });
      const posting = postOne(1);
      expect(await healthDuring(posting), 'answers by /healthz until then').to.be.at.least(3);
      const { result, ms } = await posting;
      expect(result).to.equal('accepted');
      expect(ms).to.be.at.least(FLUSH_MS);
    });

    it('a 502 comes after the flush, and a 200 to another callback does not wait for it', async () => {
      // Longer than an answer takes on a machine that is busy.
      const flushMs = 5000;
      await start({ delivery: 'attempts_per_request: 1' }, flushMs);
      world.slack.faults.push({ kind: 'status', status: 503 });
      const failed = postOne(1);
      await until('Slack has failed', () => world.slack.calls.length === 1);
      await until('its mail is told', () => world.mail.mails.length === 1);
      const told = await postOne(2);
      expect([told.status, told.result]).to.deep.equal([200, 'delivered']);
      expect(told.ms).to.be.lessThan(flushMs);
      const { status, ms } = await failed;
      expect(status).to.equal(502);
      expect(ms).to.be.at.least(flushMs);
    });
  });
}
