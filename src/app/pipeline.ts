/** Puts what delivers together: whatever one config decides comes from the settings in force, all else outlives them. */
import { refusalAlert, reloadAlert } from '../deliver/alerts.ts';
import { createAttempt } from '../deliver/attempt.ts';
import { type Chore, Chores } from '../deliver/chores.ts';
import { Claims, POLL_MS } from '../deliver/claims.ts';
import { Dispatcher } from '../deliver/dispatcher.ts';
import { DueDestinations } from '../deliver/due.ts';
import { SeenDestinations } from '../deliver/figures.ts';
import { ConfigFollower } from '../deliver/follow-config.ts';
import { createOperations } from '../deliver/operations.ts';
import { Paces } from '../deliver/pace.ts';
import { createPost, type Post } from '../deliver/post.ts';
import type { Problem } from '../config/config.ts';
import { changedChannels, type RunningSettings } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { RefusedBody } from '../ledger/ledger.ts';
import { type Clock, systemClock, within } from '../time/clock.ts';
import type { Reports } from './reports.ts';
import { retentionChore } from './retention.ts';
import { type AppSettings, NO_PACE } from './settings.ts';

/** How often this process tells the others with which config it runs, and what it has seen of its destinations. */
const HEARTBEAT_MS = 5000;

/** How often the ledger is asked for a redelivery in bulk that this process does not know of. */
const BULK_MS = 1000;

/** Once the answers are out: for what was cut to be written down, and for this process to leave. */
const GOODBYE_MS = 100;

export interface PipelineParts {
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: DatabaseLedger;
  readonly clock: Clock;
  readonly reports: Reports;
}

export class Pipeline {
  readonly post: Post;
  /** What people can do. */
  readonly operations: ReturnType<typeof createOperations>;
  readonly #parts: PipelineParts;
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
    const { settings, ledger, clock, reports } = parts;
    this.#parts = parts;
    this.#chores = new Chores({
      clock,
      onTrouble: reports.onStoreTrouble,
      onRecovered: reports.onStoreRecovered,
    });
    this.#seen = new SeenDestinations(ledger);
    const paces = (this.#paces = pacesOf(parts));
    const due = new DueDestinations();
    const onMore = () => this.#chores.hurry(this.#claiming);
    const onDue = (destinations: readonly string[]) => this.#claims.nudge(destinations);
    const look = () => this.#claims.look();
    const shared = { ...reports, clock, settings, ledger, random: Math.random, due, paces };
    const follower = (this.#follower = new ConfigFollower({ ...shared, onDue: look }));
    const dispatcher = (this.#dispatcher = new Dispatcher({
      ...shared,
      attempt: this.#attempt(),
      isBehind: (destination, isPaced) => due.isBehind(destination, isPaced),
      onDue,
      onRoom: () => due.isEmpty || onMore(),
    }));
    this.#claims = new Claims({ ...shared, dispatcher, follower, onMore });
    settings.onSwap((next, previous) => this.#adopt(next, previous));
    this.post = createPost({ ...shared, dispatcher, onDue });
    this.operations = createOperations({
      ...shared,
      actions: ledger.actions,
      archive: ledger.archive,
      onDue: look,
      onBulkStarted: () => this.#chores.hurry(this.#bulks),
      sendOnce: (begun, until) => dispatcher.once(begun, until),
    });
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

  /** Has the operators alerted that a reload was refused. Never rejects. */
  async reloadRefused(problems: readonly Problem[]): Promise<void> {
    const { settings, ledger, reports } = this.#parts;
    const { alerts, loaded } = settings.current;
    const raised = ledger.raise(reloadAlert(loaded.config.file, problems, alerts));
    await raised.then((due) => this.#claims.nudge(due), reports.onStoreTrouble);
  }

  /** Somebody may have mended what the config names. */
  reviewAgain(): void {
    this.#follower.reviewAgain();
    this.#chores.hurry(this.#review);
  }

  /** A store that cannot be used does not keep it from starting. */
  async start(): Promise<void> {
    const first = Promise.all([this.#paces.refresh(), this.#follower.beat()]);
    await first.catch(this.#parts.reports.onStoreTrouble);
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

  #attempt() {
    const { clock, reports } = this.#parts;
    return createAttempt({
      clock,
      timers: systemClock,
      onAttempt: (addressed, result) => {
        this.#seen.attempted(addressed.destination, result);
        reports.onAttempt(addressed, result);
      },
      onUnforeseen: reports.onUnforeseen,
    });
  }

  #adopt(next: AppSettings, previous: AppSettings): void {
    for (const channel of changedChannels(previous, next)) void this.#paces.forget(channel);
    this.#follower.reload();
    for (const chore of [this.#beat, this.#review]) this.#chores.hurry(chore);
  }

  /** A step of what somebody wants redelivered, or dismissed, in bulk. @returns whether there is more */
  async #continueBulk(): Promise<boolean> {
    const { ledger, reports } = this.#parts;
    const { isMore, given, ended } = await ledger.actions.continueBulk();
    if (given > 0) this.#claims.look();
    if (ended !== undefined) reports.onBulkEnded(ended);
    return isMore;
  }
}

function pacesOf({ settings, ledger, clock, reports }: PipelineParts): Paces {
  const paceOf = (channel: string) => settings.current.channels.get(channel)?.pace ?? NO_PACE;
  return new Paces({ clock, store: ledger.paces, paceOf, onTrouble: reports.onStoreTrouble });
}
