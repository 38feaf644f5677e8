/** The command line: the commands, their arguments and options, and the exit codes. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ALL_STATUSES } from '../callback/callback.ts';
import { readVersion } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { parseDuration, parseStartTime } from '../time/display.ts';
import { Refused, statusOf } from '../people/outcomes.ts';
import { type CommandContext, inWords, localLanguage, WrongUsage } from './context.ts';
import { wordsIn } from './words.ts';

const WRONG_USAGE = 2;
const FAILED = 1;

const EXIT_CODES = `
Exit code: 0 done, clean; 1 failed, wrong, not known, not done; 2 wrong usage. Of status: 1 something is open, 3 not known.`;

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
    const words = error instanceof Refused ? inWords(context, error.outcome) : explanationOf(error);
    message(visible(isMisused ? `error: ${words}` : words));
    return isMisused ? WRONG_USAGE : FAILED;
  }
}

/** Whether what was given makes no sense, and not the state of what it names. */
function isWrong({ outcome }: Refused): boolean {
  return [400, 422].includes(statusOf(outcome));
}

/** The error's message; for the types of errors that are bugs, the stack. */
function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : error.message;
}

/** @param run has a command run, with its arguments */
function createProgram(
  context: CommandContext,
  run: (load: Load, given: unknown[]) => Promise<void>,
): Command {
  const program = new Command('botbell')
    .description('A webhook-to-chat bridge: results of BOTs in, messages on chats and by email out.')
    .version(readVersion(), '-V, --version')
    .option('-c, --config <file>', 'default: $BOTBELL_CONFIG, else config/botbell.yaml, else botbell.yaml')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('afterAll', EXIT_CODES)
    // The option belongs to the program, so that it may also be given before the command.
    .hook('preAction', (_program, command) => {
      if (command.name() !== 'serve') context.endOnHangup();
      if (program.opts().config !== undefined && READ_NO_CONFIG.has(command.name()))
        program.error(`error: unknown option '--config': ${command.name()} reads no config of yours`);
    })
    .configureOutput({
      writeOut: (text) => context.result(text.trimEnd()),
      writeErr: (text) => context.message(visible(text.trimEnd())),
    })
    .exitOverride();
  const add: Add = (name, load, options) =>
    program.command(name, options).action((...given: unknown[]) => run(load, given));
  for (const addSome of [addService, addDryRuns, addLedger, addRedeliver, addSnooze, addIncidents, addTools])
    addSome(add);
  return program;
}

function printed(...formats: readonly string[]): Option {
  return new Option('--format <format>', 'how to print it').choices(formats).default(formats[0]);
}

function inLanguage(what: string): Option {
  return new Option('--lang <language>', `${what} (default: as LANG says)`).choices(['en', 'ja']);
}

function addService(add: Add): void {
  add('serve', () => import('./serve.ts'), { isDefault: true })
    .description('run the receiver and the admin listener (the default)')
    // An unknown command also ends up here; `serve` has a better message for it.
    .allowExcessArguments()
    .addOption(
      new Option('--log-level <level>', 'how much to log')
        .env('BOTBELL_LOG_LEVEL')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    );
  add('demo', () => import('./demo.ts'))
    .description('show everything on this machine, with nothing to set up')
    .option('--stay', 'go on serving, so that you can post to it')
    .addOption(inLanguage('of what is shown'));
}

function addDryRuns(add: Add): void {
  add('check', () => import('./check.ts'))
    .description('check the config and every template it names')
    .option('--online', 'also ask Slack and the mail server whether they take the credentials')
    .option('--strict', 'count warnings as errors')
    .addOption(new Option('--without-secrets', 'take for granted what is not set (CI)').conflicts('online'));
  add('route', () => import('./route.ts'))
    .description('show which routes a callback matches, whom it reaches, and why not the others')
    .argument('[file]', 'a callback as JSON, or - for standard input')
    .option('--bot <bot_id>', 'of a BOT, without a callback')
    .addOption(new Option('--status <status>', 'of --bot, only this one').choices(ALL_STATUSES))
    .addOption(new Option('--all', 'of each BOT that the config or the store names').conflicts('at'))
    .option('--at <time>', 'also what rules do about it then, e.g. now, or 2026-11-24T18:00', nowOrTime)
    .addOption(printed('text', 'json'));
  add('preview', () => import('./preview.ts'))
    .description('show a callback as each destination would see it, without sending anything')
    .argument('<file>', 'a callback as JSON, or - for standard input')
    .option('--to <destination>', 'only this one, e.g. slack:#ops')
    .addOption(printed('text', 'json', 'html'));
}

function addLedger(add: Add): void {
  add('why', () => import('./why.ts'))
    .description('tell what became of each callback of a job, and why, from the ledger, which is only read')
    .argument('[job_id]', 'a job, as its callbacks name it')
    .option('--bot <bot_id>', 'the last callbacks of a BOT instead')
    .option('--not-told <destination>', 'what did not reach it instead, e.g. slack:#ops')
    .option('--since <duration>', 'of --not-told, how far back (default: 1d)', duration)
    .option(
      '--last <n>',
      'no more than the last ones, of --not-told reasons (default: all of a job, 5 of a BOT)',
      wholeNumber(1),
    )
    .addOption(printed('text', 'json'));
  add('report', () => import('./report.ts'))
    .description('say what BOTs did in a month, or from one day to another, worst first, from the ledger')
    .option('--month <month>', 'such as 2026-11 (default: the current one)')
    .option('--from <day>', 'instead, from this day on, such as 2026-11-01')
    .option('--to <day>', 'of --from, up to and with this day (default: today)')
    .option('--bot <bot_id>', 'only of this one')
    .addOption(printed('text', 'json', 'csv'));
  add('backup', () => import('./backup.ts'))
    .description('write a whole copy of the SQLite store, while the service runs; never over a file')
    .argument('<file>', 'a file that is not there yet');
}

function addRedeliver(add: Add): void {
  add('redeliver', () => import('./redeliver.ts'))
    .description('have what is dead, or held as no longer routed, delivered again; says first how many')
    .argument(
      '[id...]',
      'deliveries, as `botbell why --format json` and the page name them',
      (id: string, before: readonly number[]) => [...before, wholeNumber(1)(id)],
      [],
    )
    .option('--dead', 'all that is dead or held as no longer routed')
    .option('--destination <destination>', 'of --dead, only to this one, e.g. slack:#ops')
    .option('--since <duration>', 'of --dead, only what came since, e.g. 2d', duration)
    .addOption(new Option('--dismiss', 'mark as done: nobody is ever told').conflicts(['again', 'route']))
    .addOption(new Option('--again', 'of single ones: also what was delivered').conflicts(['dead', 'route']))
    .option('--route <job_id>', 'instead route a job anew by today’s config; tells who has not been told')
    .option('-y, --yes', 'do not ask');
}

function addSnooze(add: Add): void {
  const others = ['to', 'until', 'because'];
  add('snooze', () => import('./snooze.ts'))
    .description('hold what there is to tell of a BOT, or at a destination; then tell it as one summary')
    .argument('[bot]', 'a BOT, as its callbacks name it')
    .option('--to <destination>', 'only there, e.g. slack:#ops; without a BOT: of every BOT')
    .option(
      '--until <time>',
      '2h, 18:00, 2026-12-24, a date-time, tomorrow (the next 9:00), or next-success (of a BOT)',
    )
    .option('--because <reason>', 'why, for whoever sees it')
    .addOption(new Option('--list', 'show what is snoozed instead').conflicts([...others, 'end']))
    .addOption(new Option('--end <id>', 'end a snooze instead').argParser(wholeNumber(1)).conflicts(others))
    .addOption(printed('text', 'json'));
}

function addIncidents(add: Add): void {
  add('status', () => import('./status.ts'))
    .description('say what needs somebody: which BOTs and destinations are in trouble, why, and who is on it')
    .addOption(printed('text', 'json'));
  add('take-up', () => import('./take-up.ts'))
    .description('say that you are on it, or that nobody is any more')
    .argument('<ids...>', 'incidents, as `botbell status` numbers them')
    .option('--by <name>', 'who is on it (default: your user here)')
    .option('--because <reason>', 'what you know of it, for whoever sees it')
    .option('--quiet', 'snooze their BOTs until the next success, too')
    .addOption(new Option('--give-back', 'nobody is on it any more').conflicts(['by', 'because', 'quiet']));
}

function addTools(add: Add): void {
  add('send', () => import('./send.ts'))
    .description('play the job service: POST a callback, and post it again while it is not answered 2xx')
    .argument('<file>', 'a file to POST, or - for standard input')
    .option('--url <url>', 'where to (default: the receiver of the config)', httpUrl)
    .option('--retries <n>', 'how often to post again', wholeNumber(0), 0)
    .option('--interval <duration>', 'how long to wait before (default: 30s)', duration)
    .option('--fresh', 'give it a new job id, so that it is no duplicate of what was sent before');
  add('test', () => import('./test.ts'))
    .description('really send a message marked as a test, and say what each remote answered')
    .argument('[destinations...]', 'such as slack:#ops')
    .option('--all', 'to each destination that the config has')
    .option(
      '--report <file>',
      'send a success and an error, too, which mentions whom it would, and write a page of what to look at in the app',
    );
  add('init', () => import('./init.ts'))
    .description('write a config of your own to begin with, and nothing over what is there')
    .argument('[dir]', 'the folder to write it to', '.')
    .addOption(inLanguage('of comments and messages'))
    .option('--channels <types>', 'such as teams,email; without it, messages are printed', list);
  add('schema', () => import('./schema.ts')).description('print the JSON Schema of the config file');
}

/** Reads an option's text; `read` returns undefined for what is refused. */
function reading<T>(read: (text: string) => T | undefined, what: string): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`);
    return value;
  };
}

function list(text: string): readonly string[] {
  const names = text.split(',').flatMap((each) => each.trim() || []);
  if (names.length > 0) return names;
  throw new InvalidArgumentError('It must name at least one, such as teams,email.');
}

const duration = reading(parseDuration, 'a duration, e.g. 30s');

const httpUrl = reading(
  (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined),
  'an http(s) URL',
);

const nowOrTime = reading(
  (text) => (text === 'now' || parseStartTime(text, 'UTC') !== undefined ? text : undefined),
  'a date-time, e.g. 2026-11-24T18:00, or now',
);

function wholeNumber(least: number): (text: string) => number {
  const read = (text: string) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : undefined;
  return reading(read, `a whole number from ${least} on`);
}
