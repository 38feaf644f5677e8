/** The troubles that a message is about. */
import type { Incident } from '../incident/incident.ts';

/** One of them, as it was when the message was raised. */
export type ToldTrouble = Pick<
  Incident,
  'id' | 'kind' | 'subject' | 'name' | 'sign' | 'gist' | 'since' | 'count'
>;

/** The first troubles that a message names, and how many it leaves out. */
export interface ToldTroubles {
  readonly troubles: readonly ToldTrouble[];
  readonly moreTroubles: number;
}

/** Most troubles that a message names; the others are counted. */
const MOST_TROUBLES = 10;

export function toldTroubles(incidents: readonly Incident[]): ToldTroubles {
  const troubles = incidents.slice(0, MOST_TROUBLES).map(told);
  return { troubles, moreTroubles: incidents.length - troubles.length };
}

function told({ id, kind, subject, name, sign, gist, since, count }: Incident): ToldTrouble {
  return { id, kind, subject, name, sign, gist, since, count };
}
