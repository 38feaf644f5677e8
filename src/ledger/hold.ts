/** Why a delivery is held back, and until when. */

/** Of an `executing` that nobody is told of any more, since its job's result is there: for good. */
export const SUPERSEDED = 'superseded';

/** Of a delivery, or of a dead letter, that the config no longer sends there: until a route names it again. */
export const NO_LONGER_ROUTED = 'no longer routed';

/** Of a dead letter, or of what is no longer routed, that a person has done with: no route names it again. */
export const DISMISSED = 'dismissed';

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
