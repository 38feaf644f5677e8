/** Reads a callback from a file or standard input, with the receiver's checks. */
import { readFileSync } from 'node:fs';
import { type CheckedCallback, InvalidCallback, checkCallback } from '../callback/callback.ts';
import { faultInJapanese } from '../callback/fault-words.ts';
import { decodeBody } from '../callback/decode.ts';
import type { Config } from '../config/config.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** @param file a path, or `-` for standard input. @throws {Error} if it cannot be read. @throws {CommandFailed} if it is no callback */
export async function readCallback(
  context: CommandContext,
  file: string,
  config: Config,
): Promise<CheckedCallback> {
  const value = decoded(await readBytes(context, file), file);
  try {
    return checkCallback(value, config.display.timezone);
  } catch (error) {
    if (!(error instanceof InvalidCallback)) throw error;
    const lines = error.errors.map(({ pointer, detail }) =>
      visibleOnOneLine(
        `${file}: ${pointer || '/'}: ${config.display.language === 'ja' ? faultInJapanese(detail) : detail}`,
      ),
    );
    throw new CommandFailed(lines.join('\n'), { cause: error });
  }
}

/** @throws {CommandFailed} if the bytes are not JSON */
export function decoded(bytes: Buffer, file: string): unknown {
  try {
    return decodeBody(bytes).value;
  } catch (error) {
    throw new CommandFailed(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws {Error} if the file cannot be read */
export async function readBytes(context: CommandContext, file: string): Promise<Buffer> {
  return file === '-' ? context.readStdin() : readFileSync(file);
}
