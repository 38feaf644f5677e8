/** The world around the product: processes that can die at any moment, a store that they share, remotes, people, and the service that posts. */
import type { UsableConfig } from '../../src/app/settings.ts';
import { clocksOf } from './clocks.ts';
import { readConfigs, readingsOf, temporaryFolder } from './configs.ts';
import { type ListedDelivery, nothingYet } from './observed.ts';
import { People } from './people.ts';
import { Process, type Surroundings } from './process.ts';
import { Remotes, STRANGE } from './remotes.ts';
import { type Fault, MINUTE, type Scenario, SECOND } from './scenario.ts';
import { JobService } from './service.ts';
import { StoreSeam } from './store.ts';
import { Timeline } from './timeline.ts';

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

export class World {
  readonly scenario: Scenario;
  readonly timeline = new Timeline();
  readonly observed = nothingYet();
  readonly trace: string[] = [];
  readonly #clocks: ReturnType<typeof clocksOf>;
  readonly #remotes: Remotes;
  readonly #service: JobService;
  readonly #people: People;
  readonly #folder = temporaryFolder();
  #configs: Awaited<ReturnType<typeof readConfigs>> = [];
  readonly #slots: (Process | undefined)[] = [];
  readonly #runs: number[] = [];
  readonly #gone = new Set<string>();
  readonly #files: number[];
  readonly #counts = new Map<Fault, number>();
  readonly #stopping = new Set<Process>();
  readonly #isTracing: boolean;
  #awakeUntil = 0;
  #lookAt = 0;
  #hasEnded = false;
  #isLooking = false;

  constructor(scenario: Scenario, isTracing = false) {
    this.scenario = scenario;
    this.#isTracing = isTracing;
    this.#files = scenario.skews.map(() => 0);
    const { timeline, observed } = this;
    this.#clocks = clocksOf(scenario, timeline);
    const open = () => this.#slots.filter((each): each is Process => each?.isOpen === true);
    const parts = { scenario, timeline, observed, open, say: this.say, clockOf: this.#clocks.now };
    this.#remotes = new Remotes(parts);
    this.#service = new JobService(parts);
    this.#people = new People(parts);
  }

  readonly say = (line: string): void => {
    if (this.#isTracing) this.trace.push(`${(this.timeline.now / 1000).toFixed(3).padStart(9)} ${line}`);
  };

  async run(): Promise<void> {
    const { scenario, timeline, observed } = this;
    this.#configs = await readConfigs(scenario.configs, this.#folder.path);
    for (let slot = 0; slot < scenario.replicas; slot += 1) this.#start(slot);
    for (const send of scenario.sends) timeline.ofWorld(send.at, () => this.#service.send(send));
    for (const act of scenario.acts) timeline.ofWorld(act.at, () => this.#people.act(act));
    for (const fault of scenario.faults) timeline.ofWorld(fault.at, () => this.#strike(fault));
    timeline.ofWorld(scenario.healedAt, () => this.#heal());
    await timeline.settle();
    while (!this.#hasEnded && (await timeline.step())) {
      if (timeline.now > scenario.healedAt + scenario.tailMs + ENDS_WITHIN_MS) break;
      this.#look();
      this.#sleep();
    }
    if (!this.#hasEnded) observed.stuck = this.#standing();
  }

  async end(): Promise<void> {
    for (const process of this.#slots) {
      if (process === undefined) continue;
      process.end();
      await process.store.close();
    }
    this.#folder.remove();
  }

  // Processes

  get #surroundings(): Surroundings {
    const { scenario, timeline, observed } = this;
    return {
      scenario,
      timeline,
      clockOf: this.#clocks.now,
      configured: (process) => this.#configured(process),
      channelOf: (process, name) => this.#remotes.channelOf(process, name),
      storeOf: (process) => new StoreSeam({ scenario, timeline, gone: this.#gone }, process),
      onEvent: (process, what) => this.#count(process, what),
      onLine: (process, line) => this.say(`${process.name} ${line}`),
      onUnforeseen: (process, what) => {
        this.say(`${process.name} meets the unforeseen: ${what}`);
        observed.unforeseen.push(what);
      },
    };
  }

  #start(slot: number): void {
    const run = (this.#runs[slot] ?? 0) + 1;
    this.#runs[slot] = run;
    const process = new Process(this.#surroundings, `p${slot}.${run}`, slot, this.#files[slot] ?? 0);
    this.#slots[slot] = process;
    this.say(`${process.name} starts with config ${process.config}`);
    const started = process.start().catch((error: unknown) => {
      this.say(`${process.name} cannot start: ${String(error).replace(this.#folder.path, '')}`);
      if (process.isAlive) this.#down(process, 5 * SECOND);
    });
    void this.timeline.busy(() => Promise.race([started, process.store.isInUse]));
  }

  /** The config that the files of the process hold now. */
  #configured(process: Process): UsableConfig {
    const number = this.#files[process.slot] ?? 0;
    process.config = number;
    this.observed.loaded.push({ at: this.timeline.now, config: number, slot: process.slot });
    const read = this.#configs[number];
    if (read === undefined) throw new Error(`there is no config ${number}`);
    return { ...read, readings: readingsOf(number, () => this.#files[process.slot] ?? 0) };
  }

  #kill(process: Process, downFor: number): void {
    if (!process.isAlive) return;
    this.say(`${process.name} is killed`);
    this.#down(process, downFor);
    this.timeline.after(1, () => void this.timeline.busy(() => process.store.close()));
  }

  #down(process: Process, downFor: number): void {
    const { slot } = process;
    process.end();
    this.#gone.add(process.name);
    this.observed.ends.push({ at: this.timeline.now, process });
    this.#slots[slot] = undefined;
    this.timeline.ofWorld(downFor, () => {
      if (this.#slots[slot] === undefined) this.#start(slot);
    });
  }

  async #stop(process: Process, downFor: number): Promise<void> {
    // The program ignores a second signal.
    if (!process.isOpen || process.app === undefined || this.#stopping.has(process)) return;
    this.#stopping.add(process);
    this.say(`${process.name} is stopped`);
    const since = this.timeline.now;
    await process.app.stop();
    if (!process.isAlive) return;
    this.say(`${process.name} has ended`);
    this.observed.stops.push({ process, from: since, ms: this.timeline.now - since });
    this.#down(process, downFor);
  }

  // Faults

  #strike(fault: Fault): void {
    if (this.timeline.now >= this.scenario.healedAt) return;
    const { kind } = fault;
    if (kind === 'killAt') this.#counts.set(fault, 0);
    else if ('downFor' in fault) this.#endRun(fault);
    else this.say(inWords(fault));
    if (kind === 'clock') this.#clocks.set(fault.slot, fault.by);
    if (kind === 'reload') this.#files[fault.slot] = fault.config;
  }

  #endRun({ kind, slot, downFor }: Extract<Fault, { readonly kind: 'kill' | 'stop' }>): void {
    const process = this.#slots[slot];
    if (process === undefined) return;
    if (kind === 'kill') this.#kill(process, downFor);
    else void this.#stop(process, downFor);
  }

  /** Counts the events that reach a process, and kills it at the n-th. */
  #count(process: Process, what: 'store' | 'any'): void {
    for (const [fault, count] of this.#counts) {
      if (fault.kind !== 'killAt' || fault.slot !== process.slot) continue;
      if (fault.what === 'store' && what !== 'store') continue;
      if (count + 1 < fault.n) this.#counts.set(fault, count + 1);
      else {
        this.#counts.delete(fault);
        this.#kill(process, fault.downFor);
      }
    }
  }

  #heal(): void {
    this.say('all is well from here on');
    this.#counts.clear();
    const { replicas, configs } = this.scenario;
    for (let slot = 0; slot < replicas; slot += 1) {
      this.#files[slot] = configs.length - 1;
      if (this.#slots[slot] === undefined) this.#start(slot);
    }
  }

  // Time

  get #isIdle(): boolean {
    const processes = this.#slots.filter((each) => each !== undefined);
    const isQuiet = processes.every(({ isOpen, store }) => isOpen && store.underWay === 0);
    return isQuiet && this.#remotes.underWay === 0 && this.#people.underWay === 0 && this.#isPosted;
  }

  /** Whether all POSTs ended long enough ago that the attempts that they left have begun. */
  get #isPosted(): boolean {
    const begun = this.timeline.now - AWAKE_MS;
    return this.observed.posts.every(({ endedAt = Infinity }) => endedAt <= begun);
  }

  #sleep(): void {
    const { timeline } = this;
    const { now, nextOfWorld } = timeline;
    if (now < this.#awakeUntil || !this.#isIdle) return;
    const isPaused = this.observed.pauses.some((pause) => pause.until + SHORTEST_SLEEP_MS > now);
    if (isPaused && this.scenario.replicas > 1) return;
    const until = Math.min(now + (isPaused ? SLEEPS_LONG_MS : SLEEPS_MS), nextOfWorld - 100);
    if (until < now + SHORTEST_SLEEP_MS) return;
    timeline.jumpTo(until);
    this.observed.slept.push(until);
    this.#awakeUntil = until + (isPaused ? AWAKE_LONG_MS : AWAKE_MS);
    this.say('time passes');
  }

  /** Once nothing more can come, checks from time to time whether anything still waits. */
  #look(): void {
    const { now } = this.timeline;
    const { healedAt, tailMs } = this.scenario;
    if (this.#isLooking || now < this.#lookAt || now < healedAt + tailMs) return;
    if (this.#service.underWay > 0 || !this.#isIdle || this.#slots.includes(undefined)) return;
    this.#isLooking = true;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const { observed } = this;
    const [process] = this.#slots;
    const found = process && (await this.#people.found(process));
    this.#isLooking = false;
    this.#lookAt = this.timeline.now + LOOKS_EVERY_MS;
    if (process === undefined || found === undefined) return;
    const { listed } = Object.assign(observed, found);
    // A person gives back the deliveries that wait for somebody.
    for (const { deliveries } of listed)
      for (const was of deliveries) if (isForSomebody(was)) this.#people.giveBack(process, was);
    const isOpen = listed.some(({ deliveries }) =>
      deliveries.some(({ state, until }) => state === 'pending' || until !== undefined),
    );
    const metrics = [];
    for (const each of this.#slots) metrics.push((each && (await this.#people.metrics(each))) ?? '');
    if (isOpen || metrics.some((figures) => !/^botbell_deliveries_pending 0$/m.test(figures))) return;
    observed.metrics = metrics;
    this.#hasEnded = true;
  }

  #standing(): string {
    const waiting = this.observed.listed.flatMap(({ job_id: job, kind, deliveries }) =>
      deliveries
        .filter(({ state }) => state === 'pending' || state === 'held')
        .map(
          ({ destination, state, attempts, rule = '', until = '' }) =>
            `${job ?? kind}@${destination} ${state} ${rule} ${until} after ${attempts} attempts`,
        ),
    );
    const open = this.#slots
      .map((each) => (each === undefined ? 'down' : each.isOpen ? 'open' : 'closed'))
      .join(', ');
    return `${waiting.slice(0, 5).join('; ') || 'nothing is listed'} (processes: ${open}; calls: ${this.#remotes.underWay})`;
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
