/** Why a delivery is held back, and until when. */

/** Of an `executing` that nobody is told of any more, since its job's result is there: for good. */
export const SUPERSEDED = 'superseded';

/** Of a delivery, or of a dead letter, that the config no longer sends there: until a route names it again. */
export const NO_LONGER_ROUTED = 'no longer routed';

export interface Hold {
  /** One of the above, or the rule that holds it. */
  readonly code: string;
  /** What is needed to say why, or to plan it anew, e.g. the route; kept as JSON. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Milliseconds, by the store's clock, until Botbell makes it pending again, to be planned by the config of then;
   * undefined: no time ends it.
   */
  readonly endsInMs?: number | undefined;
}

/** @param hold undefined: it is not held */
export function holdColumns<Moment>(hold: Hold | undefined, momentIn: (ms: number) => Moment) {
  return {
    held_because: hold === undefined ? null : hold.code,
    held_details: hold?.details === undefined ? null : JSON.stringify(hold.details),
    held_until: hold?.endsInMs === undefined ? null : momentIn(hold.endsInMs),
  };
}

export function holdIn(row: {
  readonly held_because: string | null;
  readonly held_details: string | null;
  readonly hold_ends_in_ms: number | null;
}): Hold | undefined {
  const { held_because: code, held_details: json, hold_ends_in_ms: endsInMs } = row;
  if (code === null) return undefined;
  const details = json === null ? undefined : (JSON.parse(json) as Hold['details']);
  return { code, details, endsInMs: endsInMs ?? undefined };
}
