/** What a command may use of the process: results go to stdout, messages to stderr. */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { styleText } from 'node:util';
import type { Actor } from '../ledger/history.ts';
import type { HiddenSecrets } from '../text/hide-secrets.ts';

export interface CommandContext {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Config file named on the command line; undefined: the default. */
  readonly configFile: string | undefined;
  readonly isTerminal: boolean;
  /** Of each config that was read: no message shows them, and no error. */
  readonly secrets: HiddenSecrets;
  result(text: string): void;
  message(text: string): void;
  readStdin(): Promise<Buffer>;
  /** The answer of whoever is at the terminal; '' where they give none. Left out: nobody is. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Resolves at the first SIGTERM or SIGINT; from then on these end nothing any more. */
  untilStopped(): Promise<void>;
  /** From now on SIGHUP does not end the process, but calls this. */
  onHangup(listener: () => void): void;
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours only where a person watches a terminal. */
export function styled(context: Pick<CommandContext, 'isTerminal'>, style: Style, text: string): string {
  return context.isTerminal ? styleText(style, text) : text;
}

/** Who runs this; undefined: the system has no name for them, as in a container that runs as a number. */
export function userHere(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Of what is done to the ledger from here. */
export function actorHere(): Actor {
  return { via: 'command line', user: userHere(), from: hostname() };
}

/** Where the config is when none is named: the first of them that is there. */
const DEFAULT_CONFIGS = ['config/botbell.yaml', 'botbell.yaml'] as const;

type ConfigNamed = Pick<CommandContext, 'configFile' | 'variables'>;

export function configFileOf({ configFile, variables }: ConfigNamed): string {
  const found = () => DEFAULT_CONFIGS.find((file) => existsSync(file)) ?? DEFAULT_CONFIGS[0];
  return configFile ?? (variables['BOTBELL_CONFIG'] || found());
}

/** Something the user asked for cannot be done; the message says what and why, and the command ends with 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** What was asked for makes no sense: the command ends with 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
