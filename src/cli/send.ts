/** `botbell send`: plays the job service, which posts again when it is not answered 2xx. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { formatDuration } from '../time/duration.ts';
import { type CommandContext, styled } from './context.ts';
import { readBytes } from './read-callback.ts';

/** Longer than any answer that a config should allow. */
const TIMEOUT_MS = 120_000;

export interface SendOptions {
  readonly url: string;
  readonly retries: number;
  readonly intervalMs: number;
}

export async function sendCommand(
  context: CommandContext,
  file: string,
  options: SendOptions,
): Promise<number> {
  const body = await readBytes(context, file);
  for (let retry = 0; ; retry += 1) {
    const isTaken = await post(context, options.url, body);
    if (isTaken) return 0;
    if (retry >= options.retries) return 1;
    context.message(`retry ${retry + 1} of ${options.retries} in ${formatDuration(options.intervalMs)}`);
    await sleep(options.intervalMs);
  }
}

async function post(context: CommandContext, url: string, body: Buffer): Promise<boolean> {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const isTaken = response.statusCode >= 200 && response.statusCode <= 299;
    const retryAfter = response.headers['retry-after'];
    const hint = retryAfter === undefined ? '' : ` (Retry-After: ${String(retryAfter)})`;
    context.message(styled(context, isTaken ? 'green' : 'red', `HTTP ${response.statusCode}${hint}`));
    context.result(await response.body.text());
    return isTaken;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    context.message(styled(context, 'red', `no answer from ${url}: ${code ?? message}`));
    return false;
  }
}
