/** Reads a callback from a file or standard input, with the receiver's checks. */
import { readFileSync } from 'node:fs';
import { type CheckedCallback, InvalidCallback, checkCallback } from '../callback/callback.ts';
import { faultIn } from '../callback/fault-words.ts';
import { decodeBody } from '../callback/decode.ts';
import type { Config } from '../config/config.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { FaultError, faultSaid, unreadable } from '../text/fault.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** @param file a path, or `-` for standard input. @throws {CommandFailed | FaultError} it cannot be read, or is no callback */
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
      visibleOnOneLine(`${file}: ${pointer || '/'}: ${faultIn(detail, config.display.language)}`),
    );
    throw new CommandFailed(lines.join('\n'), { cause: error });
  }
}

/** @throws {FaultError} if the bytes are not JSON */
export function decoded(bytes: Buffer, file: string): unknown {
  try {
    return decodeBody(bytes).value;
  } catch (error) {
    const { message } = error as Error;
    const what = faultSaid(`${file}: ${message}`, `${file}：${faultIn(message, 'ja')}`);
    throw new FaultError(what, { cause: error });
  }
}

/** @throws {CommandFailed} if the file cannot be read */
export async function readBytes(context: CommandContext, file: string): Promise<Buffer> {
  try {
    return file === '-' ? await context.readStdin() : readFileSync(file);
  } catch (error) {
    const values = { file, why: unreadable(error).in(context.speaks.language) };
    throw new CommandFailed(context.say('callback.unread', values), { cause: error });
  }
}
