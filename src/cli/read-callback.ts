/** A callback from a file or from standard input, checked as the receiver would. */
import { readFileSync } from 'node:fs';
import { type CheckedCallback, InvalidCallback } from '../callback/callback.ts';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { decodeBody } from '../callback/decode.ts';
import type { Config } from '../config/config.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** @param file a path, or `-` for standard input. @throws {CommandFailed} what cannot be read, or is no callback */
export async function readCallback(
  context: CommandContext,
  file: string,
  config: Config,
): Promise<CheckedCallback> {
  const value = decoded(await readBytes(context, file), file);
  try {
    return createCallbackCheck(config.display.timezone)(value);
  } catch (error) {
    if (!(error instanceof InvalidCallback)) throw error;
    const lines = error.errors.map(({ pointer, detail }) =>
      visibleOnOneLine(`${file}: ${pointer || '/'}: ${detail}`),
    );
    throw new CommandFailed(lines.join('\n'), { cause: error });
  }
}

/** @throws {CommandFailed} not JSON */
export function decoded(bytes: Buffer, file: string): unknown {
  try {
    return decodeBody(bytes).value;
  } catch (error) {
    throw new CommandFailed(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws {Error} a file that cannot be read */
export async function readBytes(context: CommandContext, file: string): Promise<Buffer> {
  return file === '-' ? context.readStdin() : readFileSync(file);
}
