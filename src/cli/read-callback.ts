/** Reads a callback from a file or standard input, with the receiver's checks. */
import { createReadStream } from 'node:fs';
import { type CheckedCallback, InvalidCallback } from '../callback/callback.ts';
import { faultIn } from '../callback/fault-words.ts';
import * as body from '../callback/decode.ts';
import type { Config } from '../config/config.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { FaultError, faultSaid, unreadable } from '../text/fault.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** More than any receiver takes: what never ends, such as a device, is not read into memory. */
const MOST_MIB = 128;

const TOO_LARGE = faultSaid(
  `it is larger than ${MOST_MIB} MiB, the most that is read`,
  `読めるのは${MOST_MIB} MiBまでです`,
);

/** @param file a path, or `-` for standard input. @throws {CommandFailed} it cannot be read, or is no callback */
export async function readCallback(
  context: CommandContext,
  file: string,
  { display }: Config,
): Promise<CheckedCallback> {
  const bytes = await readBytes(context, file);
  return readBy(() => body.readCallback(bytes, display.timezone), file, context);
}

/** @throws {CommandFailed} with all faults that `read` finds in the file */
export function readBy<Read>(read: () => Read, file: string, { speaks }: CommandContext): Read {
  try {
    return read();
  } catch (error) {
    const faults =
      error instanceof InvalidCallback
        ? error.errors.map(({ pointer, detail }) => [`${pointer || '/'}: `, detail] as const)
        : [['', (error as Error).message] as const];
    const lines = faults.map(([at, fault]) => `${file}: ${at}${faultIn(fault, speaks.language)}`);
    throw new CommandFailed(lines.map(visibleOnOneLine).join('\n'), { cause: error });
  }
}

/** @throws {CommandFailed} if the file cannot be read */
export async function readBytes(context: CommandContext, file: string): Promise<Buffer> {
  try {
    return await allOf(file === '-' ? context.stdin() : createReadStream(file));
  } catch (error) {
    const values = { file, why: unreadable(error).in(context.speaks.language) };
    throw new CommandFailed(context.say('callback.unread', values), { cause: error });
  }
}

async function allOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let left = MOST_MIB * 1024 * 1024;
  for await (const part of stream) {
    left -= part.length;
    if (left < 0) throw new FaultError(TOO_LARGE);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
