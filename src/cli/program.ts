/** The command line: which commands there are, what they take, and which exit code their end means. */
import { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../text/nearest.ts';
import { readVersion } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import {
  dateTime,
  deliveryId,
  duration,
  httpUrl,
  interval,
  once,
  snoozeEnd,
  snoozeId,
  wholeNumber,
} from './arguments.ts';
import type { CheckOptions } from './check.ts';
import type { CommandContext } from './context.ts';
import type { PreviewOptions } from './preview.ts';
import type { RedeliverOptions } from './redeliver.ts';
import type { RouteOptions } from './route.ts';
import type { SendOptions } from './send.ts';
import type { ServeOptions } from './serve.ts';
import type { SnoozeOptions } from './snooze.ts';
import type { TestOptions } from './test.ts';
import type { WhyOptions } from './why.ts';

const WRONG_USAGE = 2;
const FAILED = 1;

/** At once: of more, a database tells better. */
const MOST_STORIES = 500;
const MOST_RETRIES = 1000;

/** Has the program end with the exit code of a command, which is loaded when it is run: none waits for what the others need. */
type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;

/** @returns the exit code: 0 done, 1 not, 2 wrong usage */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  let code = 0;
  const program = createProgram(context, async (command) => {
    const { config } = program.opts<{ config?: string }>();
    code = await command({ ...context, configFile: config });
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    context.message(visible(explanationOf(error)));
    return FAILED;
  }
}

/** What went wrong, in words; of a mistake of ours, also where. */
function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : error.message;
}

function createProgram(context: CommandContext, run: Run): Command {
  const program = new Command('botbell')
    .description('A webhook-to-chat bridge: BOT execution results in, Slack messages and mail out.')
    .version(readVersion(), '-V, --version')
    .option(
      '-c, --config <file>',
      'config file (default: $BOTBELL_CONFIG, else config/botbell.yaml, else botbell.yaml)',
    )
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        (command.parent?.options ?? []).filter(({ long }) => long !== '--config' || takesConfig(command)),
    })
    .hook('preAction', (_program, command) => {
      if (program.opts<{ config?: string }>().config !== undefined && !takesConfig(command))
        program.error(`error: unknown option '--config': ${command.name()} reads no config of yours`);
    })
    .configureOutput({
      writeOut: (text) => context.result(text.trimEnd()),
      writeErr: (text) => context.message(text.trimEnd()),
    })
    .exitOverride();
  addService(program, run);
  addDryRuns(program, run);
  addLedger(program, run);
  addRedeliver(program, run);
  addSnooze(program, run);
  addTools(program, run);
  return program;
}

/** The option is the program's, so that it may stand before the command, too. */
function takesConfig(command: Command): boolean {
  return !['demo', 'init', 'schema'].includes(command.name());
}

function addService(program: Command, run: Run): void {
  program
    .command('serve', { isDefault: true })
    .description('run the receiver and the admin listener (the default)')
    // What is no command comes here, too, where `noCommand` has better words for it.
    .allowExcessArguments()
    .addOption(
      new Option('--log-level <level>', 'how much to log')
        .env('BOTBELL_LOG_LEVEL')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .option('--no-watch', 'load a config that has changed only on SIGHUP, or when asked by POST /-/reload')
    .action((options: ServeOptions, serve: Command) => {
      const [unknown] = serve.args;
      if (unknown !== undefined) program.error(`error: ${noCommand(program, unknown)}`);
      return run(async (context) => (await import('./serve.ts')).serveCommand(context, options));
    });
  program
    .command('demo')
    .description('show everything on this machine, with nothing to set up')
    .option('--stay', 'go on serving, so that you can post to it')
    .action(({ stay }: { stay?: boolean }) =>
      run(async (context) => (await import('./demo/demo.ts')).demoCommand(context, stay === true)),
    );
}

function noCommand(program: Command, name: string): string {
  const names = program.commands.map((command) => command.name());
  return `there is no command '${name}'${didYouMean(name, names)}`;
}

function addDryRuns(program: Command, run: Run): void {
  program
    .command('check')
    .description('check the config and every template it names')
    .option('--online', 'also ask Slack and the mail server whether they take the credentials')
    .option('--strict', 'count warnings as errors')
    .addOption(
      new Option(
        '--without-secrets',
        'take for granted what variables and files would give (CI, a git hook)',
      ).conflicts('online'),
    )
    .action((options: CheckOptions) =>
      run(async (context) => (await import('./check.ts')).checkCommand(context, options)),
    );
  program
    .command('route')
    .description('show which routes a callback matches, whom it reaches, and why not the others')
    .argument('<file>', 'a callback as JSON, or - for standard input')
    .option(
      '--at <time>',
      'when it comes, e.g. 2026-11-24T18:00 (default: now): rules may hold it back',
      dateTime,
    )
    .action((file: string, options: RouteOptions) =>
      run(async (context) => (await import('./route.ts')).routeCommand(context, file, options)),
    );
  program
    .command('preview')
    .description('show a callback as each destination would see it, without sending anything')
    .argument('<file>', 'a callback as JSON, or - for standard input')
    .option('--to <destination>', 'only this one, e.g. slack:#ops', once)
    .addOption(
      new Option('--format <format>', 'how to print it').choices(['text', 'json', 'html']).default('text'),
    )
    .action((file: string, options: PreviewOptions) =>
      run(async (context) => (await import('./preview.ts')).previewCommand(context, file, options)),
    );
}

function addLedger(program: Command, run: Run): void {
  program
    .command('why')
    .description('tell what became of each callback of a job, and why, from the ledger, which is only read')
    .argument('[job_id]', 'a job, as its callbacks name it')
    .option('--bot <bot_id>', 'the last callbacks of a BOT instead')
    .option(
      '--last <n>',
      'no more than the last ones (default: all of a job, 5 of a BOT)',
      wholeNumber(1, MOST_STORIES),
    )
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action((jobId: string | undefined, options: WhyOptions) => {
      if ((jobId === undefined) === (options.bot === undefined))
        program.error('error: name either a job or, with --bot, a BOT');
      return run(async (context) => (await import('./why.ts')).whyCommand(context, jobId, options));
    });
  program
    .command('backup')
    .description('write a whole copy of the SQLite store, while the service runs; never over a file')
    .argument('<file>', 'a file that is not there yet')
    .action((file: string) =>
      run(async (context) => (await import('./backup.ts')).backupCommand(context, file)),
    );
}

function addRedeliver(program: Command, run: Run): void {
  program
    .command('redeliver')
    .description(
      'have what is dead, or held as no longer routed, delivered again, after saying how many, to whom, how old',
    )
    .argument('[id...]', 'deliveries, as `botbell why --format json` and the page name them', deliveryId, [])
    .option('--dead', 'all that is dead or held as no longer routed')
    .option('--destination <destination>', 'of --dead, only to this one, e.g. slack:#ops')
    .option('--since <duration>', 'of --dead, only what came since, e.g. 2d', duration)
    .addOption(
      new Option('--dismiss', 'mark it as done instead: nobody is ever told').conflicts(['again', 'route']),
    )
    .addOption(
      new Option('--again', 'of single deliveries: also what was delivered').conflicts(['dead', 'route']),
    )
    .option(
      '--route <job_id>',
      'route the callbacks of a job anew by today’s config instead, and have those told who have not been',
    )
    .option('-y, --yes', 'do not ask')
    .action((ids: readonly number[], options: RedeliverOptions) => {
      const misuse = misuseOf(ids, options);
      if (misuse !== undefined) program.error(`error: ${misuse}`);
      return run(async (context) => (await import('./redeliver.ts')).redeliverCommand(context, ids, options));
    });
}

/** What makes no sense together, beyond the options that exclude each other. */
function misuseOf(
  ids: readonly number[],
  { dead, route, destination, since }: RedeliverOptions,
): string | undefined {
  const named = [ids.length > 0, dead === true, route !== undefined].filter(Boolean).length;
  if (named !== 1) return 'name either deliveries, or --dead, or with --route a job';
  const isFiltered = (destination ?? since) !== undefined;
  return dead !== true && isFiltered ? '--destination and --since go with --dead' : undefined;
}

function addSnooze(program: Command, run: Run): void {
  const others = ['to', 'until', 'because'];
  program
    .command('snooze')
    .description(
      'have nobody told of a BOT, or at a destination, until then: what is held is told as one summary',
    )
    .argument('[bot]', 'a BOT, as its callbacks name it')
    .option('--to <destination>', 'only there, e.g. slack:#ops; without a BOT: of every BOT', once)
    .option('--until <time>', 'a date-time, tomorrow (9:00), or next-success (of a BOT)', snoozeEnd)
    .option('--because <reason>', 'why, for whoever sees it')
    .addOption(new Option('--list', 'show what is snoozed instead').conflicts([...others, 'end']))
    .addOption(new Option('--end <id>', 'end a snooze instead').argParser(snoozeId).conflicts(others))
    .addOption(new Option('--format <format>', 'of --list').choices(['text', 'json']).default('text'))
    .action((bot: string | undefined, options: SnoozeOptions) =>
      run(async (context) => {
        const { snoozeCommand, snoozeMisuse } = await import('./snooze.ts');
        const misuse = snoozeMisuse(bot, options);
        if (misuse !== undefined) program.error(`error: ${misuse}`);
        return snoozeCommand(context, bot, options);
      }),
    );
}

function addTools(program: Command, run: Run): void {
  program
    .command('send')
    .description('play the job service: POST a callback, and post it again while it is not answered 2xx')
    .argument('<file>', 'a file to POST, or - for standard input')
    .option('--url <url>', 'where to (default: the receiver of the config)', httpUrl)
    .option('--retries <n>', 'how often to post again', wholeNumber(0, MOST_RETRIES), 0)
    .addOption(
      new Option('--interval <duration>', 'how long to wait before')
        .argParser(interval)
        .default(30_000, '30s'),
    )
    .option('--fresh', 'give it a new job id, so that it is no duplicate of what was sent before')
    .action((file: string, options: SendOptions) =>
      run(async (context) => (await import('./send.ts')).sendCommand(context, file, options)),
    );
  program
    .command('test')
    .description('really send a message marked as a test, and say what each remote answered')
    .argument('[destinations...]', 'such as slack:#ops')
    .option('--all', 'to each destination that the config has')
    .action((destinations: string[], options: TestOptions) => {
      if (destinations.length > 0 === (options.all === true))
        program.error('error: name the destinations to test, such as slack:#ops, or give --all');
      return run(async (context) => (await import('./test.ts')).testCommand(context, destinations, options));
    });
  program
    .command('init')
    .description('write a config of your own to begin with, and nothing over what is there')
    .argument('[dir]', 'the folder to write it to', '.')
    .action((folder: string) =>
      run(async (context) => (await import('./init.ts')).initCommand(context, folder)),
    );
  program
    .command('schema')
    .description('print the JSON Schema of the config file')
    .action(() => run(async (context) => (await import('./schema.ts')).schemaCommand(context)));
}
