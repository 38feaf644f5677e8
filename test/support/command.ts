/** Runs a command of the command line inside this process and keeps what it said. */
import { Readable } from 'node:stream';

export interface CommandInput {
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The answer of a person at the terminal; by default there is no terminal. */
  readonly answer?: string;
  readonly whileAsked?: () => void;
  readonly untilStopped?: () => Promise<void>;
  readonly onResult?: (text: string) => void;
}

export async function runCommand(args: readonly string[], input: CommandInput = {}) {
  // Imported, as the program imports its commands: mocha requires test files, and a required module is another instance.
  const { runProgram } = await import('../../src/cli/program.ts');
  const stdout: string[] = [];
  const stderr: string[] = [];
  const ask = (question: string) => {
    stderr.push(question);
    input.whileAsked?.();
    return Promise.resolve(input.answer ?? '');
  };
  const code = await runProgram(args, {
    variables: input.variables ?? {},
    configFile: undefined,
    isTerminal: false,
    result: (text) => {
      stdout.push(text);
      input.onResult?.(text);
    },
    message: (text) => stderr.push(text),
    stdin: () => Readable.from([Buffer.from(input.stdin ?? '')]),
    ask: input.answer === undefined ? undefined : ask,
    untilStopped: input.untilStopped ?? (() => Promise.resolve()),
    endOnHangup: () => undefined,
    onHangup: () => undefined,
  });
  return { code, stdout: stdout.join('\n'), stderr: stderr.join('\n') };
}
