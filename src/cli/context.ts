/** What a command may use of the process: results go to stdout, messages to stderr. */
import { styleText } from 'node:util';

export interface CommandContext {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Config file named on the command line; undefined: the default. */
  readonly configFile: string | undefined;
  readonly isTerminal: boolean;
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

const DEFAULT_CONFIG = 'config/botbell.yaml';

export function configFileOf({
  configFile,
  variables,
}: Pick<CommandContext, 'configFile' | 'variables'>): string {
  return configFile ?? (variables['BOTBELL_CONFIG'] || DEFAULT_CONFIG);
}

/** Something the user asked for cannot be done; the message says what and why, and the command ends with 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
