/** `botbell why`: what became of each callback of a job, or of a BOT's last ones, and why, as the ledger has it. */
import type { Config } from '../config/config.ts';
import type { ArchivedCallback } from '../ledger/archive/archive.ts';
import { openArchive } from '../ledger/open-ledger.ts';
import type { Archive } from '../ledger/people.ts';
import { loadStory } from '../story/story.ts';
import { storyJson } from '../story/story-json.ts';
import { visible, visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, failedBecause } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';
import { storyInLines } from './story-lines.ts';
import { hintOn } from './why-hints.ts';

export interface WhyOptions {
  readonly bot?: string;
  /** Default: all of a job, five of a BOT. */
  readonly last?: number;
  readonly format: 'text' | 'json';
}

/** Of a job that has more, the older ones have to be asked for. */
const MOST_OF_JOB = 100;
const MOST_OF_BOT = 5;

const LONGEST_ID = 200;

export async function whyCommand(
  context: CommandContext,
  jobId: string | undefined,
  options: WhyOptions,
): Promise<number> {
  const config = loadLedgerConfig(context);
  const opened = await openArchive(config.store.url).catch((error: unknown) => {
    throw failedBecause(error, secretsHidden(config.secrets));
  });
  try {
    const wanted = options.last ?? (jobId === undefined ? MOST_OF_BOT : MOST_OF_JOB);
    const filter = { jobId, botId: options.bot };
    const newest = await opened.archive.callbacks(filter, { limit: wanted });
    if (newest.items.length === 0) {
      context.message(nothingKnown(jobId, options));
      return 1;
    }
    if (newest.next !== undefined && jobId !== undefined)
      context.message(`these are the last ${wanted} callbacks of the job; for more, say --last <n>`);
    await print(context, opened.archive, newest.items.toReversed(), config, options.format);
    return 0;
  } finally {
    await opened.close();
  }
}

function nothingKnown(jobId: string | undefined, { bot = '' }: WhyOptions): string {
  const id = JSON.stringify(shortLine(jobId ?? bot, LONGEST_ID));
  return visibleOnOneLine(
    `no callback of ${jobId === undefined ? 'the BOT' : 'job'} ${id} is known here: it never came, was refused (its body is then kept with the reason), came to another store.url, or has been forgotten (store.keep)`,
  );
}

/** One after the other, so that a thousand stories are not in memory at once. */
async function print(
  context: CommandContext,
  archive: Archive,
  callbacks: readonly ArchivedCallback[],
  config: Config,
  format: WhyOptions['format'],
): Promise<void> {
  const redact = secretsHidden(config.secrets);
  const { language, timezone } = config.display;
  const { giveUpAfterMs } = config.delivery;
  const shapes: unknown[] = [];
  for (const { id } of callbacks) {
    const now = systemClock.now();
    const told = await loadStory(archive, id, { language, timezone, giveUpAfterMs, redact, now });
    if (told === undefined) continue;
    if (format === 'json') shapes.push(storyJson(told, redact));
    else {
      const hint = hintOn(told.callback, config);
      context.result(storyInLines(context, { ...told, hint }, { language, timezone, redact }));
    }
  }
  if (format === 'json') context.result(visible(JSON.stringify(shapes, null, 2)));
}
