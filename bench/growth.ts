/**
 * What more callbacks in the ledger and more routes cost. All variants live at once and take turns, window by window, so
 * that a machine that gets slower in between is not read as growth.
 */
import { join } from 'node:path';
import { writeCallbacks } from './callbacks.ts';
import { keepNewest } from './keep-newest.ts';
import { Load } from './load.ts';
import { deliverAll } from './measure.ts';
import { forgettingMicros } from './forgetting.ts';
import { type JobCost, measureLongJobs } from './long-jobs.ts';
import type { GrowthEffort } from './options.ts';
import { discard, folderOnDisk } from './scratch.ts';
import type { StandIns } from './stand-ins.ts';
import { orderInRound } from './statistics.ts';
import { botbell, type BotbellOptions, type Running } from './subjects.ts';

const SMALL_LEDGER = 1000;

/** More than a million callbacks take: none of them is to be forgotten early. */
const ROOM = { maxSize: '16gb' };

/** Posted and proven at once, while the ledger is filled. */
const PORTION = 20_000;
const ROUTES = [10, 1000, 10_000];

/** Not counted: who has waited for its turn must first find its connections and caches again. */
const LEAD_IN = 500;

/** What one process holds in memory after so many callbacks. */
export interface Age {
  readonly callbacks: number;
  readonly residentMb: number;
}

/** One size of the ledger or of the config, with all that was measured of it. */
export interface Variant {
  readonly size: number;
  /** CPU µs per notification, one for each window; the same index is the same turn in all variants. */
  readonly windows: number[];
  /** Once a round, after the same work for all. */
  readonly residentMb: number[];
  readonly firstAnswerMs: number[];
  readonly options: BotbellOptions;
  /** Its ledger is brought back to so many callbacks before each window. */
  readonly keeps?: number;
}

/** What it costs the retention to forget a callback. */
export interface Forgetting {
  /** In the ledger. */
  readonly callbacks: number;
  /** CPU µs, one for each round. */
  readonly micros: number[];
}

export interface Growth {
  readonly ages: readonly Age[];
  readonly ledgers: readonly Variant[];
  readonly routes: readonly Variant[];
  readonly forgetting: readonly Forgetting[];
  readonly jobs: readonly JobCost[];
}

export async function measureGrowth(
  standIns: StandIns,
  effort: GrowthEffort,
  common: BotbellOptions,
): Promise<Growth> {
  const folder = folderOnDisk();
  try {
    const [small, full] = [join(folder, 'small.db'), join(folder, 'full.db')];
    await fillLedger(small, standIns, [SMALL_LEDGER], common);
    const ages = await fillLedger(full, standIns, agesUpTo(effort.full), common);
    const ledgers = [
      variant(SMALL_LEDGER, { ...common, ledger: small }, SMALL_LEDGER),
      variant(effort.full, { ...common, ...ROOM, ledger: full }),
    ];
    const forgetting = await measureForgetting(
      [
        [small, SMALL_LEDGER],
        [full, effort.full],
      ],
      effort,
    );
    const routes = ROUTES.map((count) => variant(count, { ...common, routes: count }));
    for (let round = 0; round < effort.rounds; round += 1) {
      console.error(`growth: round ${round + 1} of ${effort.rounds}`);
      await measureInTurns(orderInRound([...ledgers, ...routes], round), standIns, effort);
    }
    const jobs = await measureLongJobs(standIns, effort, common);
    return { ages, ledgers, routes, forgetting, jobs };
  } finally {
    discard(folder);
  }
}

function variant(size: number, options: BotbellOptions, keeps?: number): Variant {
  const kept = keeps === undefined ? {} : { keeps };
  return { size, windows: [], residentMb: [], firstAnswerMs: [], options, ...kept };
}

/** Leaves a ledger of many callbacks at the path. */
async function fillLedger(
  path: string,
  standIns: StandIns,
  counts: readonly number[],
  common: BotbellOptions,
): Promise<Age[]> {
  console.error(`growth: ${counts.at(-1)} callbacks by one process`);
  const ages: Age[] = [];
  const running = await botbell('filler', { ...common, ...ROOM, keepsLedgerAt: path }).start(standIns);
  const load = new Load(running.url);
  try {
    let sent = 0;
    for (const callbacks of counts) {
      for (; sent < callbacks; sent += Math.min(PORTION, callbacks - sent))
        await deliverAll(load, Math.min(PORTION, callbacks - sent), standIns);
      ages.push({ callbacks, residentMb: running.child.memoryMb().now });
    }
  } finally {
    await load.close();
    await running.end();
  }
  return ages;
}

function agesUpTo(full: number): number[] {
  return [full / 100, full / 10, full / 2, full];
}

/** In turns; the first one, which finds nothing compiled yet, does not count. */
async function measureForgetting(
  ledgers: readonly (readonly [file: string, callbacks: number])[],
  { rounds }: GrowthEffort,
): Promise<Forgetting[]> {
  const forgetting = ledgers.map(([file, callbacks]) => ({ file, callbacks, micros: [] as number[] }));
  await forgettingMicros(forgetting[0]?.file ?? '');
  for (let round = 0; round < rounds; round += 1) {
    for (const { file, micros } of orderInRound(forgetting, round)) micros.push(await forgettingMicros(file));
  }
  return forgetting;
}

class MeasuredProcess {
  readonly #variant: Variant;
  readonly #running: Running;
  readonly #load: Load;
  readonly #standIns: StandIns;

  private constructor(variant: Variant, running: Running, standIns: StandIns) {
    this.#variant = variant;
    this.#running = running;
    this.#load = new Load(running.url);
    this.#standIns = standIns;
  }

  static async start(variant: Variant, standIns: StandIns, warmUp: number): Promise<MeasuredProcess> {
    const running = await botbell(`${variant.size}`, variant.options).start(standIns);
    const measured = new MeasuredProcess(variant, running, standIns);
    await measured.#firstAnswer();
    await deliverAll(measured.#load, warmUp, standIns);
    return measured;
  }

  async #firstAnswer(): Promise<void> {
    const first = writeCallbacks(1);
    await this.#load.post(first.bodies[0]);
    this.#variant.firstAnswerMs.push(this.#running.child.sinceStartMs());
    await this.#standIns.verify(first);
  }

  async measureWindow(count: number): Promise<void> {
    const { keeps, windows } = this.#variant;
    if (keeps !== undefined) keepNewest(this.#running.ledger ?? '', keeps);
    await deliverAll(this.#load, LEAD_IN, this.#standIns);
    const before = this.#running.child.cpuMicros();
    await deliverAll(this.#load, count, this.#standIns);
    windows.push((this.#running.child.cpuMicros() - before) / count);
  }

  async end(): Promise<void> {
    this.#variant.residentMb.push(this.#running.child.memoryMb().now);
    await this.#load.close();
    await this.#running.end();
  }
}

async function measureInTurns(
  variants: readonly Variant[],
  standIns: StandIns,
  { warmUp, windows, measured }: GrowthEffort,
): Promise<void> {
  const processes: MeasuredProcess[] = [];
  try {
    for (const each of variants) processes.push(await MeasuredProcess.start(each, standIns, warmUp));
    for (let turn = 0; turn < windows; turn += 1) {
      for (const process of orderInRound(processes, turn)) await process.measureWindow(measured);
    }
  } finally {
    for (const process of processes) await process.end();
  }
}
