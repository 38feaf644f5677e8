/** The command line: the commands, their arguments and options, and the exit codes. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readVersion } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import { errorIn } from '../text/fault.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { didYouMean } from '../text/nearest.ts';
import { type Language, parseDuration, parseStartTime } from '../time/display.ts';
import { Refused, statusOf } from '../people/outcomes.ts';
import { type CommandContext, inWords, localLanguage, WrongUsage } from './context.ts';
import { type Details, inLanguageOf, ONE_OF, TAKEN } from './help.ts';
import { type Words, wordsIn } from './words.ts';

const WRONG_USAGE = 2;
const FAILED = 1;

const READ_NO_CONFIG = new Set(['demo', 'init', 'schema']);

/** A command's module. After the context, `run` gets the arguments, the options, and the commander `Command`. */
interface CommandFile {
  readonly run: (context: CommandContext, ...given: never[]) => number | Promise<number>;
}

/** A command is loaded only when it runs, so that no start loads the others' imports. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandFile>>> = {
  serve: () => import('./commands/serve.ts'),
  demo: () => import('./commands/demo.ts'),
  check: () => import('./commands/check.ts'),
  route: () => import('./commands/route.ts'),
  preview: () => import('./commands/preview.ts'),
  why: () => import('./commands/why.ts'),
  report: () => import('./commands/report.ts'),
  backup: () => import('./commands/backup.ts'),
  status: () => import('./commands/status.ts'),
  redeliver: () => import('./commands/redeliver.ts'),
  snooze: () => import('./commands/snooze.ts'),
  'take-up': () => import('./commands/take-up.ts'),
  send: () => import('./commands/send.ts'),
  test: () => import('./commands/test.ts'),
  init: () => import('./commands/init.ts'),
  schema: () => import('./commands/schema.ts'),
};

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
  const program = createProgram(context, async (name, values) => {
    const { config } = program.opts<{ config?: string }>();
    const command = await COMMANDS[name]?.();
    code = (await command?.run({ ...context, configFile: config }, ...(values as never[]))) ?? code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    const refused = error instanceof Refused ? error.outcome : undefined;
    // Refused for its arguments, not for the state of what they name.
    const isMisused = error instanceof WrongUsage || (refused && [400, 422].includes(statusOf(refused)));
    const words = refused ? inWords(context, refused) : explanationOf(error, speaks.language);
    message(visible(isMisused ? context.say('usage.error', { words }) : words));
    return isMisused ? WRONG_USAGE : FAILED;
  }
}

/** The error's message; for the types of errors that are bugs, the stack. */
function explanationOf(error: unknown, language: Language): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : errorIn(error, language);
}

/** @param run runs a command with its arguments */
function createProgram(
  context: CommandContext,
  run: (name: string, given: unknown[]) => Promise<void>,
): Command {
  const { say, speaks } = context;
  const { language } = speaks;
  const program = new Command('botbell')
    .version(readVersion())
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('afterAll', `\n${say('usage.exit codes')}`)
    // The option belongs to the program, so that it may also be given before the command.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'serve') context.endOnHangup();
      if (program.opts().config !== undefined && READ_NO_CONFIG.has(command.name()))
        program.error(say('usage.no config', { command: command.name() }));
      if (command.name() === 'serve') refuseUnknown(command, context);
      refuseUnclear(command, context);
    })
    .configureOutput({
      writeOut: (text) => context.result(inLanguageOf(language, text.trimEnd())),
      writeErr: (text) => context.message(visible(inLanguageOf(language, text.trimEnd()))),
    })
    .exitOverride();
  const read = readersIn(say);
  for (const [key, [english, japanese, details = {}]] of Object.entries(TAKEN)) {
    const [name, flags = ''] = splitKey(key);
    const command = [program, ...program.commands].find((each) => each.name() === name) ?? add(name);
    const description = language === 'ja' ? japanese : english;
    if (flags === '') command.description(description);
    else if (flags.startsWith('-'))
      command.addOption(taking(optionOf(flags, description, details), flags, details, read));
    else command.addArgument(taking(new Argument(flags, description), flags, details, read));
  }
  return program;

  function add(name: string): Command {
    const isDefault = name === 'serve';
    return (
      program
        .command(name, { isDefault })
        .configureHelp({ showGlobalOptions: !READ_NO_CONFIG.has(name) })
        // commander passes an unknown command to the default one as an argument.
        .allowExcessArguments(isDefault)
        .action((...given: unknown[]) => run(name, given))
    );
  }
}

/** Splits `why --last <n>` into `why` and `--last <n>`. */
function splitKey(key: string): readonly [name: string, flags?: string] {
  const [name = '', flags] = key.split(/ (.*)/);
  return [name, flags];
}

function optionOf(flags: string, description: string, { conflicts = [], env }: Details): Option {
  const option = new Option(flags, description).conflicts([...conflicts]);
  return env === undefined ? option : option.env(env);
}

/** The word in brackets says how the text is read: `id` in `[id...]` and in `--end <id>`. */
function taking<Of extends Option | Argument>(given: Of, flags: string, details: Details, read: Readers): Of {
  given.default(details.default);
  if (details.choices !== undefined) given.choices(details.choices);
  const reader = read[/[<[](\w+)/.exec(flags)?.[1] ?? ''];
  if (reader !== undefined)
    given.argParser((text: string, before: unknown) =>
      flags.includes('...') ? [before ?? [], reader(text)].flat() : reader(text),
    );
  return given;
}

/** @throws {WrongUsage} `serve` has an argument, which is an unknown command's name */
function refuseUnknown({ args: [name] }: Command, { say, speaks }: CommandContext): void {
  if (name === undefined) return;
  const hint = didYouMean(name, Object.keys(COMMANDS))?.in(speaks.language) ?? '';
  throw new WrongUsage(say('usage.no command', { name, hint }));
}

/** @throws {WrongUsage} the command's arguments and options do not go together */
function refuseUnclear(command: Command, { say }: CommandContext): void {
  const isGiven = (flags: string) =>
    flags.startsWith('-')
      ? command.options.some((each) => each.flags === flags && each.attributeName() in command.opts())
      : command.args.length > 0;
  const oneOf = ONE_OF[command.name()];
  if (oneOf !== undefined && oneOf.filter(isGiven).length !== 1)
    throw new WrongUsage(say('usage.one of', { names: oneOf.join(' | ') }));
  for (const [key, [, , { needs } = {}]] of Object.entries(TAKEN)) {
    const [name, what = ''] = splitKey(key);
    if (name === command.name() && needs && isGiven(what) && !needs.some(isGiven))
      throw new WrongUsage(say('usage.goes with', { what, needed: needs.join(' | ') }));
  }
}

/** Functions that read the text of an argument or option, by the word in its brackets. */
type Readers = Readonly<Record<string, (text: string) => unknown>>;

function readersIn(say: Words): Readers {
  const reading = (read: (text: string) => unknown, rule: string) => (text: string) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(rule);
    return value;
  };
  const wholeNumber = (least: number) =>
    reading(
      (text) => (/^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
      say('usage.whole number', { least }),
    );
  const isHttp = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);
  const isTime = (text: string) => text === 'now' || parseStartTime(text, 'UTC') !== undefined;
  const namesIn = (text: string) => text.split(',').flatMap((each) => each.trim() || []);
  return {
    duration: reading(parseDuration, say('usage.duration')),
    url: (text) => {
      if (isHttp(text)) return text;
      // commander's own error would repeat the text, which may hold a password.
      throw new WrongUsage(say('usage.url'));
    },
    time: reading((text) => (isTime(text) ? text : undefined), say('usage.time')),
    types: reading((text) => (namesIn(text).length > 0 ? namesIn(text) : undefined), say('usage.list')),
    n: wholeNumber(1),
    id: wholeNumber(1),
    count: wholeNumber(0),
  };
}
