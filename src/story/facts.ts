/** What a story is made of: things that happened, each with what its sentence needs, in no language. */
import type { StatusName } from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import type { Actor } from '../ledger/actions/action.ts';
import type { CallbackResult } from '../ledger/ledger.ts';
import type { OpenStanding } from './standing.ts';

interface Happened {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly destination?: string | undefined;
}

/** By its name in the config; `pattern` undefined: the default route, which goes by none. */
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

interface Attempt {
  /** 1 for the first one. */
  readonly number: number;
  readonly durationMs: number;
}

/** By their kinds. Durations are milliseconds. */
export interface Facts {
  readonly received: { readonly botName: string; readonly status: StatusName };
  readonly receivedAgain: { readonly time: number };
  /** An alert. */
  readonly raised: { readonly botName: string };
  readonly routeTells: Route & { readonly reaches: readonly string[] };
  readonly routeTellsNobody: Route;
  readonly routeToldAlready: Route;
  readonly routeOfOtherStatus: Route & { readonly on: readonly StatusName[]; readonly status: StatusName };
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
  /** Without number: the attempt is no longer in the history. */
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
  /** The last time that it came. */
  readonly unanswered: object;
  /** Whom it has told. */
  readonly alerted: { readonly told: readonly string[]; readonly untold: readonly string[] };
  readonly redelivered: ByHand;
  readonly dismissed: ByHand;
  readonly routedByHand: ByHand;
  readonly leftOut: { readonly count: number };
  readonly next: { readonly standing: OpenStanding };
}

export type FactKind = keyof Facts;

export type FactOf<Kind extends FactKind> = Happened & { readonly kind: Kind } & Facts[Kind];

export type Fact = { [Kind in FactKind]: FactOf<Kind> }[FactKind];
