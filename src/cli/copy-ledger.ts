/** `botbell copy-ledger`: a ledger into another database, such as from SQLite to PostgreSQL, and that all of it is there. */
import { redactor } from '../app/settings.ts';
import { storeUrlRule } from '../config/field-rules.ts';
import { Interpolated } from '../config/interpolate.ts';
import { copyLedger, type CopyProgress } from '../ledger/copy/copy-ledger.ts';
import { contentLines } from '../ledger/copy/contents.ts';
import { readText } from '../text/read-text.ts';
import { systemClock } from '../time/clock.ts';
import { CommandFailed, type CommandContext } from './context.ts';
import { loadLedgerConfig } from './load-ledger-config.ts';

export interface CopyLedgerOptions {
  readonly from: string;
  /** Left out: `store.url` of the config. */
  readonly to?: string;
}

/** Of a large ledger somebody wants to see that it goes on. */
const PROGRESS_EVERY_MS = 2000;

const AFTERWARDS =
  'The copy is whole. Have store.url name it, and start Botbell. Put away the ledger that it was copied from: a Botbell that is started on that one tells what is undelivered there once more.';

export async function copyLedgerCommand(
  context: CommandContext,
  { from, to }: CopyLedgerOptions,
): Promise<number> {
  const source = storeUrl(context, '--from', from);
  const target = to === undefined ? loadLedgerConfig(context).store.url : storeUrl(context, '--to', to);
  const redact = redactor([source, target].flatMap(passwordsIn));
  try {
    const contents = await copyLedger(source, target, {
      clock: systemClock,
      onProgress: progressTo(context),
    });
    for (const line of contentLines(contents)) context.result(line);
  } catch (error) {
    throw new CommandFailed(redact(error instanceof Error ? error.message : String(error)));
  }
  context.message(AFTERWARDS);
  return 0;
}

/** With references as in the config, so that no password need stand on a command line, where every user of the machine sees it. */
function storeUrl({ variables }: CommandContext, option: string, text: string): string {
  const { data, problems } = new Interpolated(text, { variables, readFile: readText });
  const url = String(data);
  const wrong = problems[0]?.message ?? storeUrlRule(url);
  if (wrong !== undefined) throw new CommandFailed(`${option}: ${wrong}`);
  return url;
}

function passwordsIn(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password } = new URL(url);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function progressTo(context: CommandContext): (progress: CopyProgress) => void {
  let saidAt = systemClock.monotonic();
  return ({ table, done, total }) => {
    const now = systemClock.monotonic();
    if (now - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = now;
    context.message(`${table}: ${done} of ${total}`);
  };
}
