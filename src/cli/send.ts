/** `botbell send`: plays the job service, which posts again when it is not answered 2xx. */
import { setTimeout as sleep } from 'node:timers/promises';
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
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const retryAfter = response.headers.get('retry-after');
    const hint = retryAfter === null ? '' : ` (Retry-After: ${retryAfter})`;
    context.message(styled(context, response.ok ? 'green' : 'red', `HTTP ${response.status}${hint}`));
    context.result(await response.text());
    return response.ok;
  } catch (error) {
    context.message(styled(context, 'red', `no answer from ${url}: ${reasonOf(error)}`));
    return false;
  }
}

/** fetch wraps what went wrong in a TypeError that says nothing. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as Error & { readonly code?: unknown };
  return typeof code === 'string' ? code : message;
}
