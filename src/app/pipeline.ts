/** Wires the parts that deliver. They read the settings in force at each use and live on through reloads. */
import { refusalAlert, reloadAlert } from '../deliver/alerts.ts';
import { type Chore, Chores } from '../deliver/chores.ts';
import { Claims } from '../deliver/claims.ts';
import { ConfigFollower } from '../deliver/follow-config.ts';
import { Loop } from '../deliver/loop.ts';
import { Paces } from '../deliver/pace.ts';
import { Posts, answerDeadline } from '../deliver/post.ts';
import { Signals } from '../deliver/signals.ts';
import type { ChannelType } from '../channels/channel.ts';
import type { Problem } from '../config/config.ts';
import { changedChannels, type RunningSettings } from '../deliver/settings.ts';
import { createPeople, type People } from '../people/actions.ts';
import { type SendOnce, sendTest } from '../people/test-message.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DeliveryName } from '../ledger/ledger.ts';
import { POLL_MS } from '../ledger/deliveries/claim.ts';
import type { Logger } from '../observe/logger.ts';
import type { Refusal } from '../receive/problems.ts';
import type { Random } from '../text/random.ts';
import { type Clock, waitAtMost } from '../time/clock.ts';
import { heartbeatChore } from './heartbeat.ts';
import { Outage } from './outage.ts';
import type { Reports } from './reports.ts';
import { toldOfTroublesAlone } from '../people/incidents.ts';
import { incidentChore, retentionChore, rollUpChore } from './ledger-chores.ts';
import type { AppSettings } from './settings.ts';

const HEARTBEAT_MS = 5000;

/** A bulk redelivery continues as soon as a claim has found it; this interval is for one whose step has failed. */
const BULKS_MS = 60_000;

/** At a stop, after the last answer: time to write the outcomes of cut attempts, then time to sign off in the ledger. */
const GOODBYE_MS = 100;

export interface PipelineParts {
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: DatabaseLedger;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly reports: Reports;
}

export class Pipeline {
  readonly posts: Posts;
  readonly people: People;
  readonly paces: Paces;
  readonly loop: Loop;
  readonly #parts: PipelineParts;
  readonly #chores: Chores;
  readonly #follower: ConfigFollower;
  readonly #claiming: Chore = { everyMs: POLL_MS, work: () => this.#claims.work() };
  readonly #claims: Claims;
  readonly #signals: Signals;
  readonly #bulks: Chore = { everyMs: BULKS_MS, work: () => this.#continueBulk() };
  readonly #beat: Chore;
  readonly #review: Chore = { everyMs: HEARTBEAT_MS, work: () => this.#follower.review() };
  readonly #heartbeat: Chore;
  readonly #incidents: Chore;
  /** The alert about the config on the disk; undefined: that is in force. */
  #refused: ReturnType<typeof reloadAlert> | undefined;
  readonly outage: Outage;

  constructor(parts: PipelineParts) {
    const { settings, ledger, clock, random, reports } = parts;
    this.#parts = parts;
    const { onStoreTrouble: onTrouble, onStoreRecovered: onRecovered } = reports;
    this.#chores = new Chores({ clock, onTrouble, onRecovered });
    this.#heartbeat = heartbeatChore(parts);
    this.#incidents = incidentChore({ ...parts, refused: () => this.#refused });
    this.#beat = {
      // More often while it is not heard: once the store is back, others then hear of this process before they claim anything.
      get everyMs() {
        return ledger.upkeep.isHeard ? HEARTBEAT_MS : POLL_MS;
      },
      work: () => this.#beatOnce(),
    };
    const paceOf = (channel: string) => settings.current.channels.get(channel)?.pace;
    const paces = (this.paces = new Paces({ clock, store: ledger, paceOf, onTrouble }));
    const onDue = () => this.#chores.hurry(this.#claiming);
    const { onAttempt, onMilestone, onHeld, onUnwritten, onUnforeseen, onAction } = reports;
    const said = { onAttempt, onMilestone, onHeld, onUnwritten, onUnforeseen, onAction };
    const shared = { ...said, clock, settings, ledger, random, paces, onDue };
    const follower = (this.#follower = new ConfigFollower(shared));
    const loop = (this.loop = new Loop(shared));
    const signals = (this.#signals = new Signals({ ...shared, loop }));
    const sendOnce: SendOnce = (addressed) => loop.sendUnrecorded(addressed);
    const noNews = () => toldOfTroublesAlone(settings.current, parts.channelTypes);
    this.outage = new Outage({ ...parts, sendOnce, noNews });
    const onBulk = () => this.#chores.hurry(this.#bulks);
    this.#claims = new Claims({ ...shared, loop, follower, signals, onBulk });
    settings.onSwap((next, previous) => this.#adopt(next, previous));
    this.posts = new Posts({ ...shared, loop });
    this.people = createPeople({
      ...shared,
      channelTypes: parts.channelTypes,
      planning: () => settings.current,
      now: () => clock.now(),
      onBulkStarted: onBulk,
      sendTest: async (target, askedBy, language) => {
        const outcome = await sendTest({ target, askedBy, language }, parts, sendOnce);
        if (outcome.isDelivered) await follower.mended(target.destination);
        return outcome;
      },
    });
  }

  /** Keeps a refused body and alerts the operators. Never rejects. */
  async refuse({ bytes, arrivedAt, ...refusal }: Refusal): Promise<void> {
    const { settings, ledger, clock, reports } = this.#parts;
    const { delivery, receiver } = settings.current.config;
    try {
      // `stream` drops an incomplete last character instead of decoding it to U+FFFD.
      const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
      const withinMs = answerDeadline(arrivedAt, receiver.answerWithinMs) - clock.monotonic();
      await ledger.refuse({ ...refusal, body }, refusalAlert(refusal, delivery), withinMs);
      this.#chores.hurry(this.#claiming);
    } catch (error) {
      reports.onUnkept(error);
    }
  }

  /** The config on the disk was read again. @param problems for which it was refused: the operators are told unless it is mended soon */
  configRead(problems: readonly Problem[] | undefined): void {
    const { file, delivery, display } = this.#parts.settings.current.config;
    this.#refused = problems && reloadAlert(file, problems, delivery, display.language);
    this.#chores.hurry(this.#incidents);
  }

  /** Starts even while the store cannot be used. */
  async start(): Promise<void> {
    const { ledger, clock } = this.#parts;
    const failing = ledger
      .failingDestinations()
      .then((stored) => this.loop.failing.adopt(stored, clock.monotonic()));
    const first = Promise.all([this.paces.refresh(), failing, this.#beatOnce()]);
    await first.catch(this.#parts.reports.onStoreTrouble);
    this.#chores.start([
      this.#claiming,
      { everyMs: POLL_MS, work: () => this.#parts.ledger.unwritten.write() },
      this.#beat,
      this.#review,
      this.#bulks,
      {
        everyMs: HEARTBEAT_MS,
        work: () => this.loop.seen.write(this.#parts.ledger),
      },
      retentionChore(this.#parts),
      rollUpChore(this.#parts),
      this.#incidents,
      this.outage,
      this.#heartbeat,
    ]);
  }

  /** Begins no further attempts. Those under way have `answer_within` to end, then they are cut. */
  async stop(): Promise<void> {
    const { settings, clock } = this.#parts;
    this.loop.stop();
    const idle = Promise.all([this.#chores.stop(), this.loop.underWay.idle()]);
    await waitAtMost(settings.current.config.receiver.answerWithinMs, idle, clock);
    this.loop.cutOff();
    await waitAtMost(GOODBYE_MS, idle, clock);
  }

  /** Signs off in the ledger, so that other processes do not wait for this one. Outcomes that it kept are written before its claims are freed. */
  signOff(): Promise<void> {
    const { ledger, clock } = this.#parts;
    const left = ledger.unwritten.write().then(() => ledger.signOff());
    // The next process may have another login.
    const ended = [this.loop.seen.write(ledger), this.paces.endLogins(), this.outage.end(), left];
    return waitAtMost(GOODBYE_MS, Promise.allSettled(ended), clock);
  }

  /** Beats, and frees what dead processes left. A process that was not heard may have lost its claims: it sends nothing more of what it has in hand. @throws {LedgerUnavailable} */
  async #beatOnce(): Promise<void> {
    const { isHeard } = this.#parts.ledger.upkeep;
    await this.#follower.beat();
    if (!isHeard) {
      this.loop.release(undefined, true);
      this.#signals.adoptAnew();
    }
    const inHand = {
      has: (delivery: DeliveryName) => this.loop.has(delivery),
      isFiring: (key: string) => this.#signals.isFiring(key),
    };
    if (await this.#parts.ledger.upkeep.repair(inHand)) this.#chores.hurry(this.#claiming);
  }

  #adopt(next: AppSettings, previous: AppSettings): void {
    const changed = changedChannels(previous, next);
    for (const channel of changed) {
      void this.paces.forget(channel);
      for (const destination of this.loop.failing.of(channel)) this.loop.endFailing(destination);
    }
    this.#follower.reload(changed);
    for (const chore of [this.#beat, this.#review, this.#heartbeat, this.#claiming])
      this.#chores.hurry(chore);
  }

  /** One step of a bulk redelivery or dismissal. @returns whether there is more */
  async #continueBulk(): Promise<boolean> {
    const { ledger, reports } = this.#parts;
    const { isMore, given, ended } = await ledger.actions.continueBulk();
    if (given > 0) this.#chores.hurry(this.#claiming);
    if (ended !== undefined) reports.onBulkEnded(ended);
    return isMore;
  }
}
