/** Predicts for `botbell route` what the rules would decide about a callback at some time, from the facts in the store. */
import { type CheckedCallback, type StatusName, statusNameOf } from '../../callback/callback.ts';
import { ruleInputs } from '../../deliver/plan.ts';
import type { Planning } from '../../deliver/settings.ts';
import { keyOf, nameIn } from '../../ledger/callbacks/keys.ts';
import type { PlannedDelivery } from '../../ledger/ledger.ts';
import { type Arriving, type Foreseen, applyRules, NOTHING_KNOWN } from '../../ledger/timers/admission.ts';
import { noticeOf } from '../../notice/notice.ts';
import type { AskedRoute, RouteRuling } from '../../signal/decide.ts';
import type { Sayings } from '../../story/sayings.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { errorIn } from '../../text/fault.ts';
import { withArchive } from '../with-ledger.ts';
import type { CommandContext } from '../context.ts';
import type { Project } from '../load-config.ts';

export interface Foreseeing {
  readonly context: CommandContext;
  readonly project: Project;
  readonly planning: Planning;
  readonly sayings: Sayings;
  /** The callback is made up, so that its message and outputs say nothing. */
  readonly isMadeUp: boolean;
}

/**
 * @returns by destination, what the rules decide about it in words, and the deciding route (undefined: the first that reaches it), and whether it is told;
 * destinations without an entry are not reached
 */
export async function ruledLines(foreseeing: Foreseeing, checked: CheckedCallback, at: number) {
  const { context, project } = foreseeing;
  const tell = (message: string) => context.message(visibleOnOneLine(message));
  const arriving = arrivingOf(foreseeing, checked, at, tell);
  const { botKey, watched, planned } = arriving;
  const found = await withArchive(project.config, (archive) =>
    archive.readKnownFacts({ botKey, watched, planned }),
  ).catch((error: unknown) => errorIn(error, context.speaks.language));
  const isKnown = typeof found !== 'string';
  if (!isKnown) tell(context.say('route.unknown', { why: found }));
  const asked = { ...foreseeing, status: statusNameOf(checked.callback), isKnown };
  const { foreseen } = applyRules(arriving, isKnown ? found : NOTHING_KNOWN, at);
  const decided = foreseen.flatMap((each) => {
    const lines = foreseenInLines(each, asked);
    const { route: teller, does = 'tell' } = each.decision?.ruling ?? {};
    return lines === undefined ? [] : [[each.target.destination, { lines, teller, does }] as const];
  });
  return new Map(decided);
}

/** The question that a POST of this callback would ask the ledger. */
function arrivingOf(
  { project, planning, isMadeUp }: Foreseeing,
  checked: CheckedCallback,
  at: number,
  tell: (message: string) => void,
): Arriving {
  const { callback, startedAt } = checked;
  const { job_id, bot_id, bot_name, status } = callback;
  const meets = (condition: string) =>
    isMadeUp || project.renderer.holds(condition, noticeOf(checked, 1), ({ message }) => tell(message));
  const plan = planning.planFor(callback);
  const { planned, ...watched } = plan.asking;
  return {
    callbackId: 0,
    jobId: keyOf(job_id),
    botKey: keyOf(bot_id),
    botId: nameIn(bot_id),
    botName: bot_name,
    status,
    startedAt,
    receivedAt: at,
    planned,
    watched,
    ...ruleInputs(plan, checked, meets),
  };
}

interface Asked extends Foreseeing {
  readonly status: StatusName;
  readonly isKnown: boolean;
}

/** @returns undefined if the callback does not reach the destination */
function foreseenInLines(foreseen: Foreseen, asked: Asked): readonly string[] | undefined {
  const { decision, target } = foreseen;
  const { say } = asked.context;
  const names = rulesOfBefore(target, asked.status);
  const conditions = asked.isMadeUp ? (target.asked ?? []).flatMap(({ rules }) => rules.when ?? []) : [];
  const before = [
    ...names.slice(0, 1).map(() => say('route.before', { rules: names.join(', ') })),
    ...conditions.slice(0, 1).map(() => say('route.when', { conditions: conditions.join(', ') })),
  ];
  if (decision === undefined) return [say('route.told'), ...before];
  const { ruling, routes, telling } = decision;
  const isCertain = asked.isKnown || names.length === 0;
  if (isCertain && ruling.does === 'let go' && ruling.rule === 'on') return undefined;
  const template = telling?.occasion?.template;
  const drawn = template === undefined ? '' : say('route.as', { template });
  // The ruling that counts comes first.
  const others = routes.filter(({ route }) => route !== ruling.route);
  const lines = others.map((other) => inWords(other, foreseen, asked));
  return [`${inWords(ruling, foreseen, asked)}${drawn}`, ...lines, ...before];
}

/** Names of the rules by which each route that reaches the destination may not tell it now; none if one tells it anyway. */
export function rulesOf(asked: readonly Pick<AskedRoute, 'rules'>[], status: StatusName): readonly string[] {
  const named = asked.map(({ rules }) => [
    ...(rules.when === undefined ? [] : ['when']),
    ...rulesOfErrors(rules, status),
    ...(rules.mute.length > 0 ? ['mute'] : []),
  ]);
  return named.some(({ length }) => length === 0) ? [] : [...new Set(named.flat())];
}

function rulesOfErrors(
  { afterFailures, repeat }: AskedRoute['rules'],
  status: StatusName,
): readonly string[] {
  if (status !== 'error') return [];
  return [...(afterFailures > 1 ? ['after_failures'] : []), ...(repeat === 'every' ? [] : ['repeat'])];
}

/** Names of the rules whose decision depends on earlier callbacks. */
function rulesOfBefore({ asked = [], burst }: PlannedDelivery, status: StatusName): readonly string[] {
  const matters = {
    recovered: status === 'succeeded' && asked.some(({ on }) => on.includes('recovered')),
    expect: status !== 'executing' && asked.some(({ timer }) => timer !== undefined),
    burst: burst !== undefined,
  };
  const others = Object.entries(matters).flatMap(([name, isSo]) => (isSo ? name : []));
  return [...new Set(asked.flatMap(({ rules }) => rulesOfErrors(rules, status))), ...others];
}

/** `nightly-*: Held back for slack:#ops until 25 Nov, 07:00: the route is muted then (mute).`, as the story says it */
function inWords({ route, ...ruling }: RouteRuling, { snoozes, target }: Foreseen, asked: Asked): string {
  const { context, sayings } = asked;
  if (ruling.does === 'tell') return `${route}: ${context.say('route.told')}`;
  const { until, snoozeId } = ruling.does === 'hold' ? ruling : {};
  const said = sayings.say(until === undefined ? 'held' : 'held until', {
    who: target.destination,
    rule: sayings.rule(ruling.rule),
    time: until === undefined ? '' : sayings.time(until),
  });
  const snooze = snoozes.find(({ id }) => id === snoozeId);
  if (snooze === undefined) return `${route}: ${said}`;
  const why = snooze.because && `: ${snooze.because}`;
  return `${route}: ${said} (${context.say('route.snooze', { id: snooze.id, by: snooze.by })}${why})`;
}
