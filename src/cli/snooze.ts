/** `botbell snooze`: snoozes a BOT, a destination or both for a while; lists and ends snoozes. */
import { decidedBy } from '../app/settings.ts';
import type { KeptSnooze } from '../ledger/timers/snoozes.ts';
import { snoozeJson } from '../people/json.ts';
import { outcomeInWords } from '../people/outcomes.ts';
import { readSnooze } from '../people/snooze.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant } from '../time/display.ts';
import { beside } from './beside.ts';
import { actorHere, type CommandContext, printJson, WrongUsage } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

interface Options {
  readonly to?: string;
  /** A date-time, `tomorrow` or `next-success`. */
  readonly until?: string;
  readonly because?: string;
  readonly list?: boolean;
  readonly end?: number;
  readonly format: 'text' | 'json';
}

export async function run(context: CommandContext, botId = '', options: Options): Promise<number> {
  const { to = '', until = '', because = '', list = false, end, format } = options;
  const isNew = !list && end === undefined;
  if (!isNew && botId !== '') throw new WrongUsage('a BOT goes with --until alone');
  const config = await loadLedgerConfig(context);
  const fields = { bot_id: botId, destination: to, until, because };
  // Before a ledger is looked for.
  if (isNew) readSnooze(fields, { now: systemClock.now(), timezone: config.display.timezone });
  return beside(decidedBy({ config, configHash: '' }), async ({ people }) => {
    if (end !== undefined) {
      context.result(`${end}: ${outcomeInWords(await people.endSnooze(end, actorHere()), 'en')}`);
      return 0;
    }
    const begun = isNew ? await people.snooze(fields, actorHere()) : undefined;
    if (begun?.values?.['hint']) context.message(visibleOnOneLine(outcomeInWords(begun, 'en')));
    const kept = (await people.snoozes()).filter(
      ({ id }) => begun === undefined || id === begun.json?.['id'],
    );
    if (format === 'json') printJson(context, kept.map(snoozeJson));
    else if (kept.length === 0) context.message('nothing is snoozed');
    else for (const snooze of kept) context.result(lineOf(snooze, config.display.timezone));
    return 0;
  });
}

const LONGEST_NAME = 200;

/** `3: BOT invoice-import at slack:#ops, until 25 Nov 2026, 09:00:00 (GMT+9), by kenji: maintenance (4 held)` */
function lineOf(snooze: KeptSnooze, timezone: string): string {
  const { id, botId, destination, untilSuccess, because, by, held } = snooze;
  const bot = botId === undefined ? 'every BOT' : `BOT ${shortLine(botId, LONGEST_NAME)}`;
  const place = destination === undefined ? '' : ` at ${destination}`;
  const time = formatInstant(snooze.until, timezone, 'en');
  const until = untilSuccess ? `its next success, ${time} at the latest` : time;
  const reason = because === '' ? '' : `: ${because}`;
  return visibleOnOneLine(`${id}: ${bot}${place}, until ${until}, by ${by}${reason} (${held} held)`);
}
