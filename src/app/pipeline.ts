/** Puts what delivers together: whatever one config decides comes from the settings in force, all else outlives them. */
import { refusalAlert } from '../deliver/alerts.ts';
import { type Attempt, createAttempt } from '../deliver/attempt.ts';
import { type Chore, Chores } from '../deliver/chores.ts';
import { Claims, POLL_MS } from '../deliver/claims.ts';
import { Dispatcher } from '../deliver/dispatcher.ts';
import { DueDestinations } from '../deliver/due.ts';
import { SeenDestinations } from '../deliver/figures.ts';
import { ConfigFollower } from '../deliver/follow-config.ts';
import { Limits } from '../deliver/limits.ts';
import { createOperations } from '../deliver/operations.ts';
import { Paces } from '../deliver/pace.ts';
import { createPost, type Post } from '../deliver/post.ts';
import { changedChannels, type RunningSettings } from '../deliver/settings.ts';
import type { OpenLedger } from '../ledger/database-ledger.ts';
import type { RefusedBody } from '../ledger/ledger.ts';
import { type Clock, systemClock, within } from '../time/clock.ts';
import type { ActionReports } from './action-reports.ts';
import type { PipelineReports } from './reports.ts';
import { retentionChore } from './retention.ts';
import { type AppSettings, NO_PACE } from './settings.ts';
import { composeTest } from './test-sending.ts';

/** How often this process tells the others with which config it runs, and what it has seen of its destinations. */
const HEARTBEAT_MS = 5000;

/** How often the ledger is asked for a redelivery in bulk that this process does not know of. */
const BULK_MS = 1000;

/** Once the answers are out: for what was cut to be written down, and for this process to leave. */
const GOODBYE_MS = 100;

export interface PipelineParts extends PipelineReports, ActionReports {
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: OpenLedger;
  readonly clock: Clock;
  readonly onUnforeseen: (error: unknown) => void;
}

export class Pipeline {
  readonly post: Post;
  /** What people can do. */
  readonly operations: ReturnType<typeof createOperations>;
  readonly #parts: PipelineParts;
  readonly #due = new DueDestinations();
  readonly #chores: Chores;
  readonly #seen: SeenDestinations;
  readonly #paces: Paces;
  readonly #follower: ConfigFollower;
  readonly #dispatcher: Dispatcher;
  readonly #claims: Claims;
  readonly #claiming: Chore = { everyMs: POLL_MS, work: () => this.#claims.work() };
  readonly #bulks: Chore = { everyMs: BULK_MS, work: () => this.#continueBulk() };
  readonly #beat: Chore = { everyMs: HEARTBEAT_MS, work: () => this.#follower.beat().then(() => false) };
  readonly #review: Chore = { everyMs: HEARTBEAT_MS, work: () => this.#follower.review() };

  constructor(parts: PipelineParts) {
    const { settings, ledger } = parts;
    this.#parts = parts;
    this.#chores = new Chores({
      ...parts,
      onTrouble: parts.onStoreTrouble,
      onRecovered: parts.onStoreRecovered,
    });
    this.#seen = new SeenDestinations(ledger);
    this.#paces = pacesOf(parts);
    const onDue = (destinations: readonly string[]) => this.#claims.nudge(destinations);
    const look = () => this.#claims.look();
    const shared = { ...parts, random: Math.random, due: this.#due, paces: this.#paces };
    const follower = (this.#follower = new ConfigFollower({ ...shared, onDue: look }));
    const dispatcher = (this.#dispatcher = new Dispatcher({
      ...shared,
      attempt: attemptOf(parts, this.#seen),
      isBehind: (destination, isPaced) => this.#due.isBehind(destination, isPaced),
      onDue,
      onRoom: () => this.#due.isEmpty || this.#chores.hurry(this.#claiming),
    }));
    const onMore = () => this.#chores.hurry(this.#claiming);
    this.#claims = new Claims({ ...shared, dispatcher, follower, onMore });
    const limits = new Limits(settings.current.answer.maxInFlight);
    settings.onSwap((next, previous) => this.#adopt(next, previous, limits));
    this.post = createPost({ ...parts, limits, dispatcher, onDue });
    const onBulkStarted = () => this.#chores.hurry(this.#bulks);
    const test = composeTest({ ...parts, dispatcher });
    this.operations = createOperations({ ...parts, ...asked(ledger), onDue: look, onBulkStarted, test });
  }

  /** Destinations, and channels as a whole, that are left alone for now. */
  get paused(): Paces['paused'] {
    return this.#paces.paused;
  }

  /** By the monotonic clock, when it was last looked whether anything is due. */
  get lookedAt(): number {
    return this.#claims.lookedAt;
  }

  /** Keeps a refused body, and has the operators alerted of it. @throws {LedgerUnavailable} */
  async refuse(refused: RefusedBody, withinMs: number): Promise<void> {
    const { settings, ledger } = this.#parts;
    const { alerts } = settings.current;
    await ledger.refuse(refused, refusalAlert(refused, alerts), withinMs);
    this.#claims.nudge(alerts.targets.map(({ destination }) => destination));
  }

  /** Somebody may have mended what the config names. */
  reviewAgain(): void {
    this.#follower.reviewAgain();
    this.#chores.hurry(this.#review);
  }

  /** A store that cannot be used does not keep it from starting. */
  async start(): Promise<void> {
    const first = Promise.all([this.#paces.refresh(), this.#follower.beat()]);
    await first.catch(this.#parts.onStoreTrouble);
    const figures: Chore = { everyMs: HEARTBEAT_MS, work: () => this.#seen.write().then(() => false) };
    const others = [this.#review, this.#bulks, figures, retentionChore(this.#parts)];
    this.#chores.start([this.#beat, this.#claiming, ...others]);
  }

  /** Nothing new begins; what is being attempted is finished, or cut at the end of `answer_within`. */
  async stop(): Promise<void> {
    const { settings, clock } = this.#parts;
    this.#dispatcher.stop();
    const idle = Promise.all([this.#chores.stop(), this.#claims.idle(), this.#dispatcher.idle()]);
    await within(settings.current.answer.answerWithinMs, idle, clock);
    this.#dispatcher.cut();
    await within(GOODBYE_MS, idle, clock);
  }

  /** The other processes need not wait for this one any more. */
  leave(): Promise<void> {
    const left = Promise.allSettled([this.#seen.write(), this.#parts.ledger.configs.leave()]);
    return within(GOODBYE_MS, left, this.#parts.clock);
  }

  #adopt(next: AppSettings, previous: AppSettings, limits: Limits): void {
    limits.resize(next.answer.maxInFlight);
    for (const channel of changedChannels(previous, next)) void this.#paces.forget(channel);
    this.#follower.reload();
    for (const chore of [this.#beat, this.#review]) this.#chores.hurry(chore);
  }

  /** A step of what somebody wants redelivered, or dismissed, in bulk. @returns whether there is more */
  async #continueBulk(): Promise<boolean> {
    const { ledger, onBulkEnded } = this.#parts;
    const { isMore, given, ended } = await ledger.actions.continueBulk();
    if (given > 0) this.#claims.look();
    if (ended !== undefined) onBulkEnded(ended);
    return isMore;
  }
}

/** A class's getters are no properties to spread. */
function asked({ actions, archive }: OpenLedger): Pick<OpenLedger, 'actions' | 'archive'> {
  return { actions, archive };
}

function pacesOf({ settings, ledger, clock, onStoreTrouble: onTrouble }: PipelineParts): Paces {
  const paceOf = (channel: string) => settings.current.channels.get(channel)?.pace ?? NO_PACE;
  return new Paces({ clock, store: ledger.paces, paceOf, onTrouble });
}

function attemptOf(parts: PipelineParts, seen: SeenDestinations): Attempt {
  return createAttempt({
    ...parts,
    timers: systemClock,
    onAttempt: (addressed, result) => {
      seen.attempted(addressed.destination, result);
      parts.onAttempt(addressed, result);
    },
  });
}
