/** A command's access to the process: results go to stdout, messages to stderr. */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { styleText } from 'node:util';
import type { Actor } from '../ledger/callbacks/history.ts';
import { type Outcome, outcomeInWords } from '../people/outcomes.ts';
import { visible } from '../text/clean.ts';
import { exactJson } from '../text/json.ts';
import type { HiddenSecrets } from '../text/hide-secrets.ts';
import type { Language } from '../time/display.ts';
import type { Words } from './words.ts';

export interface CommandContext {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Config file named on the command line; undefined if none is. */
  readonly configFile: string | undefined;
  readonly isTerminal: boolean;
  /** Writes a time of day for whoever reads stderr at a terminal; undefined if it is none. */
  readonly readersTime?: Intl.DateTimeFormat | undefined;
  /** The secrets of each config that was read, hidden in messages and errors. */
  readonly secrets: HiddenSecrets;
  /** The language that the command speaks: the locale's, or, once a config was read, the config's. */
  readonly speaks: { language: Language };
  /** Says a phrase in that language. */
  readonly say: Words;
  result(text: string): void;
  message(text: string): void;
  stdin(): AsyncIterable<Buffer>;
  /** Asks the person at the terminal; '' if they give no answer. Left out: there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Resolves at the first SIGTERM or SIGINT. Once called, these signals no longer end the process. */
  untilStopped(): Promise<void>;
  /** Until this is called, SIGHUP does nothing; then it ends the process. */
  endOnHangup(): void;
  /** Once called, SIGHUP calls `listener` and does not end the process. */
  onHangup(listener: () => void): void;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export function styled(context: Pick<CommandContext, 'isTerminal'>, style: Style, text: string): string {
  return context.isTerminal ? styleText(style, text) : text;
}

export function printJson({ result }: Pick<CommandContext, 'result'>, value: unknown): void {
  result(visible(exactJson(value, '  ')));
}

/** The locale's language, for as long as no config names one. */
export function localLanguage({ LC_ALL, LC_MESSAGES, LANG }: CommandContext['variables']): Language {
  return /^ja(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'ja' : 'en';
}

/** The name of the user that runs the command; undefined if their id has no name, as in some containers. */
export function userHere(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

export function inWords({ speaks }: Pick<CommandContext, 'speaks'>, outcome: Outcome): string {
  return outcomeInWords(outcome, speaks.language);
}

export function actorHere(): Actor {
  return { via: 'command line', user: userHere(), from: hostname() };
}

/** The config file, if none is named, is the first of these that exists. */
const DEFAULT_CONFIGS = ['config/botbell.yaml', 'botbell.yaml'] as const;

type ConfigNamed = Pick<CommandContext, 'configFile' | 'variables'>;

export function configFileOf({ configFile, variables }: ConfigNamed): string {
  const found = () => DEFAULT_CONFIGS.find((file) => existsSync(file)) ?? DEFAULT_CONFIGS[0];
  return configFile ?? (variables['BOTBELL_CONFIG'] || found());
}

/** The command cannot do what was asked, as the message explains; exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The arguments make no sense; exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
