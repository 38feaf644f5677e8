/** Incidents for people: what they may ask, and what they do about them. */
import { array, boolean, number, object, string } from 'yup';
import { INCIDENT_KINDS, INCIDENT_STATES, type TakenUp } from '../incident/incident.ts';
import { storeTroubleIn } from '../incident/store-trouble.ts';
import { faultIn } from '../callback/fault-words.ts';
import type { ChannelType } from '../channels/channel.ts';
import { failureInWords } from '../channels/failure.ts';
import { formatsOf } from '../config/config.ts';
import type { Planning } from '../deliver/settings.ts';
import type { ArchivedIncident } from '../ledger/archive/archive.ts';
import type { IncidentFilter } from '../ledger/incidents/people.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import type { PlannedTarget } from '../route/router.ts';
import { shortLine } from '../text/cut.ts';
import { gistOf } from '../text/gist.ts';
import type { Language } from '../time/display.ts';
import { DESTINATION, oneOf, PAGE, readParameters, TEXT } from './filters.ts';
import { Refused } from './outcomes.ts';

/** Characters of a name or a reason; more are cut. */
const LONGEST_TEXT = 300;

/** The most incidents in one take-up: as many as may be open for one cause. */
const MOST_AT_ONCE = 10_000;

/** Ignores empty parameters, which forms send. @throws {Refused} */
export function readIncidentFilter(query: URLSearchParams) {
  const known = {
    state: oneOf(...INCIDENT_STATES),
    kind: oneOf(...INCIDENT_KINDS),
    bot_id: TEXT,
    destination: DESTINATION,
    ...PAGE,
  };
  const { before, limit, bot_id: botId, ...rest } = readParameters(query, known, true);
  const filter: IncidentFilter = { ...rest, botId };
  return { filter, page: { before, limit } };
}

/** What a person says when taking incidents up. */
export interface TakeUpFields {
  readonly by: string;
  readonly because: string;
  /** Whether BOTs are also snoozed until their next success. */
  readonly quiet: boolean;
}

/** The body of a request to take incidents up. */
export const TAKE_UP_BODY = object({
  ids: array(number().integer().required()),
  by: string().nullable(),
  because: string().nullable(),
  quiet: boolean(),
});

/** @throws {Refused} nobody is named, or no incident, or too many */
export function readTakeUp(
  ids: readonly number[],
  { by, because, quiet }: TakeUpFields,
  actor: Actor,
): Omit<TakenUp, 'at'> & { readonly quiet: boolean } {
  const name = shortLine(by, LONGEST_TEXT) || actor.user;
  if (name === undefined || name === '') throw new Refused({ name: 'take up by whom' });
  if (ids.length === 0 || ids.length > MOST_AT_ONCE) throw new Refused({ name: 'take up what' });
  return { by: name, because: shortLine(because, LONGEST_TEXT), quiet };
}

/** The gist, in the given language if its words are Botbell's. */
export function gistIn({ sign, gist, lastError }: ArchivedIncident, language: Language): string {
  if (lastError !== undefined && gistOf(lastError.message) === gist)
    return failureInWords(lastError, language);
  if (sign === 'store') return storeTroubleIn(gist, language);
  if (sign !== 'refused') return gist;
  const [, pointer = '', fault = gist] = /^(\/\S*) (.*)$/u.exec(gist) ?? [];
  return `${pointer} ${faultIn(fault, language)}`.trim();
}

/** Destinations that get the notices of troubles, but not those that somebody is on them or that they are over. */
export function toldOfTroublesAlone(
  { config, destinations }: Pick<Planning, 'config' | 'destinations'>,
  channelTypes: ReadonlyMap<string, ChannelType>,
): readonly string[] {
  const formats = formatsOf(config, channelTypes);
  if ([...formats.values()].every(({ isSpared }) => isSpared === undefined)) return [];
  const isSpared = ({ channel, destination }: PlannedTarget) =>
    formats.get(channel)?.isSpared?.(destination) === true;
  return [...destinations.values()].filter(isSpared).map(({ destination }) => destination);
}
