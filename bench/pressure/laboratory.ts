/** What every scenario needs, each time new, and all of it gone when the scenario ends. */
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { discard, folderOnDisk } from '../scratch.ts';
import { StandIns } from '../stand-ins.ts';
import { Bridge, type BridgeSettings } from './bridge.ts';
import { JobService } from './job-service.ts';
import { type Seed, seedLedger } from './ledger-seed.ts';
import type { Setup } from './setup.ts';
import { Remotes, type RemotesSettings } from './remotes.ts';

type CleanUp = () => void | Promise<void>;

export class Laboratory {
  readonly setup: Setup;
  readonly #postgres: PostgresServer | undefined;
  readonly #cleanUps: CleanUp[] = [];

  private constructor(setup: Setup, postgres: PostgresServer | undefined) {
    this.setup = setup;
    this.#postgres = postgres;
  }

  static async start(setup: Setup): Promise<Laboratory> {
    const postgres = setup.store === 'postgres' ? await startPostgres() : undefined;
    // Whoever is interrupted leaves no server behind.
    if (postgres !== undefined) process.once('exit', () => void postgres.stop());
    return new Laboratory(setup, postgres);
  }

  /** Strict ones, in a process of their own. */
  async remotes(settings: RemotesSettings): Promise<Remotes> {
    const remotes = await Remotes.start(settings);
    this.#cleanUps.push(() => remotes.close());
    return remotes;
  }

  /** Ones that take everything and only count: for loads that the strict ones would slow down. */
  async fastRemotes(): Promise<StandIns> {
    const standIns = await StandIns.start();
    this.#cleanUps.push(() => standIns.close());
    return standIns;
  }

  async bridge(settings: Omit<BridgeSettings, 'store'>, seeds: readonly Seed[] = []): Promise<Bridge> {
    const store = await this.#newStore();
    if (seeds.length > 0) await seedLedger(store, seeds);
    const bridge = await Bridge.start(this.setup, { ...settings, store });
    this.#cleanUps.push(() => bridge.end());
    return bridge;
  }

  service(bridge: Bridge): JobService {
    const service = new JobService(bridge.urls);
    this.#cleanUps.push(() => service.stop());
    return service;
  }

  async #newStore(): Promise<string> {
    if (this.#postgres !== undefined) return this.#postgres.createDatabase();
    const folder = folderOnDisk();
    this.#cleanUps.push(() => discard(folder));
    return `sqlite:${join(folder, 'botbell.db')}`;
  }

  /** What was made last goes first: nobody posts to a bridge that is ending. */
  async clear(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).toReversed()) await cleanUp();
  }

  async close(): Promise<void> {
    await this.clear();
    await this.#postgres?.close();
  }
}
