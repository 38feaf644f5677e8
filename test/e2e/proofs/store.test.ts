/** A store that is full, locked, read-only or copied: the program says so, lives on, and forgets nothing that it knew. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { request } from 'undici';
import { post } from '../../support/bridge-world.ts';
import { isInstalled } from '../../support/installed.ts';
import type { ServeProcess } from '../../support/process.ts';
import { deliveriesIn } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallback, keyedCallbacks, keyOf, pairsOf } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';

const KIBIBYTE = 1024;
const DISK_KIBIBYTES = 4096;

/** Who waits for a store that does not come need not wait for long. */
const SOON = 'answer_within: 3s';

/** Needs Linux, root, and a container that may mount. @returns what takes it away; undefined where it is not permitted */
function mountSmallDisk(folder: string): (() => void) | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_KIBIBYTES}k`, 'botbell-test', folder];
  if (spawnSync('mount', options).status !== 0) return undefined;
  // A process that is just ending may still hold a file there.
  return () => void spawnSync('umount', ['--lazy', folder]);
}

async function statusOf(url: string): Promise<number> {
  const { statusCode, body } = await request(url);
  await body.dump();
  return statusCode;
}

describe('The store', () => {
  let world: ProgramWorld;

  afterEach(() => world.close());

  const serviceTo = ({ callbacksUrl }: ServeProcess) =>
    new JobService({ urlOf: () => callbacksUrl, retryMs: 100, concurrency: 8 });

  /** By the service's retries, or by Botbell itself, which may have taken over what was admitted too late. */
  const expectToldOnce = async (botbell: ServeProcess, callbacks: readonly Record<string, unknown>[]) => {
    await serviceTo(botbell).postAll(callbacks);
    const expected = pairsOf(callbacks, DESTINATIONS).sort();
    await until('everybody is told', () => world.told().length >= expected.length);
    expect(world.told().sort()).to.deep.equal(expected);
  };

  /** Posts until the store takes no more, large callbacks first. @returns what was posted, refused ones included */
  const fill = async (botbell: ServeProcess) => {
    const callbacks: Record<string, unknown>[] = [];
    for (const message of ['x'.repeat(8 * KIBIBYTE), 'x']) {
      for (let status = 200; status === 200;) {
        if (callbacks.length > 1000) throw new Error('the store never became full');
        const callback = keyedCallback(keyOf(callbacks.length), { message });
        callbacks.push(callback);
        const answer = await post(botbell.callbacksUrl, callback);
        status = answer.status;
        if (status !== 200) expect([status, answer.headers['retry-after']]).to.deep.equal([503, '30']);
      }
    }
    return callbacks;
  };

  /** What a full store must look like from outside, and how it must be once there is room. */
  const expectToBearAFullStore = async (botbell: ServeProcess, makeRoom: () => void) => {
    const callbacks = await fill(botbell);
    expect(await statusOf(`${botbell.adminUrl}/healthz`)).to.equal(200);
    expect((await post(botbell.callbacksUrl, callbacks.at(-1))).status, 'still full').to.equal(503);
    makeRoom();
    await until('it is ready again', async () => (await statusOf(`${botbell.adminUrl}/readyz`)) === 200);
    await expectToldOnce(botbell, callbacks);
  };

  if (process.platform === 'linux' && isInstalled('prlimit', 'a store that may not grow')) {
    it('that may not grow: 503 with Retry-After, alive; by itself well again once there is room', async () => {
      world = await createProgramWorld({ delivery: 'take_over_after: 1s' });
      const limit = String(600 * KIBIBYTE);
      const botbell = await world.start({ wrapper: ['prlimit', `--fsize=${limit}:unlimited`] });
      await expectToBearAFullStore(botbell, () => {
        const { status } = spawnSync('prlimit', ['--pid', String(botbell.pid), '--fsize=unlimited']);
        expect(status).to.equal(0);
      });
    });
  }

  // Elsewhere the limit above has to do.
  const folder = tempFolder();
  const unmount = mountSmallDisk(folder);
  if (unmount !== undefined) {
    after(unmount);

    it('on a disk that somebody else fills: the same', async () => {
      world = await createProgramWorld({ store: `sqlite:${folder}/botbell.db` });
      const botbell = await world.start();
      const ballast = join(folder, 'ballast');
      writeFileSync(ballast, Buffer.alloc((DISK_KIBIBYTES / 2) * KIBIBYTE));
      await expectToBearAFullStore(botbell, () => rmSync(ballast));
    });
  }

  it('that another process has locked: 503 with Retry-After; then told once', async () => {
    world = await createProgramWorld({ receiver: SOON, delivery: 'take_over_after: 1s' });
    const botbell = await world.start();
    const [first = {}, second = {}] = keyedCallbacks(2);
    await serviceTo(botbell).postAll([first]);
    const other = new DatabaseSync(world.file);
    other.exec('begin exclusive');
    const answer = await post(botbell.callbacksUrl, second);
    expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '30']);
    expect(await statusOf(`${botbell.adminUrl}/healthz`)).to.equal(200);
    other.exec('rollback');
    other.close();
    await expectToldOnce(botbell, [first, second]);
  });

  const isRoot = process.getuid?.() === 0;
  // Root may write whatever the mode says, unless it gives that up.
  if (!isRoot || isInstalled('setpriv', 'a store that cannot be written')) {
    it('that cannot be written at the start is named, and the program does not run on it', async () => {
      world = await createProgramWorld();
      const first = await world.start();
      first.kill('SIGTERM');
      await first.exited();
      chmodSync(world.file, 0o444);
      chmodSync(world.folder, 0o555);
      const wrapper = isRoot ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const outcome: unknown = await world.start({ wrapper }).catch((error: unknown) => error);
      chmodSync(world.folder, 0o755);
      expect(String(outcome)).to.match(
        /it ended with 1: .*store\.url.*cannot be used: .*permission denied/is,
      );
    });
  }

  it('is one file once the program has been stopped: its log is in it', async () => {
    world = await createProgramWorld();
    const botbell = await world.start();
    const callbacks = keyedCallbacks(5);
    await serviceTo(botbell).postAll(callbacks);
    await until('all is written down', () => deliveriesIn(world.file, 'pending').length === 0);
    botbell.kill('SIGTERM');
    await botbell.exited();
    const copy = join(world.folder, 'copy.db');
    copyFileSync(world.file, copy);
    expect(deliveriesIn(copy, 'delivered').sort()).to.deep.equal(pairsOf(callbacks, DESTINATIONS).sort());
  });
});
