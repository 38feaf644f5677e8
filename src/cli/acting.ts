/** What commands share that change something in the ledger: who acts, the question before it, and who delivers after it. */
import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/config.ts';
import type { Actor } from '../ledger/history.ts';
import type { RedeliveryTally } from '../ledger/actions/actions.ts';
import { type LedgerBeside, openBeside } from '../ledger/open-ledger.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { systemClock } from '../time/clock.ts';
import { formatAge, formatInstant } from '../time/display.ts';
import { type CommandContext, CommandFailed } from './context.ts';

/** Runs it on the ledger of the config, which is closed after it. @throws {CommandFailed} without any secret */
export async function onLedger(
  { store, secrets }: Pick<Config, 'store' | 'secrets'>,
  work: (ledger: LedgerBeside) => Promise<number>,
): Promise<number> {
  const failed = (error: unknown) => {
    if (error instanceof CommandFailed) return error;
    return new CommandFailed(secretsHidden(secrets)(error instanceof Error ? error.message : String(error)));
  };
  const ledger = await openBeside(store.url, systemClock).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    return await work(ledger);
  } catch (error) {
    throw failed(error);
  } finally {
    await ledger.close();
  }
}

export function actorHere(): Actor {
  return { via: 'command line', user: userHere(), from: hostname() };
}

function userHere(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return undefined;
  }
}

/** @returns whether to go on: they want to, or have said so before */
export async function isConfirmed(
  context: CommandContext,
  question: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (yes === true) return true;
  if (context.ask === undefined) {
    context.message('nothing was changed: nobody is at a terminal to be asked; with --yes it is done');
    return false;
  }
  const answer = await context.ask(`${question} [y/N] `);
  const isYes = /^\s*y(es)?\s*$/i.test(answer);
  if (!isYes) context.message('nothing was changed');
  return isYes;
}

const DESTINATIONS_NAMED = 20;
const LONGEST_NAME = 100;

/** How many, to whom, how old. */
export function tallyInWords(
  { messages, isMore, destinations, oldestAt, newestAt }: RedeliveryTally,
  { timezone }: Pick<Config['display'], 'timezone'>,
): string {
  const named = destinations
    .slice(0, DESTINATIONS_NAMED)
    .map((each) => `  ${shortLine(each.destination, LONGEST_NAME)}: ${each.messages}`);
  const others = destinations.length - named.length;
  const lines = [
    `${isMore ? 'at least ' : ''}${counted(messages, 'message')}:`,
    ...named,
    ...(others > 0 ? [`  and ${counted(others, 'more destination')}`] : []),
    ...(oldestAt === undefined ? [] : [`  the oldest came ${instant(oldestAt, timezone)}`]),
    ...(newestAt === undefined || newestAt === oldestAt
      ? []
      : [`  the newest came ${instant(newestAt, timezone)}`]),
  ];
  return lines.map(visibleOnOneLine).join('\n');
}

function instant(ms: number, timezone: string): string {
  return `${formatAge(systemClock.now() - ms, 'en')} ago, ${formatInstant(ms, timezone, 'en')}`;
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** Nothing is sent by the command itself. */
export async function whoDelivers(ledger: Pick<LedgerBeside, 'processes'>): Promise<string> {
  const living = await ledger.processes();
  return living.length > 0
    ? 'the running service delivers them now'
    : 'no service runs on this ledger at this moment: they are delivered when one does';
}
