/** The next version, made up, which adds a column: built beside this one, it takes its place and gives it back. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { forAll } from '../../support/anew.ts';
import { startOwnPostgres } from '../../support/postgres-server.ts';
import { MAIN, type ServeProcess } from '../../support/process.ts';
import { deliveriesIn } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sized } from '../../support/test-size.ts';

const ROOT = join(import.meta.dirname, '../../..');

const CALLBACKS = sized(60, 400);

/** @returns the program of a version whose schema has one column more */
function buildNext(): string {
  const folder = tempFolder();
  for (const each of [
    'src',
    'scripts',
    'config',
    'templates',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, each), join(folder, each), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const schema = join(folder, 'src/ledger/shared/schema.ts');
  const text = readFileSync(schema, 'utf8');
  const step = `{ statements: ["ALTER TABLE callbacks ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'"], oldest: FIRST_VERSION },`;
  const next = text.replace(
    /(export const MIGRATIONS[^]*?)\n\];/,
    (_, before: string) => `${before}\n  ${step}\n];`,
  );
  expect(next).to.not.equal(text);
  writeFileSync(schema, next);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).to.deep.equal([0, '']);
  return join(folder, 'dist/main.js');
}

describe('The next minor version', () => {
  let world: ProgramWorld;
  const server = forAll(() => startOwnPostgres());

  afterEach(() => world.close());

  it('takes the place of two replicas one by one, and gives it back, while callbacks come: each is told once', async () => {
    const next = buildNext();
    const url = await server.createDatabase();
    world = await createProgramWorld({ store: url, delivery: 'take_over_after: 5s' });
    const replicas: [ServeProcess, ServeProcess] = [await world.start(), await world.start()];
    let turn = 0;
    const urlOf = () => replicas[(turn += 1) % 2 === 0 ? 0 : 1].callbacksUrl;
    const callbacks = keyedCallbacks(CALLBACKS);
    const everybody = pairsOf(callbacks, DESTINATIONS);
    const service = new JobService({ urlOf, retryMs: 100, concurrency: 2 });
    const replace = async (index: 0 | 1, main: string) => {
      replicas[index].kill('SIGTERM');
      expect(await replicas[index].exited(), replicas[index].log()).to.equal(0);
      replicas[index] = await world.start({ main });
    };
    const posting = (async () => {
      const fifth = CALLBACKS / 5;
      for (let part = 0; part < 5; part += 1)
        await service.postAll(callbacks.slice(part * fifth, (part + 1) * fifth));
    })();
    for (const main of [next, MAIN])
      for (const index of [0, 1] as const) {
        await replace(index, main);
        const told = world.told().length;
        await until('it goes on', () => world.told().length > Math.min(told, everybody.length - 1));
      }
    await posting;
    const pending = async () => (await deliveriesIn(url, 'pending')).length;
    await until('everything is delivered', async () => (await pending()) === 0);
    const { missing, repeated } = tally(world.told(), everybody);
    expect([missing, [...repeated]]).to.deep.equal([[], []]);
  });
});
