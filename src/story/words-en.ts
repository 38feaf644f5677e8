/** The sentences of a story in English. */
import type { StatusName } from '../callback/callback.ts';
import type { Actor } from '../ledger/actions/action.ts';
import type { CallbackResult } from '../ledger/ledger.ts';
import type { ByHand } from './facts.ts';
import { AT_ONCE_MS, type Sayings, WORTH_TELLING_MS } from './sayings.ts';
import type { Group, Words } from './words.ts';

const REPORTED: Readonly<Record<StatusName, string>> = {
  succeeded: 'succeeded',
  error: 'ended in an error',
  executing: 'has started',
};

const ONE: Readonly<Record<StatusName, string>> = {
  succeeded: 'a success',
  error: 'an error',
  executing: 'a start',
};

const MANY: Readonly<Record<StatusName, string>> = {
  succeeded: 'successes',
  error: 'errors',
  executing: 'starts',
};

const ANSWERED: Readonly<Record<CallbackResult, string>> = {
  delivered: 'everybody has been told',
  duplicate: 'everybody had been told before',
  no_route: 'nobody is to be told',
  superseded: 'the job’s result is known already, so nobody is told any more',
  held: 'it is held back for now',
  accepted: 'it is written down, and Botbell tells everybody by itself',
  taken_over: 'Botbell itself goes on trying to tell who is missing',
  gave_up: 'Botbell has given up telling somebody',
  failed: 'somebody could not be told, so it is to be posted again',
  timed_out: 'there was no time to tell everybody, so it is to be posted again',
  unavailable: 'Botbell could not take it, so it is to be posted again',
};

const VIA: Readonly<Record<Actor['via'], string>> = {
  page: 'on the page',
  api: 'by the API',
  'command line': 'on the command line',
};

function statuses(on: readonly string[]): string {
  const names = on.map((status) => MANY[status as StatusName]);
  return names.length === 0 ? 'nothing' : names.join(' and ');
}

/** @param pattern undefined: the default route */
function routeFor(pattern: string | undefined, { name }: Sayings): string {
  return pattern === undefined
    ? 'No route names this BOT, and the default route'
    : `The route for ${name(pattern)}`;
}

function why({ error }: Pick<Group, 'error'>, { cause }: Sayings): string {
  return error === undefined ? '' : ` (${cause(error)})`;
}

/** @param did what, before and after whom */
function byHand(did: string, { actor, note, bulkId }: ByHand, { name }: Sayings): string {
  const user = actor.user === undefined ? 'Somebody' : name(actor.user);
  const bulk = bulkId === undefined ? '' : ` (in bulk, no. ${bulkId})`;
  const words = note === undefined || note === '' ? '.' : `: “${name(note)}”`;
  return `${user} ${did}, ${VIA[actor.via]}, from ${name(actor.from)}${bulk}${words}`;
}

function whom(destinations: readonly string[], { list }: Sayings): string {
  return destinations.length === 0 ? 'it' : `the message for ${list(destinations)}`;
}

function ordinal(number: number): string {
  const [last, teens] = [number % 10, Math.floor(number / 10) % 10 === 1];
  const ending = teens ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[last] ?? 'th');
  return `${number}${ending}`;
}

function after(tookMs: number, { duration }: Sayings): string {
  return tookMs < AT_ONCE_MS ? 'at once' : `after ${duration(tookMs)}`;
}

/** Empty where it is not worth a word. */
function costOf({ tookMs, costMs }: { tookMs: number; costMs: number }, { duration }: Sayings): string {
  if (costMs < WORTH_TELLING_MS) return '';
  const wait = costMs > tookMs ? ', with the wait for the next post' : '';
  return ` That cost the BOT ${duration(costMs)} of running time${wait}.`;
}

function untilGivenUp({ givesUpAt }: Pick<Group, 'givesUpAt'>, { time }: Sayings): string {
  return givesUpAt === undefined ? '' : `; it gives up at ${time(givesUpAt)}`;
}

function atTime(at: number | undefined, { time }: Sayings): string {
  return at === undefined ? 'later' : `at ${time(at)}`;
}

export const ENGLISH: Words = {
  space: ' ',
  events: {
    received: ({ botName, status }, { name }) =>
      `The job service reported that ${name(botName) || 'a BOT'} ${REPORTED[status]}.`,
    receivedAgain: ({ time }) => `It came again, for the ${ordinal(time)} time.`,
    raised: ({ botName }, { name }) => `Botbell raised this alert about ${name(botName) || 'a message'}.`,
    routeTells: ({ pattern, reaches }, sayings) =>
      `${routeFor(pattern, sayings)} applies: it tells ${sayings.list(reaches)}.`,
    routeTellsNobody: ({ pattern }, sayings) =>
      `${routeFor(pattern, sayings)} applies, and tells nobody, on purpose.`,
    routeToldAlready: ({ pattern }, sayings) =>
      `${routeFor(pattern, sayings)} applies, too; whom it tells, an earlier route tells already.`,
    routeOfOtherStatus: ({ pattern, on, status }, sayings) =>
      `${routeFor(pattern, sayings)} does not apply: it tells only of ${statuses(on)}, and this is ${ONE[status]}.`,
    noOtherRoute: () => 'No other route names this BOT.',
    noRoute: () => 'No route names this BOT, and there is no default route.',
    reroutedByConfig: () => 'The config had changed, so it was routed anew.',
    revived: ({ destination = '' }, { name }) =>
      `The config sends it to ${name(destination)} again, so Botbell tries to tell it after all.`,
    superseded: ({ destination }, { name }) =>
      destination === undefined
        ? 'The job’s result had come before it, so nobody was told that the job had started.'
        : `${name(destination)} was not told that the job had started: its result is known.`,
    unrouted: ({ destination = '' }, { name }) =>
      `The config no longer sends it to ${name(destination)}, so it was held back there.`,
    held: ({ destination = '', code }, { name }) =>
      `It was held back for ${name(destination)}, by the rule ${name(code)}.`,
    attemptFailed: ({ destination = '', number, durationMs, error, isSame }, { name, duration, cause }) => {
      const failed = `The ${ordinal(number)} attempt to tell ${name(destination)} failed after ${duration(durationMs)}`;
      return isSame ? `${failed}, for the same reason.` : `${failed}: ${cause(error)}.`;
    },
    delivered: ({ destination = '', number, durationMs }, { name, duration }) =>
      number === undefined || durationMs === undefined
        ? `${name(destination)} was told.`
        : `${name(destination)} was told, by the ${ordinal(number)} attempt, in ${duration(durationMs)}.`,
    dead: ({ destination = '', error }, sayings) =>
      `Botbell gave up telling ${sayings.name(destination)}${why({ error }, sayings)}.`,
    takenOver: ({ destination = '' }, { name }) =>
      `From here on Botbell itself tries to tell ${name(destination)}, whatever the job service does.`,
    answered: ({ result, tookMs, costMs }, sayings) =>
      `The job service was answered ${after(tookMs, sayings)}: ${ANSWERED[result]}.${costOf({ tookMs, costMs }, sayings)}`,
    unanswered: () => 'No answer to it has been recorded yet.',
    alerted: ({ told, untold }, { list }) =>
      told.length > 0
        ? `The operators were alerted: ${list(told)}.`
        : `The operators are being alerted: ${list(untold)}.`,
    redelivered: (fact, sayings) =>
      byHand(`had ${whom(fact.destinations, sayings)} delivered again`, fact, sayings),
    dismissed: (fact, sayings) => byHand(`marked ${whom(fact.destinations, sayings)} as done`, fact, sayings),
    routedByHand: (fact, sayings) => byHand('had it routed anew', fact, sayings),
    leftOut: ({ count }, { number }) => `${number(count)} more events are left out here.`,
    next: ({ standing, destination = '' }, sayings) =>
      ENGLISH.next[standing.kind]({ ...standing, who: sayings.name(destination) }, sayings),
  },
  next: {
    'being sent': ({ who }) => `${who} is being told at this moment.`,
    due: (group, sayings) =>
      `Botbell tries ${group.who} again ${atTime(group.at, sayings)}${untilGivenUp(group, sayings)}.`,
    'due now': (group, sayings) =>
      `${group.who} is next, as soon as its turn comes${untilGivenUp(group, sayings)}.`,
    'after an earlier one': ({ who }) => `${who} is told once an earlier message of the same job is through.`,
    paused: ({ who, at }, sayings) =>
      `${who} takes no more messages for now: Botbell goes on ${atTime(at, sayings)}.`,
    'the service’s': ({ who, at }, sayings) =>
      `${who} is told when the job service posts it again; unless it does, Botbell takes over ${atTime(at, sayings)}.`,
    'held until': ({ who, at }, sayings) => `${who} is held back until ${time(at, sayings)}.`,
  },
  summary: {
    told: ({ who, at }, { time }) => `Told ${who}${at === undefined ? '' : ` at ${time(at)}`}.`,
    'being sent': ({ who }) => `${who} is being told at this moment.`,
    due: (group, sayings) =>
      `Not told yet: ${group.who}${why(group, sayings)}; Botbell tries again ${atTime(group.at, sayings)}.`,
    'due now': (group, sayings) =>
      `Not told yet: ${group.who}${why(group, sayings)}; Botbell tries as soon as its turn comes.`,
    'after an earlier one': ({ who }) =>
      `Not told yet: ${who}, which waits for an earlier message of the same job.`,
    paused: ({ who, at }, sayings) =>
      `Not told yet: ${who}, which takes no more messages for now; Botbell goes on ${atTime(at, sayings)}.`,
    'the service’s': (group, sayings) =>
      `Not told yet: ${group.who}${why(group, sayings)}; the job service is to post it again, else Botbell takes over ${atTime(group.at, sayings)}.`,
    'held until': ({ who, at }, sayings) => `Held back for ${who} until ${time(at, sayings)}.`,
    held: ({ who, heldBy = '' }, { name }) => `Held back for ${who}, by the rule ${name(heldBy)}.`,
    dead: (group, sayings) => `Not told: ${group.who}; Botbell gave up${why(group, sayings)}.`,
    'dead unrouted': ({ who }) => `Not told: ${who}; the config no longer names anybody for it.`,
    dismissed: ({ who }) => `Not told: ${who}; marked as done by hand.`,
    unrouted: ({ who }) => `Not told: ${who}, where the config no longer sends it.`,
    superseded: ({ who }) => `Not told: ${who}, since the job’s result came first.`,
  },
  nobody: {
    superseded: () => 'the job’s result had come before this start',
    noRoute: () => 'no route names this BOT, and there is no default route',
    onPurpose: () => 'a route for this BOT says so, on purpose',
    otherStatus: (isDefault, on, status) =>
      isDefault
        ? `no route names this BOT, and the default route tells only of ${statuses(on)}; this is ${ONE[status]}`
        : `the routes for this BOT tell only of ${statuses(on)}; this is ${ONE[status]}`,
    unknown: () => 'no route reached anybody',
  },
  nobodyWasTold: (reason) => `Nobody was told: ${reason}.`,
  moreDestinations: (count) => `${count} more destinations are below.`,
};

function time(at: number | undefined, sayings: Sayings): string {
  return at === undefined ? 'later' : sayings.time(at);
}
