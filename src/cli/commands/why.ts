/** `botbell why`: tells the stories of a job's callbacks, or of a BOT's latest ones, or what did not reach a destination, from the ledger. */
import { namer } from '../../admin/page/words.ts';
import { planningOf } from '../../app/settings.ts';
import { statusNameOf } from '../../callback/callback.ts';
import { channelTypes } from '../../channels/registry.ts';
import type { Config } from '../../config/config.ts';
import type { ArchivedCallback, CallbackFilter } from '../../ledger/archive/archive.ts';
import type { Archive } from '../../ledger/registry.ts';
import { destinationOf } from '../../people/destinations.ts';
import { notToldJson, storyJson } from '../../people/json.ts';
import { notTold } from '../../people/not-told.ts';
import type { StoryContext, StoryEventName } from '../../story/sayings.ts';
import { type LoadedStory, loadStory } from '../../story/story.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import { systemClock } from '../../time/clock.ts';
import { formatInstant } from '../../time/display.ts';
import { withArchive } from '../with-ledger.ts';
import { CommandFailed, type CommandContext, printJson, type Style, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';

type Options = OptionsOf<'why'>;

/** The newest callbacks that are shown without `--last`. */
const MOST_OF_JOB = 100;
const MOST_OF_BOT = 5;
const SINCE_MS = 86_400_000;

const LONGEST_ID = 200;

interface Asked {
  readonly context: CommandContext;
  readonly archive: Archive;
  readonly telling: StoryContext;
  /** One callback's story, or one reason, in JSON and in lines of text. */
  readonly print: (shape: object, text: string) => void;
}

type Filter = Pick<CallbackFilter, 'jobId' | 'botId'>;

export async function run(context: CommandContext, jobId: string | undefined, options: Options) {
  const { bot: botId, notTold: named, since, last, format } = options;
  const config = await loadLedgerConfig(context);
  const telling = { ...config.display, redact: context.secrets.hide, now: systemClock.now() };
  const shapes: object[] = [];
  const print = (shape: object, text: string) => {
    if (format === 'json') shapes.push(shape);
    else context.result(text);
  };
  await withArchive(config, async (archive) => {
    const asked = { context, archive, telling, print };
    if (named === undefined) return tellStories(asked, { jobId, botId }, last);
    return tellUntold(asked, await destinationIn(archive, named, config), { since, last });
  });
  if (format === 'json') printJson(context, shapes);
  return 0;
}

/** Loads one story at a time, since a callback may be large. */
async function tellStories(
  { context, archive, telling, print }: Asked,
  filter: Filter,
  last = filter.jobId === undefined ? MOST_OF_BOT : MOST_OF_JOB,
): Promise<void> {
  const { items, next } = await archive.callbacks(filter, { limit: last });
  if (items.length === 0) throw new CommandFailed(nothingKnown(context, filter));
  const isCut = filter.jobId !== undefined || items.length < last;
  if (isCut && next !== undefined) context.message(context.say('why.cut', { count: items.length }));
  for (const { id } of items.toReversed()) {
    const story = await loadStory(archive, id, telling);
    if (story === undefined) continue;
    const shape = storyJson(story, { ...telling, redact: context.secrets.hide });
    print(shape, storyInLines(context, story, telling));
  }
}

/** @returns also one that today's config does not tell, where the ledger knows it. @throws {Refused} neither knows it */
async function destinationIn(archive: Archive, named: string, config: Config): Promise<string> {
  try {
    return destinationOf(named, planningOf({ config, configHash: '' }), channelTypes);
  } catch (error) {
    const { items } = await archive.callbacks({ destination: named }, { limit: 1 });
    if (items.length === 0) throw error;
    return named;
  }
}

async function tellUntold(
  { context, archive, telling, print }: Asked,
  destination: string,
  { since = SINCE_MS, last: most }: Pick<Options, 'since' | 'last'>,
): Promise<void> {
  const { hide } = context.secrets;
  const found = await notTold(archive, { destination, from: telling.now - since }, telling);
  if (found.length === 0) context.message(context.say('why.all told', { destination }));
  for (const each of found.slice(0, most)) {
    const { count, last, why } = each;
    const at = formatInstant(last.receivedAt, telling.timezone, telling.language);
    const heading = `${count} × ${styled(context, 'bold', headingOf(last, context))} · ${at}`;
    print(notToldJson(each, hide), `${heading}\n  ${visibleOnOneLine(hide(why))}\n`);
  }
}

function nothingKnown({ say }: CommandContext, { jobId, botId = '' }: Filter): string {
  const id = JSON.stringify(shortLine(jobId ?? botId, LONGEST_ID));
  return visibleOnOneLine(
    say('why.none', { what: jobId === undefined ? `BOT ${id}` : say('why.job', { id }) }),
  );
}

/** Symbol and colour of events; the sentence has the same meaning in words. */
const MARKS: Partial<Readonly<Record<StoryEventName, readonly [mark: string, style: Style]>>> = {
  received: ['▸', 'bold'],
  delivered: ['✓', 'green'],
  attempt: ['!', 'yellow'],
  dead: ['✗', 'red'],
  held: ['‖', 'yellow'],
  superseded: ['‖', 'yellow'],
};

const TIME_OF_DAY = /,? (\d+:\d+:\d+)/;

/** The text ends with an empty line. */
function storyInLines(
  context: CommandContext,
  { callback, story }: LoadedStory,
  { timezone, language }: StoryContext,
): string {
  const heading = styled(context, 'bold', headingOf(callback, context));
  const lines = [heading, `  ${visibleOnOneLine(story.summary)}`];
  let day = '';
  for (const { at, what, text, small } of story.events) {
    const instant = formatInstant(at, timezone, language);
    const own = instant.replace(TIME_OF_DAY, '');
    if (own !== day) lines.push(`  ${styled(context, 'dim', own)}`);
    day = own;
    const time = TIME_OF_DAY.exec(instant)?.[1]?.padStart(8, '0') ?? '';
    const [mark, style] = MARKS[what] ?? ['·', 'dim'];
    const said = `  ${time} ${styled(context, style, mark)} ${visibleOnOneLine(text)}`;
    lines.push(
      small === undefined ? said : `${said} ${styled(context, 'dim', `(${visibleOnOneLine(small)})`)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function headingOf(callback: ArchivedCallback, { secrets, say, speaks }: CommandContext): string {
  const { jobId, botId, botName, kind, gist = '' } = callback;
  const name = (text: string) => shortLine(secrets.hide(text), LONGEST_ID);
  const job = jobId === '' ? '' : `${say('why.job', { id: name(jobId) })} · `;
  const named = botName === '' ? '' : ` (${name(botName)})`;
  const [group, value] = kind === 'callback' ? ['status', statusNameOf(callback)] : ['kind', kind];
  const what = speaks.language === 'en' ? value : namer(speaks.language)(group, value);
  const said = gist === '' ? '' : `: ${name(gist)}`;
  return visibleOnOneLine(`${job}BOT ${name(botId)}${named} · ${what}${said}`);
}
