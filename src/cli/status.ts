/** `botbell status`: what needs somebody, those of one cause on one line, the worst first. */
import {
  calledOf,
  type Group,
  groupsOf,
  type Incident,
  type Sign,
  SIGN_WORDS,
} from '../incident/incident.ts';
import { openArchive } from '../ledger/open-ledger.ts';
import { incidentJson } from '../people/json.ts';
import { visibleOnOneLine, shellWord } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatAge } from '../time/display.ts';
import { type CommandContext, printJson, styled } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

interface Options {
  readonly format: 'text' | 'json';
}

const NONE = 0;
const SOME = 1;
const NOT_KNOWN = 3;

const SILENT =
  'no process of Botbell has written to the store for half a minute: it does not run, or its store is full or read-only';

/** @returns 0 nothing does, 1 something does, 3 not known, as the message says */
export async function run(context: CommandContext, { format }: Options): Promise<number> {
  const found = await openNow(context).catch((error: unknown) => {
    context.message(`not known: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (found === undefined) return NOT_KNOWN;
  const { open, isServed } = found;
  if (open.length === 0 && !isServed) {
    context.message(`not known: ${SILENT}`);
    return NOT_KNOWN;
  }
  const { hide } = context.secrets;
  const groups = groupsOf(open);
  if (format === 'json')
    printJson(
      context,
      groups.flatMap(({ incidents }) => incidents.map((each) => incidentJson(each, hide))),
    );
  else if (open.length === 0) context.result('all is well');
  else for (const group of groups) context.result(hide(linesOf(group, context)));
  return open.some(({ isWaiting }) => !isWaiting) ? SOME : NONE;
}

interface Found {
  readonly open: readonly Incident[];
  /** Whether some process is alive. */
  readonly isServed: boolean;
}

async function openNow(context: CommandContext): Promise<Found> {
  const config = await loadLedgerConfig(context);
  const { archive, close } = await openArchive(config.store.url);
  try {
    const living = await archive.processes();
    return { open: await archive.openIncidents(), isServed: living.length > 0 };
  } finally {
    await close();
  }
}

const TO_DO: Readonly<Record<Exclude<Sign, 'error'>, string>> = {
  overdue: 'look whether the job still runs; it is over with its result',
  missed: 'look whether the job service starts it; it is over with its next result',
  config: 'mend the setting or the permission, and reload; messages wait meanwhile',
  down: 'look whether the service runs; whatever comes is delivered once it answers',
  store: 'make room, or bring the database back; callbacks are answered 503 meanwhile',
  limited: 'send less there, or raise its limit; messages wait meanwhile',
  dead: 'mend it, then `botbell redeliver` what was not told, or `botbell redeliver --dismiss` it',
  refused: 'see what was posted on the page, under Rejected; it is over after an hour without one',
  reload: 'run `botbell check`; the config before it stays in force',
};

const MOST_NAMED = 5;
const LONGEST_NAME = 80;
const LONGEST_ID = 250;

/** `Invoices, Orders failed: connection refused (2 BOTs, 4 times, for 2 h); kenji is on it`, what to do, and the command to say who does. */
function linesOf(group: Group, context: CommandContext): string {
  const { hide } = context.secrets;
  const { latest, incidents, since, count } = group;
  const { gist, sign, takenUp, isWaiting } = latest;
  const age = formatAge(Math.max(0, systemClock.now() - since), 'en');
  const bots = incidents.length === 1 ? '' : `${incidents.length} BOTs, `;
  const happened = `${SIGN_WORDS[sign].en}${gist === '' ? '' : `: ${gist}`} (${bots}${count} ${count === 1 ? 'time' : 'times'}, for ${age})`;
  const taken = takenUp && `; ${[`${takenUp.by} is on it`, takenUp.because].filter(Boolean).join(': ')}`;
  const waiting = isWaiting ? '; nobody was told yet' : '';
  const line = `${subjectsOf(incidents, hide)} ${happened}${taken ?? ''}${waiting}`;
  const takeUp = `botbell take-up ${incidents.map(({ id }) => id).join(' ')} --by NAME`;
  return `${visibleOnOneLine(line)}\n    ${toDo(latest, hide)}\n    ${styled(context, 'dim', takeUp)}`;
}

function toDo({ sign, subject }: Incident, hide: (text: string) => string): string {
  if (sign !== 'error') return TO_DO[sign];
  return `\`botbell why --bot ${shellWord(visibleOnOneLine(shortLine(hide(subject), LONGEST_ID)))}\` says more; it is over with its next success`;
}

/** @param hide is asked first, since a part of a secret is not known as one */
function subjectsOf(incidents: readonly Incident[], hide: (text: string) => string): string {
  const names = incidents.map((each) => shortLine(hide(calledOf(each)), LONGEST_NAME));
  const rest = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? `, … ${rest} more` : '');
}
