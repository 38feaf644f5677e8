/** Why a delivery is held back, beside the rules of a config. */

/** Of an `executing` that nobody is told of any more, since its job's result is there: for good. */
export const SUPERSEDED = 'superseded';

/** Of a delivery, or of a dead letter, that the config no longer sends there: until a route names it again. */
export const NO_LONGER_ROUTED = 'no longer routed';

/** Of a dead letter, or of what is no longer routed, that a person has done with: no route names it again. */
export const DISMISSED = 'dismissed';
