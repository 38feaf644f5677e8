/** Measures one subject once, from its start to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { writeCallbacks } from './callbacks.ts';
import { Load } from './load.ts';
import { Metronome } from './metronome.ts';
import { StandIns } from './stand-ins.ts';
import { percentile } from './statistics.ts';
import type { Running, Subject } from './subjects.ts';

export const LARGE_BYTES = 20_000;

/** Callbacks a second in the open loop. */
export const FIXED_RATE = 300;

/** Wait before idle memory is read: time to free what only the start needed. */
const IDLE_AFTER_MS = 1500;

/** The first seconds do not count, since the rate has just dropped from saturation. */
const OPEN_LOOP_LEAD_IN_SECONDS = 1;

export interface Effort {
  readonly rounds: number;
  /** Callbacks that do not count: the first thousands take twice the CPU, until code is compiled. */
  readonly warmUp: number;
  readonly measured: number;
  readonly openLoopSeconds: number;
  readonly measuredLarge: number;
}

export interface Figures {
  readonly perSecond: number;
  readonly perSecondLarge: number;
  /** User and system time per delivered notification: as fast as they are answered, of 20 kB, and at the fixed rate. */
  readonly cpuMicros: number;
  readonly cpuMicrosLarge: number;
  readonly cpuMicrosAtRate: number;
  readonly p50: number;
  readonly p99: number;
  readonly idleMb: number;
  readonly peakMb: number;
  readonly firstAnswerMs: number;
}

export interface Laboratory {
  readonly standIns: StandIns;
  readonly metronome: Metronome;
}

export async function measure(
  subject: Subject,
  { standIns, metronome }: Laboratory,
  effort: Effort,
): Promise<Figures> {
  const running = await subject.start(standIns);
  const load = new Load(running.url);
  try {
    const fresh = await measureStart(running, load, standIns);
    await deliverAll(load, effort.warmUp, standIns);
    const small = await measureSaturation(running, load, standIns, effort.measured);
    const large = await measureSaturation(running, load, standIns, effort.measuredLarge, LARGE_BYTES);
    const answered = await measureLatency(running, load, { standIns, metronome }, effort);
    const ofLarge = { perSecondLarge: large.perSecond, cpuMicrosLarge: large.cpuMicros };
    return { ...fresh, ...small, ...ofLarge, ...answered, peakMb: running.child.memoryMb().peak };
  } finally {
    await load.close();
    await running.end();
  }
}

async function measureStart({ child }: Running, load: Load, standIns: StandIns) {
  const first = writeCallbacks(1);
  await load.post(first.bodies[0]);
  const firstAnswerMs = child.sinceStartMs();
  await standIns.verify(first);
  await sleep(IDLE_AFTER_MS);
  return { firstAnswerMs, idleMb: child.memoryMb().now };
}

async function measureSaturation(
  { child }: Running,
  load: Load,
  standIns: StandIns,
  count: number,
  bytes?: number,
) {
  const cpuBefore = child.cpuMicros();
  const perSecond = await deliverAll(load, count, standIns, bytes);
  return { perSecond, cpuMicros: (child.cpuMicros() - cpuBefore) / count };
}

async function measureLatency({ child }: Running, load: Load, laboratory: Laboratory, effort: Effort) {
  const leadIn = FIXED_RATE * OPEN_LOOP_LEAD_IN_SECONDS;
  const count = leadIn + FIXED_RATE * effort.openLoopSeconds;
  const cpuBefore = child.cpuMicros();
  const latencies = await deliverAtRate(load, count, FIXED_RATE, laboratory);
  const cpuMicrosAtRate = (child.cpuMicros() - cpuBefore) / latencies.length;
  const at = (share: number) => percentile(latencies.slice(leadIn), share);
  return { cpuMicrosAtRate, p50: at(0.5), p99: at(0.99) };
}

/** Posts callbacks as fast as they are answered, and waits for the last message. @returns callbacks answered per second */
export async function deliverAll(
  load: Load,
  count: number,
  standIns: StandIns,
  bytes?: number,
): Promise<number> {
  const batch = writeCallbacks(count, bytes);
  const perSecond = await load.saturate(batch);
  await standIns.verify(batch);
  return perSecond;
}

/** Posts callbacks at a fixed rate, and waits for the last message. @returns latencies in milliseconds */
export async function deliverAtRate(
  load: Load,
  count: number,
  perSecond: number,
  { standIns, metronome }: Laboratory,
): Promise<number[]> {
  const batch = writeCallbacks(count);
  const latencies = await load.atRate(batch, perSecond, metronome);
  await standIns.verify(batch);
  return latencies;
}

interface Started extends Laboratory {
  readonly running: Running;
  readonly load: Load;
}

/** Starts a subject with a laboratory of its own, and ends both. */
export async function withStarted<T>(subject: Subject, act: (started: Started) => Promise<T>): Promise<T> {
  const standIns = await StandIns.start();
  const metronome = new Metronome();
  const running = await subject.start(standIns);
  const load = new Load(running.url);
  try {
    return await act({ standIns, metronome, running, load });
  } finally {
    await load.close();
    await running.end();
    await metronome.close();
    await standIns.close();
  }
}
