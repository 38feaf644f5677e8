/** The command line: the commands, their arguments and options, and the exit codes. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ALL_STATUSES } from '../callback/callback.ts';
import { readVersion } from '../package-files.ts';
import { widthOf } from '../text/aligned.ts';
import { visible } from '../text/clean.ts';
import { errorIn } from '../text/fault.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { type Language, parseDuration, parseStartTime } from '../time/display.ts';
import { Refused, statusOf } from '../people/outcomes.ts';
import { type CommandContext, inWords, localLanguage, WrongUsage } from './context.ts';
import { describe, inLanguageOf, wrapped } from './help.ts';
import { type Words, wordsIn } from './words.ts';

const WRONG_USAGE = 2;
const FAILED = 1;

const READ_NO_CONFIG = new Set(['demo', 'init', 'schema']);

/** A command's module. After the context, `run` gets the arguments, the options, and the commander `Command`. */
interface CommandFile {
  readonly run: (context: CommandContext, ...given: never[]) => number | Promise<number>;
}

/** Loads a command only when it runs, so that no start loads the others' imports. */
type Load = () => Promise<CommandFile>;

/** Adds a command. */
type Add = (name: string, load: Load, options?: { readonly isDefault: boolean }) => Command;

/** @returns the exit code: 0 success, 1 failure, 2 wrong usage */
export async function runProgram(
  args: readonly string[],
  given: Omit<CommandContext, 'secrets' | 'speaks' | 'say'>,
): Promise<number> {
  const secrets = new HiddenSecrets();
  const speaks = { language: localLanguage(given.variables) };
  const message = (text: string) => given.message(secrets.hide(text));
  const context = { ...given, secrets, speaks, say: wordsIn(speaks), message };
  let code = 0;
  const program = createProgram(context, async (load, values) => {
    const { config } = program.opts<{ config?: string }>();
    const command = await load();
    code = await command.run({ ...context, configFile: config }, ...(values as never[]));
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    const isMisused = error instanceof WrongUsage || (error instanceof Refused && isWrong(error));
    const words =
      error instanceof Refused ? inWords(context, error.outcome) : explanationOf(error, speaks.language);
    message(visible(isMisused ? context.say('usage.error', { words }) : words));
    return isMisused ? WRONG_USAGE : FAILED;
  }
}

/** Whether what was given makes no sense, and not the state of what it names. */
function isWrong({ outcome }: Refused): boolean {
  return [400, 422].includes(statusOf(outcome));
}

/** The error's message; for the types of errors that are bugs, the stack. */
function explanationOf(error: unknown, language: Language): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : errorIn(error, language);
}

/** @param run has a command run, with its arguments */
function createProgram(
  context: CommandContext,
  run: (load: Load, given: unknown[]) => Promise<void>,
): Command {
  const { say } = context;
  const { language } = context.speaks;
  const program = new Command('botbell')
    .version(readVersion(), '-V, --version')
    .option('-c, --config <file>')
    .configureHelp({ showGlobalOptions: true, displayWidth: widthOf, boxWrap: wrapped })
    .addHelpText('afterAll', `\n${say('usage.exit codes')}`)
    // The option belongs to the program, so that it may also be given before the command.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'serve') context.endOnHangup();
      if (program.opts().config !== undefined && READ_NO_CONFIG.has(command.name()))
        program.error(say('usage.no config', { command: command.name() }));
    })
    .configureOutput({
      writeOut: (text) => context.result(inLanguageOf(language, text.trimEnd())),
      writeErr: (text) => context.message(visible(inLanguageOf(language, text.trimEnd()))),
    })
    .exitOverride();
  const add: Add = (name, load, options) =>
    program.command(name, options).action((...given: unknown[]) => run(load, given));
  const read = readersIn(say);
  for (const addSome of [addService, addDryRuns, addLedger, addActions, addTools]) addSome(add, read);
  describe(program, language);
  return program;
}

/** Read an option's text. */
type Readers = ReturnType<typeof readersIn>;

function readersIn(say: Words) {
  const reading =
    <T>(read: (text: string) => T | undefined, rule: string) =>
    (text: string): T => {
      const value = read(text);
      if (value === undefined) throw new InvalidArgumentError(rule);
      return value;
    };
  const namesIn = (text: string) => text.split(',').flatMap((each) => each.trim() || []);
  return {
    duration: reading(parseDuration, say('usage.duration')),
    httpUrl: reading(
      (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined),
      say('usage.url'),
    ),
    nowOrTime: reading(
      (text) => (text === 'now' || parseStartTime(text, 'UTC') !== undefined ? text : undefined),
      say('usage.time'),
    ),
    list: reading((text) => (namesIn(text).length > 0 ? namesIn(text) : undefined), say('usage.list')),
    wholeNumber: (least: number) =>
      reading(
        (text) => (/^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
        say('usage.whole number', { least }),
      ),
  };
}

function printed(...formats: readonly string[]): Option {
  return new Option('--format <format>').choices(formats).default(formats[0]);
}

const inLanguage = () => new Option('--lang <language>').choices(['en', 'ja']);

function addService(add: Add): void {
  add('serve', () => import('./commands/serve.ts'), { isDefault: true })
    // An unknown command also ends up here; `serve` has a better message for it.
    .allowExcessArguments()
    .addOption(
      new Option('--log-level <level>')
        .env('BOTBELL_LOG_LEVEL')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    );
  add('demo', () => import('./commands/demo.ts'))
    .option('--stay')
    .addOption(inLanguage());
}

function addDryRuns(add: Add, { nowOrTime }: Readers): void {
  add('check', () => import('./commands/check.ts'))
    .option('--online')
    .option('--strict')
    .addOption(new Option('--without-secrets').conflicts('online'));
  add('route', () => import('./commands/route.ts'))
    .argument('[file]')
    .option('--bot <bot_id>')
    .addOption(new Option('--status <status>').choices(ALL_STATUSES))
    .addOption(new Option('--all').conflicts('at'))
    .addOption(new Option('--at <time>').argParser(nowOrTime))
    .addOption(printed('text', 'json'));
  add('preview', () => import('./commands/preview.ts'))
    .argument('<file>')
    .option('--to <destination>')
    .addOption(printed('text', 'json', 'html'));
}

function addLedger(add: Add, { duration, wholeNumber }: Readers): void {
  add('why', () => import('./commands/why.ts'))
    .argument('[job_id]')
    .option('--bot <bot_id>')
    .option('--not-told <destination>')
    .addOption(new Option('--since <duration>').argParser(duration))
    .addOption(new Option('--last <n>').argParser(wholeNumber(1)))
    .addOption(printed('text', 'json'));
  add('report', () => import('./commands/report.ts'))
    .option('--month <month>')
    .option('--from <day>')
    .option('--to <day>')
    .option('--bot <bot_id>')
    .addOption(printed('text', 'json', 'csv'));
  add('backup', () => import('./commands/backup.ts')).argument('<file>');
  add('status', () => import('./commands/status.ts')).addOption(printed('text', 'json'));
}

function addActions(add: Add, { duration, wholeNumber }: Readers): void {
  const id = (text: string, before: readonly number[] = []) => [...before, wholeNumber(1)(text)];
  add('redeliver', () => import('./commands/redeliver.ts'))
    .argument('[id...]', '', id)
    .option('--dead')
    .option('--destination <destination>')
    .addOption(new Option('--since <duration>').argParser(duration))
    .addOption(new Option('--dismiss').conflicts(['again', 'route']))
    .addOption(new Option('--again').conflicts(['dead', 'route']))
    .option('--route <job_id>')
    .option('-y, --yes');
  const others = ['to', 'until', 'because'];
  add('snooze', () => import('./commands/snooze.ts'))
    .argument('[bot]')
    .option('--to <destination>')
    .option('--until <time>')
    .option('--because <reason>')
    .addOption(new Option('--list').conflicts([...others, 'end']))
    .addOption(new Option('--end <id>').argParser(wholeNumber(1)).conflicts(others))
    .addOption(printed('text', 'json'));
  add('take-up', () => import('./commands/take-up.ts'))
    .argument('<ids...>')
    .option('--by <name>')
    .option('--because <reason>')
    .option('--quiet')
    .addOption(new Option('--give-back').conflicts(['by', 'because', 'quiet']));
}

function addTools(add: Add, { duration, httpUrl, list, wholeNumber }: Readers): void {
  add('send', () => import('./commands/send.ts'))
    .argument('<file>')
    .addOption(new Option('--url <url>').argParser(httpUrl))
    .addOption(new Option('--retries <n>').argParser(wholeNumber(0)).default(0))
    .addOption(new Option('--interval <duration>').argParser(duration))
    .option('--fresh');
  add('test', () => import('./commands/test.ts'))
    .argument('[destinations...]')
    .option('--all')
    .option('--report <file>');
  add('init', () => import('./commands/init.ts'))
    .argument('[dir]', '', '.')
    .addOption(inLanguage())
    .addOption(new Option('--channels <types>').argParser(list));
  add('schema', () => import('./commands/schema.ts'));
}
