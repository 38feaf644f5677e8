/** The troubles that a message is about. */
import type { Incident } from '../incident/incident.ts';

/** One of them, as it was when the message was raised. */
export interface ToldTrouble extends Pick<
  Incident,
  'id' | 'kind' | 'subject' | 'name' | 'sign' | 'gist' | 'since' | 'count'
> {
  /** Of a destination: how many messages were told late, and how many were given up. */
  readonly late?: number | undefined;
  readonly lost?: number | undefined;
}

/** The first troubles that a message names, and how many it leaves out. */
export interface ToldTroubles {
  readonly troubles: readonly ToldTrouble[];
  readonly moreTroubles: number;
}

const MOST_TROUBLES = 10;

export function toldTroubles(
  incidents: readonly (Incident & Pick<ToldTrouble, 'late' | 'lost'>)[],
): ToldTroubles {
  const troubles = incidents.slice(0, MOST_TROUBLES).map(told);
  return { troubles, moreTroubles: incidents.length - troubles.length };
}

function told(incident: Incident & Pick<ToldTrouble, 'late' | 'lost'>): ToldTrouble {
  const { id, kind, subject, name, sign, gist, since, count, late, lost } = incident;
  return { id, kind, subject, name, sign, gist, since, count, late, lost };
}
