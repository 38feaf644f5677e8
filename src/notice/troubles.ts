/** The troubles that a message is about. */
import type { Incident, Sign } from '../incident/incident.ts';

/** One trouble of those that a message is about. */
export interface ToldTrouble extends Pick<
  Incident,
  'id' | 'kind' | 'subject' | 'name' | 'gist' | 'since' | 'count'
> {
  readonly sign: Sign;
}

/** The first troubles that a message names, and how many it leaves out. */
export interface ToldTroubles {
  readonly troubles: readonly ToldTrouble[];
  readonly moreTroubles: number;
}

/** Most troubles that a message names; the others are counted. */
const MOST_TROUBLES = 10;

export function toldTroubles(incidents: readonly Incident[]): ToldTroubles {
  const troubles = incidents
    .slice(0, MOST_TROUBLES)
    .map(({ id, kind, subject, name, gist, since, count, sign }) => ({
      id,
      kind,
      subject,
      name,
      gist,
      since,
      count,
      sign,
    }));
  return { troubles, moreTroubles: incidents.length - troubles.length };
}
