/** The world around the product: processes that can die at any moment, a store that they share, remotes, people, and the service that posts. */
import type { UsableConfig } from '../../src/app/settings.ts';
import { readConfigs, readingsOf, temporaryFolder } from './configs.ts';
import { type ListedDelivery, nothingYet } from './observed.ts';
import { peopleOf } from './people.ts';
import { Process, type Surroundings } from './process.ts';
import { remotesOf, STRANGE } from './remotes.ts';
import { type Fault, MINUTE, type Scenario, SECOND } from './scenario.ts';
import { serviceOf } from './service.ts';
import { storeOf } from './store.ts';
import { clocksOf, Timeline } from './timeline.ts';

/** Everything has to end within this time of the last fault: backoffs take up to fifteen minutes, pauses that a clock made up to an hour. */
const ENDS_WITHIN_MS = 80 * MINUTE;

/** Idle time is skipped, as on a machine that sleeps: with the 5 s between heartbeats, less than the 20 s for which a heartbeat counts. */
const SLEEPS_MS = 14 * SECOND;
/** While a pause lasts. Longer than a process may be silent without counting as dead, so not with replicas, which must hear of each other's pauses. */
const SLEEPS_LONG_MS = 45 * SECOND;
const SHORTEST_SLEEP_MS = 2 * SECOND;

/** What was due meanwhile begins within this time; after a long sleep, which no process has noticed, a second poll later. */
const AWAKE_MS = 300;
const AWAKE_LONG_MS = 1500;

/** The time between two checks whether all has ended. */
const LOOKS_EVERY_MS = 10 * SECOND;

/** Runs a scenario to its end. */
export async function lived(scenario: Scenario, isTracing: boolean) {
  const timeline = new Timeline();
  const observed = nothingYet();
  const trace: string[] = [];
  const clocks = clocksOf(scenario, timeline);
  const folder = temporaryFolder();
  const configs = await readConfigs(scenario.configs, folder.path);
  const slots: (Process | undefined)[] = [];
  const runs: number[] = [];
  const gone = new Set<string>();
  /** The number of the config that each slot's files hold. */
  const files = scenario.skews.map(() => 0);
  const counts = new Map<Fault, number>();
  const stopping = new Set<Process>();
  let [awakeUntil, lookAt] = [0, 0];
  let [hasEnded, isLooking] = [false, false];

  const say = (line: string): void => {
    if (isTracing) trace.push(`${(timeline.now / 1000).toFixed(3).padStart(9)} ${line}`);
  };
  const open = () => slots.filter((each): each is Process => each?.isOpen === true);
  const parts = { scenario, timeline, observed, open, say, clockOf: clocks.now };
  const remotes = remotesOf(parts);
  const service = serviceOf(parts);
  const people = peopleOf(parts);
  const surroundings: Surroundings = {
    ...parts,
    configured,
    channelOf: remotes.channelOf,
    storeOf: (process) => storeOf(parts, gone, process),
    onEvent: count,
  };

  function start(slot: number): void {
    const run = (runs[slot] ?? 0) + 1;
    runs[slot] = run;
    const process = new Process(surroundings, `p${slot}.${run}`, slot, files[slot] ?? 0);
    slots[slot] = process;
    say(`${process.name} starts with config ${process.config}`);
    const started = process.start().catch((error: unknown) => {
      say(`${process.name} cannot start: ${String(error).replace(folder.path, '')}`);
      if (process.isAlive) down(process, 5 * SECOND);
    });
    void timeline.busy(() => Promise.race([started, process.store.isInUse]));
  }

  /** The config that the files of the process hold now. */
  function configured(process: Process): UsableConfig {
    const number = files[process.slot] ?? 0;
    process.config = number;
    observed.loaded.push({ at: timeline.now, config: number, slot: process.slot });
    const read = configs[number];
    if (read === undefined) throw new Error(`there is no config ${number}`);
    return { ...read, readings: readingsOf(number, () => files[process.slot] ?? 0) };
  }

  function kill(process: Process, downFor: number): void {
    if (!process.isAlive) return;
    say(`${process.name} is killed`);
    down(process, downFor);
    timeline.after(1, () => void timeline.busy(() => process.store.close()));
  }

  function down(process: Process, downFor: number): void {
    const { slot } = process;
    process.end();
    gone.add(process.name);
    observed.ends.push({ at: timeline.now, process });
    slots[slot] = undefined;
    timeline.ofWorld(downFor, () => {
      if (slots[slot] === undefined) start(slot);
    });
  }

  async function stop(process: Process, downFor: number): Promise<void> {
    // The program ignores a second signal.
    if (!process.isOpen || process.app === undefined || stopping.has(process)) return;
    stopping.add(process);
    say(`${process.name} is stopped`);
    const since = timeline.now;
    await process.app.stop();
    if (!process.isAlive) return;
    say(`${process.name} has ended`);
    observed.stops.push({ process, from: since, ms: timeline.now - since });
    down(process, downFor);
  }

  function strike(fault: Fault): void {
    if (timeline.now >= scenario.healedAt) return;
    const { kind } = fault;
    if (kind === 'killAt') counts.set(fault, 0);
    else if ('downFor' in fault) endRun(fault);
    else say(inWords(fault));
    if (kind === 'clock') clocks.set(fault.slot, fault.by);
    if (kind === 'reload') files[fault.slot] = fault.config;
  }

  function endRun({ kind, slot, downFor }: Extract<Fault, { readonly kind: 'kill' | 'stop' }>): void {
    const process = slots[slot];
    if (process === undefined) return;
    if (kind === 'kill') kill(process, downFor);
    else void stop(process, downFor);
  }

  /** Counts the events that reach a process, and kills it at the n-th. */
  function count(process: Process, what: 'store' | 'any'): void {
    for (const [fault, count] of counts) {
      if (fault.kind !== 'killAt' || fault.slot !== process.slot) continue;
      if (fault.what === 'store' && what !== 'store') continue;
      if (count + 1 < fault.n) counts.set(fault, count + 1);
      else {
        counts.delete(fault);
        kill(process, fault.downFor);
      }
    }
  }

  function heal(): void {
    say('all is well from here on');
    counts.clear();
    for (const slot of files.keys()) {
      files[slot] = configs.length - 1;
      if (slots[slot] === undefined) start(slot);
    }
  }

  function isIdle(): boolean {
    const processes = slots.filter((each) => each !== undefined);
    const isQuiet = processes.every(({ isOpen, store }) => isOpen && store.underWay === 0);
    // All POSTs ended long enough ago that the attempts that they left have begun.
    const begun = timeline.now - AWAKE_MS;
    const isPosted = observed.posts.every(({ endedAt = Infinity }) => endedAt <= begun);
    return isQuiet && remotes.underWay === 0 && people.underWay === 0 && isPosted;
  }

  function sleep(): void {
    const { now, nextOfWorld } = timeline;
    if (now < awakeUntil || !isIdle()) return;
    const isPaused = observed.pauses.some((pause) => pause.until + SHORTEST_SLEEP_MS > now);
    if (isPaused && scenario.replicas > 1) return;
    const until = Math.min(now + (isPaused ? SLEEPS_LONG_MS : SLEEPS_MS), nextOfWorld - 100);
    if (until < now + SHORTEST_SLEEP_MS) return;
    timeline.jumpTo(until);
    observed.slept.push(until);
    awakeUntil = until + (isPaused ? AWAKE_LONG_MS : AWAKE_MS);
    say('time passes');
  }

  /** Once nothing more can come, checks from time to time whether anything still waits. */
  function look(): void {
    const { now } = timeline;
    if (isLooking || now < lookAt || now < scenario.healedAt + scenario.tailMs) return;
    if (service.underWay > 0 || !isIdle() || slots.includes(undefined)) return;
    isLooking = true;
    void askAll();
  }

  async function askAll(): Promise<void> {
    const [process] = slots;
    const found = process && (await people.found(process));
    isLooking = false;
    lookAt = timeline.now + LOOKS_EVERY_MS;
    if (process === undefined || found === undefined) return;
    const { listed } = Object.assign(observed, found);
    // A person gives back the deliveries that wait for somebody.
    for (const { deliveries } of listed)
      for (const was of deliveries) if (isForSomebody(was)) people.giveBack(process, was);
    const isOpen = listed.some(({ deliveries }) =>
      deliveries.some(({ state, until }) => state === 'pending' || until !== undefined),
    );
    const metrics = [];
    for (const each of slots) metrics.push((each && (await people.metrics(each))) ?? '');
    if (isOpen || metrics.some((figures) => !/^botbell_deliveries_pending 0$/m.test(figures))) return;
    observed.metrics = metrics;
    hasEnded = true;
  }

  function standing(): string {
    const waiting = observed.listed.flatMap(({ job_id: job, kind, deliveries }) =>
      deliveries
        .filter(({ state }) => state === 'pending' || state === 'held')
        .map(
          ({ destination, state, attempts, rule = '', until = '' }) =>
            `${job ?? kind}@${destination} ${state} ${rule} ${until} after ${attempts} attempts`,
        ),
    );
    const open = slots
      .map((each) => (each === undefined ? 'down' : each.isOpen ? 'open' : 'closed'))
      .join(', ');
    return `${waiting.slice(0, 5).join('; ') || 'nothing is listed'} (processes: ${open}; calls: ${remotes.underWay})`;
  }

  const latest = scenario.healedAt + scenario.tailMs + ENDS_WITHIN_MS;
  const isOver = () => hasEnded || timeline.now > latest;
  for (const slot of files.keys()) start(slot);
  for (const send of scenario.sends) timeline.ofWorld(send.at, () => service.send(send));
  for (const act of scenario.acts) timeline.ofWorld(act.at, () => people.act(act));
  for (const fault of scenario.faults) timeline.ofWorld(fault.at, () => strike(fault));
  timeline.ofWorld(scenario.healedAt, heal);
  try {
    await timeline.settle();
    while (!isOver() && (await timeline.step())) {
      look();
      sleep();
    }
    if (!hasEnded) observed.stuck = standing();
    return { trace, observed, now: timeline.now };
  } finally {
    for (const process of slots) process?.end();
    for (const process of slots) await process?.store.close();
    folder.remove();
  }
}

function isForSomebody({ state, last_error: error }: ListedDelivery): boolean {
  return state === 'pending' && error?.code === STRANGE;
}

function inWords(fault: Exclude<Fault, { readonly kind: 'kill' | 'stop' | 'killAt' }>): string {
  if (fault.kind === 'weather')
    return `weather at ${fault.destination} for ${fault.for / SECOND} s: ${fault.mode}`;
  const whose = fault.slot < 0 ? 'all' : `slot ${fault.slot}`;
  if (fault.kind === 'reload') return `the files of ${whose} hold config ${fault.config}`;
  if (fault.kind === 'clock') return `the clock of ${whose} is set by ${fault.by / SECOND} s`;
  const which = fault.only === undefined ? '' : ` in a quarter of its operations (${fault.only})`;
  return `the store of ${whose} for ${fault.for / SECOND} s: ${fault.mode}${which}`;
}
