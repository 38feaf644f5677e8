/** What a story is made of: things that happened, each with what its sentence needs, in no language. */
import type { StatusName } from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure-words.ts';
import type { Receipt } from '../channels/channel.ts';
import type { Actor } from '../ledger/actions/action.ts';
import type { CallbackResult } from '../ledger/ledger.ts';
import type { OpenStanding } from './standing.ts';

/** Of things of the same millisecond: what must have come first. */
export const RANK = {
  received: 0,
  asked: 1,
  routed: 2,
  held: 3,
  attempt: 4,
  ended: 5,
  answered: 6,
  after: 7,
} as const;

interface Happened {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** One of `RANK`. */
  readonly rank: number;
  readonly destination?: string | undefined;
}

/** By its name in the config; undefined: of the default route, which goes by no pattern. */
interface Route {
  readonly route: string;
  readonly pattern: string | undefined;
}

export interface ByHand {
  readonly actor: Actor;
  readonly note: string | undefined;
  readonly bulkId: number | undefined;
  readonly destinations: readonly string[];
}

/** By their kinds. Durations are milliseconds. */
export interface Facts {
  readonly received: { readonly botName: string; readonly status: StatusName };
  /** Undefined: the how manieth time is not known. */
  readonly receivedAgain: { readonly time: number | undefined };
  /** An alert. */
  readonly raised: { readonly botName: string };
  readonly routeTells: Route & { readonly reaches: readonly string[] };
  readonly routeTellsNobody: Route;
  readonly routeToldAlready: Route;
  readonly routeOfOtherStatus: Route & { readonly on: readonly string[]; readonly status: StatusName };
  /** As a version before explained it. */
  readonly routeInWords: { readonly route: string; readonly because: string; readonly isMatched: boolean };
  readonly noOtherRoute: object;
  /** Not even a default one. */
  readonly noRoute: object;
  /** The config had changed. */
  readonly reroutedByConfig: object;
  /** The config names the destination again. */
  readonly revived: object;
  readonly superseded: object;
  readonly unrouted: object;
  readonly held: { readonly code: string };
  readonly attemptFailed: Attempt & {
    readonly error: FailureToExplain;
    /** As the attempt before it. */
    readonly isSame: boolean;
  };
  /** Undefined: that attempt was not recorded. */
  readonly delivered: Partial<Attempt> & { readonly receipt: Receipt | undefined };
  readonly dead: { readonly error: FailureToExplain | undefined };
  readonly takenOver: object;
  readonly answered: {
    readonly httpStatus: number;
    readonly result: CallbackResult;
    readonly tookMs: number;
    /** Of the BOT's running time. */
    readonly costMs: number;
  };
  /** That time. */
  readonly unanswered: object;
  /** Whom it has told. */
  readonly alerted: { readonly told: readonly string[]; readonly untold: readonly string[] };
  readonly redelivered: ByHand;
  readonly dismissed: ByHand;
  readonly routedByHand: ByHand;
  /** It stands again as it had ended before it was redelivered in bulk. */
  readonly withdrawn: ByHand;
  readonly leftOut: { readonly count: number };
  readonly next: { readonly standing: OpenStanding };
}

interface Attempt {
  /** 1 for the first one. */
  readonly number: number;
  readonly durationMs: number;
}

export type FactKind = keyof Facts;

export type FactOf<Kind extends FactKind> = Happened & { readonly kind: Kind } & Facts[Kind];

export type Fact = { [Kind in FactKind]: FactOf<Kind> }[FactKind];
