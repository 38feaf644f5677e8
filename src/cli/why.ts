/** `botbell why`: what became of each callback of a job, or of a BOT's last ones, and why, as the ledger has it. */
import type { Config } from '../config/config.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import { openArchive } from '../ledger/open-ledger.ts';
import type { Archive } from '../ledger/registry.ts';
import { createRouter } from '../route/router.ts';
import { loadStory } from '../story/story.ts';
import { storyJson } from '../story/story-json.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { cutEnd, shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, WrongUsage } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';
import { storyInLines } from './story-lines.ts';

interface Options {
  readonly bot?: string;
  /** Default: all of a job, five of a BOT. */
  readonly last?: number;
  readonly format: 'text' | 'json';
}

/** Of a job that has more, the older ones have to be asked for. */
const MOST_OF_JOB = 100;
const MOST_OF_BOT = 5;

const LONGEST_ID = 200;

export async function run(
  context: CommandContext,
  jobId: string | undefined,
  options: Options,
): Promise<number> {
  const { bot, last, format } = options;
  if ((jobId === undefined) === (bot === undefined))
    throw new WrongUsage('name either a job or, with --bot, a BOT');
  const config = loadLedgerConfig(context);
  const { archive, close } = await openArchive(config.store.url);
  try {
    const limit = last ?? (jobId === undefined ? MOST_OF_BOT : MOST_OF_JOB);
    const { items, next } = await archive.callbacks({ jobId, botId: bot }, { limit });
    if (items.length === 0) {
      context.message(nothingKnown(jobId, bot));
      return 1;
    }
    if (next !== undefined && jobId !== undefined)
      context.message(`these are the last ${limit} callbacks of the job; for more, say --last <n>`);
    const ids = items.map(({ id }) => id).toReversed();
    await print(context, archive, { ids, config, isJson: format === 'json' });
    return 0;
  } finally {
    await close();
  }
}

function nothingKnown(jobId: string | undefined, bot = ''): string {
  const id = JSON.stringify(shortLine(jobId ?? bot, LONGEST_ID));
  return visibleOnOneLine(
    `no callback of ${jobId === undefined ? 'the BOT' : 'job'} ${id} is known here: it never came, was refused (its body is then kept with the reason), came to another store.url, or has been forgotten (store.keep)`,
  );
}

interface Asked {
  readonly ids: readonly number[];
  readonly config: Config;
  readonly isJson: boolean;
}

/** One after the other, so that a thousand stories are not in memory at once. */
async function print(context: CommandContext, archive: Archive, { ids, config, isJson }: Asked) {
  const redact = context.secrets.hide;
  const display = { ...config.display, redact };
  const shapes: unknown[] = [];
  for (const id of ids) {
    const told = await loadStory(archive, id, { ...display, now: systemClock.now() });
    if (told === undefined) continue;
    if (isJson) shapes.push(storyJson(told, redact));
    else context.result(storyInLines(context, { ...told, hint: hintOn(told.callback, config) }, display));
  }
  if (isJson) context.result(visible(JSON.stringify(shapes, null, 2)));
}

/** Foreign text that a shell takes for one word, and for nothing else. */
const PLAIN_WORD = /^[\w.:@][\w.:@-]*$/;

const LONGEST_LIST = 200;
const MOST_IDS = 5;

/** What can be done about whom it has not told, in the language of the display; undefined: there is nothing to add. */
function hintOn(callback: CallbackStory, { display, routes, defaultRoute }: Config): string | undefined {
  const { deliveries, result, kind, jobId, botId, status } = callback;
  const isJapanese = display.language === 'ja';
  const dead = deliveries.filter(({ state }) => state === 'dead');
  const isDone = deliveries.length > 0 && dead.length === 0;
  if (kind === 'alert' || result === 'superseded' || isDone) return undefined;
  const mendable = dead.filter(({ reason }) => reason !== NO_LONGER_ROUTED).map(({ id }) => id);
  if (mendable.length > 0) {
    const more = mendable.length > MOST_IDS ? ' …' : '';
    const command = `botbell redeliver ${mendable.slice(0, MOST_IDS).join(' ')}${more}`;
    return isJapanese
      ? `原因を取り除いたあと、次のコマンドで再送できます：${command}`
      : `Once the cause is mended, deliver it again: ${command}`;
  }
  const { destinations } = createRouter(routes, defaultRoute).route({ bot_id: botId, status });
  if (destinations.length === 0) return undefined;
  const list = cutEnd(destinations.map(({ destination }) => destination).join(', '), LONGEST_LIST, '…');
  const command = `botbell redeliver --route ${PLAIN_WORD.test(jobId) ? jobId : '<job_id>'}`;
  return isJapanese
    ? `現在の設定では ${list} に通知します。次のコマンドで、いまから通知できます：${command}`
    : `By the config as it is now, it would be told to ${list}: ${command}`;
}
