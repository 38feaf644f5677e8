/** A ledger in which the office's last two weeks stand: posted, told, failed and given up by the product itself, in quick time. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { post } from '../../support/bridge-world.ts';
import type { SlackFault } from '../../support/faulty-slack.ts';
import type { RunningApp } from '../../../src/app/app.ts';
import { startTestApp } from '../../support/started-app.ts';
import { officeConfig } from './office-config.ts';
import { ARCHIVED, type Remotes, startRemotes } from './remotes.ts';
import { TravelClock } from './travel-clock.ts';
import { type Scene, type Trouble, twoWeeksUntil } from './two-weeks.ts';

const made = new Map<number | undefined, Promise<string>>();

/**
 * Made once in a process, and copied for each.
 * @param to the file that is to become the ledger
 * @param end when the two weeks end; now, where it is left out
 */
export async function copyOfficeLedger(to: string, end?: number): Promise<void> {
  let file = made.get(end);
  if (file === undefined) {
    file = makeLedger(end ?? Date.now());
    made.set(end, file);
  }
  copyFileSync(await file, to);
}

async function makeLedger(end: number): Promise<string> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'botbell-office-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [file, config] = [join(folder, 'botbell.db'), join(folder, 'botbell.yaml')];
  const scenes = twoWeeksUntil(end);
  const clock = new TravelClock((scenes[0]?.at ?? end) - 1000);
  const remotes = await startRemotes();
  // At first, all channels are there.
  remotes.slackFaults.clear();
  // What is tried again within a request would be tried in real time.
  writeFileSync(config, officeConfig({ file, remotes, delivery: 'attempts_per_request: 1' }));
  const app = await startTestApp(config, { clock });
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    for (const scene of scenes) {
      await travel(scene.at, { clock, database });
      await play(scene, { app, clock, database, remotes });
    }
    await travel(end, { clock, database });
  } finally {
    database.close();
    await app.stop();
    await remotes.close();
  }
  return file;
}

interface Travel {
  readonly clock: TravelClock;
  /** To look into the ledger. */
  readonly database: DatabaseSyncInstance;
}

interface Cast extends Travel {
  readonly app: RunningApp;
  readonly remotes: Remotes;
}

/** The service posts again, 30 s after a non-2xx answer at the soonest. */
const SERVICE_RETRY_MS = 35_000;
const SERVICE_ATTEMPTS = 3;

async function play(scene: Scene, cast: Cast): Promise<void> {
  const { app, clock, remotes } = cast;
  const end = scene.trouble && cause(scene.trouble, remotes);
  for (let attempt = 1; attempt <= SERVICE_ATTEMPTS; attempt += 1) {
    const { status } = await post(`http://127.0.0.1:${app.receiver.port}/callbacks`, scene.body);
    end?.();
    if (status < 500) return;
    await travel(clock.now() + SERVICE_RETRY_MS, cast);
  }
}

const FAULTS: Readonly<Record<Trouble['kind'], SlackFault>> = {
  'slack is down': { kind: 'status', status: 503 },
  'slack limits': { kind: 'rate_limited', retryAfter: '20' },
  'channel archived': ARCHIVED,
};

/** @returns what ends it, where it ends */
function cause({ kind, channel }: Trouble, { slackFaults }: Remotes): () => void {
  slackFaults.set(channel, FAULTS[kind]);
  return () => void (kind !== 'channel archived' && slackFaults.delete(channel));
}

/** Goes from one attempt of the worker's to the next, as time does: what is attempted late would count as having waited. */
async function travel(time: number, { clock, database }: Travel): Promise<void> {
  for (let due = nextDue(database); due < time; due = nextDue(database)) {
    // The worker looks every second.
    clock.travelTo(Math.max(due, clock.now()) + WORKER_LOOKS_EVERY_MS);
    await attempted(due, database);
  }
  clock.travelTo(time);
}

/** Waits for what has begun, and a moment for what has not. */
async function attempted(due: number, database: DatabaseSyncInstance): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const isBegun = isUnderWay(database);
    if (!isBegun && (nextDue(database) > due || look > LOOKS_FOR_A_BEGINNING)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

const WORKER_LOOKS_EVERY_MS = 1000;
const LOOK_EVERY_MS = 1;
const LOOKS_FOR_A_BEGINNING = 8;
const MOST_LOOKS = 1000;

/** Milliseconds since the epoch; what waits for an earlier one of its job is not due at all. */
function nextDue(database: DatabaseSyncInstance): number {
  const statement = database.prepare(`select min(due_at) as due from deliveries where state = 'pending'`);
  const { due } = statement.get() as { readonly due: number | null };
  return due ?? Number.POSITIVE_INFINITY;
}

function isUnderWay(database: DatabaseSyncInstance): boolean {
  const claimed = `select 1 from deliveries where state = 'pending' and owner is not null limit 1`;
  return database.prepare(claimed).get() !== undefined;
}
