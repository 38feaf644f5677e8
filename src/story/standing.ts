/** The state of each delivery of a callback now and what happens to it next, summarised in a sentence or two. */
import { statusNameOf } from '../callback/callback.ts';
import { ACCEPTED_AS } from '../channels/channel.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../ledger/ledger.ts';
import { reasonForNobody } from './routing.ts';
import type { Sayings } from './sayings.ts';
import type { Sentence } from './sentences.ts';

export type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'idle';
export type DeliveryAct = 'try now' | 'redeliver' | 'dismiss' | 'once more';
type Looks = readonly [tone: Tone, ...acts: DeliveryAct[]];

/**
 * The tone of each kind of standing, and what a person can do about it, the most likely first. Each kind is also the name of a
 * sentence. In the order of the summary: told first, then what needs somebody's action.
 */
const KINDS = {
  told: ['good', 'once more'],
  /** The remote accepted the message, and cannot say whether it was posted. */
  accepted: ['good', 'once more'],
  /** An outbox took the message, which tells nobody. */
  printed: ['idle', 'once more'],
  dead: ['bad', 'redeliver', 'dismiss'],
  /** A dead letter, since its callback is no longer routed to the destination. */
  'dead unrouted': ['bad', 'redeliver', 'dismiss'],
  'summary given up': ['bad', 'redeliver'],
  'being sent': ['wait'],
  due: ['wait', 'try now'],
  /** The destination does not answer: its oldest delivery is tried at that time. */
  'due when it answers': ['wait', 'try now'],
  /** Botbell attempts it as soon as its turn comes. */
  'due now': ['wait'],
  /** The service is to post the callback again; if it does not, Botbell takes the delivery over at that time. */
  'the service’s': ['wait', 'try now'],
  'after an earlier one': ['wait'],
  'held until': ['idle'],
  'in a summary': ['idle'],
  /** Held by a rule, which will release it, or has let it go for good. */
  held: ['idle'],
  unrouted: ['idle', 'redeliver', 'dismiss'],
  superseded: ['idle'],
  'marked as done': ['idle', 'redeliver'],
} as const satisfies Readonly<Record<string, Looks>>;

const ORDER = Object.keys(KINDS);

export interface Standing {
  readonly destination: string;
  readonly kind: keyof typeof KINDS;
  readonly tone: Tone;
  readonly acts: readonly DeliveryAct[];
  /** When it was told, or when something happens to it next; undefined: unknown. */
  readonly at: number | undefined;
  /** The failure of the last attempt; undefined: none, or delivered. */
  readonly error: FailureToExplain | undefined;
  readonly rule: string;
}

/** @param now milliseconds since 1970 */
export function standingOf(delivery: DeliveryRecord, now: number): Standing {
  const { destination, state, lastError, isOutdated, reason: rule = '' } = delivery;
  const [kind, at] = foundOf(delivery, now);
  const [tone, ...possible]: Looks = KINDS[kind];
  const acts = isOutdated === true ? possible.filter((act) => act === 'dismiss') : possible;
  const error = state === 'delivered' ? undefined : lastError;
  return { destination, kind, tone, acts, at, error, rule };
}

/** Whether an outbox took the delivery, so that nobody was told. */
export function isPrinted({ state, receipt }: Pick<DeliveryRecord, 'state' | 'receipt'>): boolean {
  return state === 'delivered' && receipt?.['told'] === 'nobody';
}

type Found = readonly [kind: Standing['kind'], at?: number];

function foundOf(delivery: DeliveryRecord, now: number): Found {
  const { state, reason, heldUntil, summaryId, isSummaryPending, updatedAt } = delivery;
  if (state === 'delivered') return [deliveredKind(delivery), updatedAt];
  if (state === 'pending') return pendingKind(delivery, now);
  if (state === 'dead') return [reason === NO_LONGER_ROUTED ? 'dead unrouted' : 'dead'];
  if (reason === SUPERSEDED) return ['superseded'];
  if (reason === DISMISSED) return ['marked as done'];
  if (reason === NO_LONGER_ROUTED) return ['unrouted'];
  if (summaryId !== undefined) return [isSummaryPending === true ? 'in a summary' : 'summary given up'];
  return heldUntil === undefined ? ['held'] : ['held until', heldUntil];
}

/** Whether somebody was told, or the remote cannot say so, or an outbox only printed the message. */
function deliveredKind(delivery: DeliveryRecord) {
  if (isPrinted(delivery)) return 'printed';
  return delivery.receipt?.[ACCEPTED_AS] === undefined ? 'told' : 'accepted';
}

function pendingKind({ claim, isTakenOver, behind, dueInMs, probeInMs }: DeliveryRecord, now: number): Found {
  if (claim !== undefined) return ['being sent'];
  if (behind !== undefined) return ['after an earlier one'];
  if (!isTakenOver && dueInMs > 0) return ['the service’s', now + dueInMs];
  if (probeInMs !== undefined) return ['due when it answers', now + Math.max(dueInMs, probeInMs, 0)];
  return dueInMs > 0 ? ['due', now + dueInMs] : ['due now'];
}

const MOST_GROUPS = 3;

export function summarise(story: CallbackStory, now: number, sayings: Sayings): string {
  const isSkipped = (to: string) =>
    story.deliveries.some((each) => each.destination === to && isSkippedBySteps(each));
  const next = story.next.flatMap(({ at, who, unlessDelivered }) => {
    const sentence = unlessDelivered ? 'next step, second way' : 'next step';
    const lacking = who.filter((to) => !isSkipped(to));
    if (lacking.length === 0) return [];
    return sayings.say(sentence, { who: sayings.list(lacking), time: sayings.time(at) });
  });
  return [summaryOfNow(story, now, sayings), ...next].join(sayings.say('space'));
}

/** Whether a step would not send this delivery: it sends a held one unless dismissed, and once more, after a take-up, one that a step has told. */
function isSkippedBySteps({ state, reason, telling }: DeliveryRecord): boolean {
  return state === 'held' ? reason === DISMISSED : telling?.escalated === undefined;
}

function summaryOfNow(story: CallbackStory, now: number, sayings: Sayings): string {
  if (story.deliveries.length === 0) return reasonForNobody(story, sayings);
  const groups = groupsOf(story.deliveries.map((delivery) => standingOf(delivery, now)));
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const [{ kind, error, rule }] = group;
    const at = timeOf(group, sayings);
    const time = at === undefined ? '' : sayings.time(at);
    return sayings.say(kind === 'superseded' ? whySuperseded(story) : kind, {
      who: sayings.list(group.map(({ destination }) => destination)),
      time,
      toldAt: time && sayings.say('told at', { time }),
      because: sayings.because(error),
      rule: sayings.rule(rule),
    });
  });
  const more = groups.slice(MOST_GROUPS).flat().length;
  if (more > 0) told.push(sayings.say('more destinations', { count: sayings.number(more) }));
  return told.join(sayings.say('space'));
}

/** The result makes a start and an overdue run out of date; any other notice, such as a recovery, may turn out to be untrue. */
export function whySuperseded(story: Pick<CallbackStory, 'kind' | 'status'>): Sentence {
  const isStart = story.kind === 'callback' && statusNameOf(story) === 'executing';
  return isStart || story.kind === 'overdue' ? 'superseded' : 'no longer true';
}

type Alike = [Standing, ...Standing[]];

function groupsOf(standings: readonly Standing[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const standing of standings) {
    const { kind, error, rule } = standing;
    const key = JSON.stringify([kind, error?.code, error?.message, rule]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [standing]);
    else group.push(standing);
  }
  const place = ([{ kind }]: Alike) => ORDER.indexOf(kind);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b));
}

/** When all deliveries were told, if at one time; for other kinds, the first time at which something happens to one of them. */
function timeOf(group: Alike, sayings: Sayings): number | undefined {
  const times = group.flatMap(({ at }) => at ?? []);
  const isTold = ['told', 'accepted', 'printed'].includes(group[0].kind);
  const isAtOnce = new Set(times.map((at) => sayings.time(at))).size === 1;
  return times.length === 0 || (isTold && !isAtOnce) ? undefined : Math.min(...times);
}
