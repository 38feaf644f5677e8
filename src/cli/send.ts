/** `botbell send`: plays the job service, which posts again when it is not answered 2xx. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ofJob } from '../callback/other-job.ts';
import { loginOf } from '../outbound/login.ts';
import { isJsonObject } from '../text/json-object.ts';
import { visibleAndIndented, visibleOnOneLine } from '../text/clean.ts';
import { formatDuration } from '../time/display.ts';
import { type CommandContext, CommandFailed, styled } from './context.ts';
import { readBytes } from './read-callback.ts';

/** Longer than any answer that a config should allow. */
const TIMEOUT_MS = 120_000;

export interface SendOptions {
  readonly url: string;
  readonly retries: number;
  /** Milliseconds. */
  readonly interval: number;
  /** As of a new job, so that it is no duplicate. */
  readonly fresh?: boolean;
}

export async function sendCommand(
  context: CommandContext,
  file: string,
  options: SendOptions,
): Promise<number> {
  const bytes = await readBytes(context, file);
  const body = options.fresh === true ? freshened(context, file, bytes) : bytes;
  for (let retry = 0; ; retry += 1) {
    const isTaken = await post(context, options.url, body);
    if (isTaken) return 0;
    if (retry >= options.retries) return 1;
    context.message(`retry ${retry + 1} of ${options.retries} in ${formatDuration(options.interval)}`);
    await sleep(options.interval);
  }
}

/** @throws {CommandFailed} not a JSON object */
function freshened(context: CommandContext, file: string, bytes: Buffer): Buffer {
  const callback = jsonIn(bytes);
  if (!isJsonObject(callback))
    throw new CommandFailed(`${file}: --fresh needs a callback, and this is no JSON object`);
  const jobId = randomUUID();
  context.message(`job ${jobId}`);
  return Buffer.from(JSON.stringify(ofJob(callback, jobId)));
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

async function post(context: CommandContext, given: string, body: Buffer): Promise<boolean> {
  const url = withoutLogin(given);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...loginOf(given) },
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const retryAfter = response.headers.get('retry-after');
    const hint = retryAfter === null ? '' : ` (Retry-After: ${visibleOnOneLine(retryAfter)})`;
    context.message(styled(context, response.ok ? 'green' : 'red', `HTTP ${response.status}${hint}`));
    context.result(visibleAndIndented(await response.text()));
    return response.ok;
  } catch (error) {
    context.message(styled(context, 'red', `no answer from ${url}: ${visibleOnOneLine(reasonOf(error))}`));
    return false;
  }
}

/** Fit to be shown. */
function withoutLogin(url: string): string {
  return Object.assign(new URL(url), { username: '', password: '' }).href;
}

/** fetch wraps what went wrong in a TypeError that says nothing. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as Error & { readonly code?: unknown };
  if (message === 'bad port') return BAD_PORT;
  return typeof code === 'string' ? code : message;
}

/** https://fetch.spec.whatwg.org/#port-blocking */
const BAD_PORT =
  'no HTTP client connects to this port, which belongs to another protocol: have Botbell listen on another one';
