/** `botbell snooze`: snoozes a BOT, a destination or both for a while; lists and ends snoozes. */
import type { Config } from '../../config/config.ts';
import type { KeptSnooze } from '../../ledger/timers/timers.ts';
import { snoozeJson } from '../../people/json.ts';
import { MOST_SNOOZES, readSnooze } from '../../people/snooze.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import { systemClock } from '../../time/clock.ts';
import { formatInstant } from '../../time/display.ts';
import { withArchive, withLedger } from '../with-ledger.ts';
import { actorHere, type CommandContext, inWords, printJson } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';

export async function run(context: CommandContext, botId = '', options: OptionsOf<'snooze'>) {
  const { to = '', until = '', because = '', list = false, end, format } = options;
  const isNew = !list && end === undefined;
  const config = await loadLedgerConfig(context);
  const fields = { bot_id: botId, destination: to, until, because };
  // Wrong fields are reported before a ledger is looked for.
  if (isNew) readSnooze(fields, { now: systemClock.now(), timezone: config.display.timezone });
  const print = (
    kept: readonly KeptSnooze[],
    lines = kept.map((each) => lineOf(each, context, config.display)),
  ) => {
    if (format === 'json') printJson(context, kept.map(snoozeJson));
    else if (lines.length === 0) context.message(context.say('snooze.none'));
    else context.result(lines.join('\n'));
    return 0;
  };
  if (list)
    return withArchive(config, async ({ snoozes }) => print((await snoozes({ limit: MOST_SNOOZES })).items));
  return withLedger({ config }, async ({ people, ledger }) => {
    const begun = isNew ? await people.snooze(fields, actorHere()) : undefined;
    if (begun?.name === 'snoozed, unknown') context.message(visibleOnOneLine(inWords(context, begun)));
    const ids = [Number(end ?? begun?.json?.['id'])];
    const { items: kept } = await ledger.archive.snoozes({}, { ids });
    const ended = end === undefined ? undefined : inWords(context, await people.endSnooze(end, actorHere()));
    return print(kept, ended === undefined ? undefined : [`${end}: ${ended}`]);
  });
}

const LONGEST_NAME = 200;

/** `3: BOT invoice-import at slack:#ops, until 25 Nov 2026, 09:00:00 (GMT+9), by kenji: maintenance (4 held)` */
function lineOf(
  snooze: KeptSnooze,
  { say }: CommandContext,
  { timezone, language }: Config['display'],
): string {
  const { id, botId, destination, isUntilSuccess, because, by, held } = snooze;
  const bot = botId === undefined ? say('snooze.every BOT') : `BOT ${shortLine(botId, LONGEST_NAME)}`;
  const place = destination === undefined ? '' : say('snooze.at', { destination });
  const time = formatInstant(snooze.until, timezone, language);
  const until = isUntilSuccess ? say('snooze.success', { time }) : time;
  const reason = because === '' ? '' : `: ${because}`;
  const values = { id, what: bot + place, until, by: by + reason, held };
  return visibleOnOneLine(say('snooze.line', values));
}
