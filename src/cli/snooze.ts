/** `botbell snooze`: has nobody told of a BOT, or at a destination, for a while; lists what is snoozed, and ends it. */
import { decidedBy } from '../app/settings.ts';
import type { Config } from '../config/config.ts';
import { type LedgerBeside, openBeside } from '../ledger/open-ledger.ts';
import type { KeptSnooze } from '../ledger/signal/snoozes.ts';
import { readSnoozeEnd } from '../signal/snooze.ts';
import { snoozeJson } from '../story/story-json.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant } from '../time/display.ts';
import { actorHere, type CommandContext, CommandFailed, failedBecause } from './context.ts';
import { destinationAmong } from './destination.ts';
import { loadLedgerConfig } from './load-config.ts';

export interface SnoozeOptions {
  readonly to?: string;
  /** A date-time, `tomorrow` or `next-success`. */
  readonly until?: string;
  readonly because?: string;
  readonly list?: boolean;
  /** The id of the snooze to end. */
  readonly end?: number;
  readonly format: 'text' | 'json';
}

/** What makes no sense together, beyond the options that exclude each other; undefined: all does. */
export function snoozeMisuse(bot: string | undefined, options: SnoozeOptions): string | undefined {
  const { list, end, to, until, format } = options;
  if (format === 'json' && list !== true) return '--format json goes with --list';
  if (list === true || end !== undefined)
    return bot === undefined ? undefined : 'a BOT goes with --until alone';
  if (!(bot ?? to)) return 'name a BOT, with --to a destination, or both';
  if (until === undefined) return 'say --until when: a date-time, tomorrow, or next-success of a BOT';
  return bot === undefined && until === 'next-success' ? '--until next-success goes with a BOT' : undefined;
}

export async function snoozeCommand(
  context: CommandContext,
  botId: string | undefined,
  options: SnoozeOptions,
): Promise<number> {
  const config = loadLedgerConfig(context);
  const request = options.until === undefined ? undefined : requestOf(botId, options, config);
  let ledger: LedgerBeside | undefined;
  try {
    ledger = await openBeside(config.store.url, systemClock);
    if (options.end !== undefined) return await end(context, ledger, options.end);
    const id = request && (await ledger.actions.snooze(request));
    const kept = await ledger.actions.snoozes();
    if (id === undefined) return list(context, kept, options, config);
    for (const snooze of kept.filter((each) => each.id === id)) context.result(lineOf(snooze, config));
    const isKnown = botId === undefined || (await ledger.archive.bot(botId)) !== undefined;
    if (!isKnown) context.message('no callback of this BOT has come yet: is this how callbacks name it?');
    return 0;
  } catch (error) {
    throw failedBecause(error, secretsHidden(config.secrets));
  } finally {
    await ledger?.close();
  }
}

/** @throws {CommandFailed} the config has no such destination, or the time is over */
function requestOf(botId: string | undefined, options: SnoozeOptions, config: Config) {
  const { to, until = '', because = '' } = options;
  const known = [...decidedBy(config, '').destinations.keys()];
  const destination = to === undefined ? undefined : destinationAmong(known, to, config);
  const end = readSnoozeEnd(until, { now: systemClock.now(), timezone: config.display.timezone });
  if (end === undefined) throw new CommandFailed(`--until ${until}: that is over already`);
  return { botId, destination, ...end, because: shortLine(because, LONGEST_REASON), actor: actorHere() };
}

const LONGEST_REASON = 1000;

async function end(context: CommandContext, { actions }: LedgerBeside, id: number): Promise<number> {
  const hasEnded = await actions.endSnooze(id);
  if (hasEnded) context.result(`${id} has ended: what it held is told as one summary`);
  else context.message(`there is no snooze ${id}, or it has ended before`);
  return hasEnded ? 0 : 1;
}

function list(
  context: CommandContext,
  kept: readonly KeptSnooze[],
  { format }: SnoozeOptions,
  config: Config,
): number {
  if (format === 'json') context.result(visible(JSON.stringify(kept.map(snoozeJson), null, 2)));
  else if (kept.length === 0) context.message('nothing is snoozed');
  else for (const snooze of kept) context.result(lineOf(snooze, config));
  return 0;
}

const LONGEST_NAME = 200;

/** `3: BOT invoice-import at slack:#ops, until 25 Nov 2026, 09:00:00 (GMT+9), by kenji: maintenance (4 held)` */
function lineOf(snooze: KeptSnooze, { display: { timezone } }: Config): string {
  const { id, botId, destination, untilSuccess, because, by, held } = snooze;
  const bot = botId === undefined ? 'every BOT' : `BOT ${shortLine(botId, LONGEST_NAME)}`;
  const place = destination === undefined ? '' : ` at ${destination}`;
  const time = formatInstant(snooze.until, timezone, 'en');
  const until = untilSuccess ? `its next success, ${time} at the latest` : time;
  const reason = because === '' ? '' : `: ${because}`;
  return visibleOnOneLine(`${id}: ${bot}${place}, until ${until}, by ${by}${reason} (${held} held)`);
}
