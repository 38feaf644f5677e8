/** `botbell status`: what needs somebody, with incidents of one cause on one line, the worst first. */
import { botNamesOf } from '../../channels/value-text.ts';
import {
  calledOf,
  type Group,
  groupsOf,
  type Incident,
  type Sign,
  SIGN_WORDS,
} from '../../incident/incident.ts';
import type { ArchivedIncident } from '../../ledger/archive/archive.ts';
import { gistIn } from '../../people/incidents.ts';
import { incidentJson } from '../../people/json.ts';
import { checkRights } from '../../ledger/open-ledger.ts';
import { visibleOnOneLine, shellWord } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import { errorIn } from '../../text/fault.ts';
import { systemClock } from '../../time/clock.ts';
import { formatAge } from '../../time/display.ts';
import { withArchive } from '../with-ledger.ts';
import { type CommandContext, printJson, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';
import type { Words } from '../words.ts';

type Options = OptionsOf<'status'>;

/** As for `/readyz`: three heartbeats have not been written. */
const SILENT_MS = 15_000;

const NONE = 0;
const SOME = 1;
const NOT_KNOWN = 3;

/** @returns 0: nothing needs somebody; 1: something does; 3: unknown, for the reason in the message */
export async function run(context: CommandContext, { format }: Options) {
  const { say } = context;
  const found = await openNow(context).catch((error: unknown) => errorIn(error, context.speaks.language));
  if (typeof found === 'string') return notKnown(context, found);
  const { open, isFull, isServed, lack } = found;
  const isSome = isFull || open.some(({ isWaiting }) => !isWaiting);
  const why = isServed ? lack : say('status.silent');
  if (!isSome && why !== undefined) return notKnown(context, why);
  // No process is alive, or can write: listed incidents may be over by now, and new ones may be missing.
  if (why !== undefined) context.message(why);
  if (isFull) context.message(say('status.full'));
  print(context, open, format, isFull);
  return isSome ? SOME : NONE;
}

function notKnown(context: CommandContext, why: string): number {
  context.message(context.say('status.not known', { why }));
  return NOT_KNOWN;
}

function print(
  context: CommandContext,
  open: readonly ArchivedIncident[],
  format: Options['format'],
  isFull: boolean,
): void {
  const { hide } = context.secrets;
  const groups = groupsOf(open);
  if (format === 'json') {
    const all = groups.flatMap(({ incidents }) => incidents);
    printJson(
      context,
      all.map((each) => incidentJson(each, hide)),
    );
  } else if (open.length === 0 && !isFull) context.result(context.say('status.well'));
  else {
    const nameOf = namingOf(open, hide);
    for (const group of groups) context.result(hide(linesOf(group, nameOf, context)));
  }
}

/** @returns the open incidents, whether a process is alive, what rights it lacks to write incidents, and whether the store is full: no process can then write that down */
async function openNow(context: CommandContext) {
  const config = await loadLedgerConfig(context);
  const { url, maxSizeBytes } = config.store;
  const lack = await checkRights(url).then(
    () => undefined,
    (error: unknown) => errorIn(error, context.speaks.language),
  );
  return withArchive(config, async (archive) => {
    const living = await archive.processes();
    const isFull = url.startsWith('sqlite:') && (await archive.storeBytes()) > maxSizeBytes;
    const isServed = living.some(({ silentMs }) => silentMs < SILENT_MS);
    return { open: await archive.openIncidents(), isServed, isFull, lack };
  });
}

/** Signs whose words go on from the subject's name: `Invoices failed`. */
const DOES: ReadonlySet<Sign> = new Set(['error', 'overdue', 'down', 'limited']);

const MOST_NAMED = 5;
const LONGEST_NAME = 80;
const LONGEST_ID = 250;

/** `Invoices, Orders failed: connection refused (2 BOTs, 4 times, for 2 h); kenji is on it`, what to do, and the command to say who does. */
function linesOf(group: Group<ArchivedIncident>, nameOf: NameOf, context: CommandContext): string {
  const { say, secrets, speaks } = context;
  const { hide } = secrets;
  const { language } = speaks;
  const { latest, incidents, since, count } = group;
  const { sign, takenUp, isWaiting } = latest;
  const gist = gistIn(latest, language);
  const line = say(DOES.has(sign) ? 'status.line' : 'status.line, of', {
    who: subjectsOf(incidents, nameOf, say),
    what: SIGN_WORDS[sign][language] + (gist && `: ${gist}`),
    bots: incidents.length === 1 ? '' : say('status.bots', { count: incidents.length }),
    count,
    age: formatAge(Math.max(0, systemClock.now() - since), language),
  });
  const because = takenUp?.because && `: ${takenUp.because}`;
  const taken = takenUp && say('status.taken', { by: takenUp.by, because: because ?? '' });
  const waiting = isWaiting ? say('status.waiting') : '';
  const free = incidents.flatMap(({ id, takenUp: by }) => (by === undefined ? [id] : []));
  const takeUp = free.length > 0 && styled(context, 'dim', `botbell take-up ${free.join(' ')} --by NAME`);
  const all = visibleOnOneLine(line + (taken ?? '') + waiting);
  return [all, toDo(latest, hide, say), ...(takeUp ? [takeUp] : [])].join('\n    ');
}

function toDo({ sign, subject }: Incident, hide: (text: string) => string, say: Words): string {
  if (sign !== 'error') return say(`status.to do, ${sign}`);
  return say('status.to do, error', {
    bot: shellWord(visibleOnOneLine(shortLine(hide(subject), LONGEST_ID))),
  });
}

type NameOf = ReturnType<typeof namingOf>;

/** @param hide removes secrets, before the cut: a part of a secret would not be recognised */
function namingOf(open: readonly Incident[], hide: (text: string) => string) {
  const botOf = (each: Incident) => ({ bot_id: hide(each.subject), bot_name: hide(calledOf(each)) });
  const nameOf = botNamesOf(open.map(botOf), LONGEST_NAME);
  return (incident: Incident) => nameOf(botOf(incident));
}

function subjectsOf(incidents: readonly Incident[], nameOf: NameOf, say: Words): string {
  const names = incidents.map(nameOf);
  const rest = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? say('status.more', { rest }) : '');
}
