/** Admits the callbacks of POSTs, and has their deliveries attempted. */
import type { Arrival, DeliveryRecord } from '../ledger/ledger.ts';
import { afterRendering, noticeOf } from '../notice/notice.ts';
import type { PlannedTarget } from '../route/router.ts';
import type { Delivery } from './delivery.ts';
import { OpenPost, type Posted, type Posting } from './open-post.ts';
import { judge, type Verdict } from './outcome.ts';
import { judgedBy } from './plan.ts';
import { type CallbackPlan, plannedFor, RESERVE_MS, type Settings } from './settings.ts';

/** One POST whose body has arrived; the time to answer does not count how slowly the body was sent. */
export interface Incoming extends Pick<Arrival, 'callback' | 'startedAt' | 'identity' | 'body'> {
  /** By this machine's clock: for people, in the story. */
  readonly receivedAt: number;
  /** The same by the monotonic clock. */
  readonly arrivedAt: number;
  /** For a large callback: called when its messages are made; from then on no more of it is kept than they need. */
  readonly onRendered?: (() => void) | undefined;
}

/** The deadline, by the monotonic clock, for all that a POST waits for before it is answered. */
export function untilOf(arrivedAt: number, answerWithinMs: number): number {
  return arrivedAt + answerWithinMs - RESERVE_MS;
}

/** The share of `max_in_flight` that may wait for the same destination, BOT or job. */
const SHARE = 1 / 4;

/** Who has waited for so long is answered before anybody who comes has to wait. */
const LONG_MS = 1000;

/** An admitted callback, with its plan. */
interface Admitted extends Posted {
  readonly plan: CallbackPlan;
}

/** The POSTs of this process. */
export class Posts {
  readonly #posting: Posting;
  /** How many POSTs wait, by destination, BOT and job. Zeros are deleted: the ids of ended jobs would pile up. */
  readonly #waitingFor = new Map<string, number>();
  /** Whoever came first, first. */
  readonly #open = new Set<OpenPost>();

  constructor(posting: Posting) {
    this.#posting = posting;
  }

  /** @throws {LedgerUnavailable} on admission; or when an outcome other than `delivered` could not be written */
  readonly post = async (incoming: Incoming): Promise<Verdict> => {
    const { clock, ledger, loop, settings: running, onHeld } = this.#posting;
    const { current: settings } = running;
    const { answerWithinMs, answerWhen } = settings.config.receiver;
    const { receivedAt, arrivedAt } = incoming;
    const until = untilOf(arrivedAt, answerWithinMs);
    const plan = settings.planFor(incoming.callback);
    const isAccepted = answerWhen === 'accepted';
    const isClaimed = isAccepted && loop.hasRoomFor(plan);
    const arrival = arrivalOf(incoming, plan, settings, { isAccepted, isClaimed });
    const { callback, ...admission } = await ledger.admit(arrival, until - clock.monotonic());
    if (admission.isNew) for (const { reason } of admission.deliveries) if (reason) onHeld(reason);
    const posted = { receivedAt, arrivedAt, settings, plan, admission, until };
    const admitted = { ...incoming, callback };
    return admission.isAnswered ? this.#answered(posted, admitted) : this.#wait(posted, admitted);
  };

  /** Answers who has waited longest, before somebody who comes has to wait: what is unfinished is taken over. */
  relieve(): void {
    const since = this.#posting.clock.monotonic() - LONG_MS;
    for (const open of this.#open) if (open.mayBeRelieved(since)) return open.leave(true);
  }

  /** The callback was answered with its admission; what of it this process has claimed is attempted now. */
  #answered(posted: Admitted, incoming: Incoming): Verdict {
    const { admission, settings } = posted;
    const { deliveries, isSuperseded } = admission;
    this.#take(posted, incoming, (record) => plannedFor(record, posted.plan));
    if (deliveries.some(({ state, claim }) => state === 'pending' && claim === undefined))
      this.#posting.onDue();
    const isAccepted = settings.config.receiver.answerWhen === 'accepted';
    return judge(deliveries, { isSuperseded, isAccepted });
  }

  /** Not async: it would keep the callback for as long as it waits. */
  #wait(admitted: Admitted, incoming: Incoming): Promise<Verdict> {
    const { bot_id, job_id } = incoming.callback;
    const { plan, admission, settings } = admitted;
    const counted: string[] = [];
    const mayWait = (what: string) => this.#mayWaitFor(what, settings, counted);
    const isOwn = ({ claim }: DeliveryRecord) => claim === 'own';
    const hasRoom = admission.deliveries.some(isOwn) && mayWait(`bot ${bot_id}`) && mayWait(`job ${job_id}`);
    const planned = (record: DeliveryRecord) =>
      hasRoom && mayWait(record.destination) ? plannedFor(record, plan) : undefined;
    const open = new OpenPost(this.#posting, admitted);
    this.#open.add(open);
    return open.answer(this.#take(admitted, incoming, planned, open)).finally(() => {
      this.#open.delete(open);
      for (const what of counted) this.#leave(what);
    });
  }

  /** Takes in hand the deliveries that the admission has claimed; what POSTs of large callbacks wait for is rendered at once. */
  #take(
    { admission, settings, until }: Admitted,
    { callback, startedAt, onRendered }: Incoming,
    planned: (record: DeliveryRecord) => PlannedTarget | undefined,
    post?: OpenPost,
  ): readonly Delivery[] {
    const { loop } = this.#posting;
    const { deliveries, timesReceived, firstReceivedAt, asOf } = admission;
    const own = deliveries.filter(
      ({ id, state, claim }) => state === 'pending' && claim === 'own' && !loop.has(id),
    );
    const notice = noticeOf({ callback, startedAt }, timesReceived);
    const taken = own.map((record) =>
      loop.take({ record, notice, planned: planned(record), settings, firstReceivedAt, asOf, until, post }),
    );
    if (onRendered !== undefined) {
      const after = afterRendering(notice);
      for (const delivery of taken) delivery.render(after);
      onRendered();
    }
    if (post === undefined) for (const delivery of taken) loop.begin(delivery);
    return taken;
  }

  /** Counts a POST as waiting. @returns false: too many POSTs wait for the same already */
  #mayWaitFor(what: string, settings: Settings, counted: string[]): boolean {
    const others = this.#waitingFor.get(what) ?? 0;
    if (others >= settings.config.receiver.maxInFlight * SHARE) return false;
    this.#waitingFor.set(what, others + 1);
    counted.push(what);
    return true;
  }

  #leave(what: string): void {
    const others = (this.#waitingFor.get(what) ?? 1) - 1;
    if (others === 0) this.#waitingFor.delete(what);
    else this.#waitingFor.set(what, others);
  }
}

function arrivalOf(
  incoming: Incoming,
  plan: CallbackPlan,
  settings: Settings,
  { isAccepted, isClaimed }: Pick<Arrival, 'isAccepted' | 'isClaimed'>,
): Arrival {
  const { callback, identity, startedAt, body } = incoming;
  const { routing, asking } = plan;
  const { likeness, unmet } = judgedBy(plan, incoming, (condition) => settings.meets(condition, incoming));
  return { callback, identity, startedAt, body, routing, asking, likeness, unmet, isAccepted, isClaimed };
}
