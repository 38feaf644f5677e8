/** `botbell snooze`: snoozes a BOT, a destination or both for a while; lists and ends snoozes. */
import type { Config } from '../config/config.ts';
import { openBeside } from '../ledger/open-ledger.ts';
import type { KeptSnooze } from '../ledger/signal/snoozes.ts';
import { readSnoozeEnd } from '../signal/calendar.ts';
import { snoozeJson } from '../story/story-json.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant } from '../time/display.ts';
import { actorHere, type CommandContext, CommandFailed, WrongUsage } from './context.ts';
import { destinationIn } from './destination.ts';
import { loadLedgerConfig } from './load-config.ts';

interface Options {
  readonly to?: string;
  /** A date-time, `tomorrow` or `next-success`. */
  readonly until?: string;
  readonly because?: string;
  readonly list?: boolean;
  /** The id of the snooze to end. */
  readonly end?: number;
  readonly format: 'text' | 'json';
}

export async function run(
  context: CommandContext,
  botId: string | undefined,
  options: Options,
): Promise<number> {
  refuseMisuse(botId, options);
  const config = await loadLedgerConfig(context);
  const request = options.until === undefined ? undefined : requestOf(botId, options, config);
  const ledger = await openBeside(config.store.url);
  const { actions } = ledger;
  try {
    if (options.end !== undefined) return ended(context, options.end, await actions.endSnooze(options.end));
    const id = request && (await actions.snooze(request));
    const kept = await actions.snoozes();
    print(context, id === undefined ? kept : kept.filter((each) => each.id === id), options, config);
    return 0;
  } finally {
    await ledger.close();
  }
}

/** Refuses combinations beyond those that commander's `conflicts` excludes. @throws {WrongUsage} */
function refuseMisuse(bot: string | undefined, { list, end, to, until }: Options): void {
  if (list === true || end !== undefined) {
    if (bot !== undefined) throw new WrongUsage('a BOT goes with --until alone');
    return;
  }
  if (!(bot ?? to)) throw new WrongUsage('name a BOT, with --to a destination, or both');
  if (until === undefined)
    throw new WrongUsage('say --until when: a date-time, tomorrow, or next-success of a BOT');
  if (bot === undefined && until === 'next-success')
    throw new WrongUsage('--until next-success goes with a BOT');
}

const LONGEST_REASON = 1000;

/** @throws {CommandFailed} if the config does not use the destination, or the time is over */
function requestOf(botId: string | undefined, options: Options, config: Config) {
  const { to, until = '', because = '' } = options;
  const destination = to === undefined ? undefined : destinationIn(config, to);
  const end = readSnoozeEnd(until, { now: systemClock.now(), timezone: config.display.timezone });
  if (end === undefined) throw new CommandFailed(`--until ${until}: that is over already`);
  return { botId, destination, ...end, because: shortLine(because, LONGEST_REASON), actor: actorHere() };
}

function ended(context: CommandContext, id: number, hasEnded: boolean): number {
  if (hasEnded) context.result(`${id} has ended: what it held is told as one summary`);
  else context.message(`there is no snooze ${id}, or it has ended before`);
  return hasEnded ? 0 : 1;
}

function print(context: CommandContext, kept: readonly KeptSnooze[], { format }: Options, config: Config) {
  if (format === 'json') context.result(visible(JSON.stringify(kept.map(snoozeJson), null, 2)));
  else if (kept.length === 0) context.message('nothing is snoozed');
  else for (const snooze of kept) context.result(lineOf(snooze, config));
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
