/** `botbell send`: plays the job service, which posts again when it is not answered 2xx. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginOf } from '../outbound/login.ts';
import { isJsonObject } from '../text/json-object.ts';
import { visibleAndIndented, visibleOnOneLine } from '../text/clean.ts';
import { formatElapsed } from '../time/display.ts';
import { type CommandContext, CommandFailed, styled } from './context.ts';
import { loadServiceConfig } from './load-config.ts';
import { readBytes } from './read-callback.ts';

/** Longer than any answer that a config should allow. */
const TIMEOUT_MS = 120_000;

interface Options {
  /** Left out: the receiver of the config. */
  readonly url?: string;
  readonly retries: number;
  /** Milliseconds. */
  readonly interval: number;
  /** As of a new job, so that it is no duplicate. */
  readonly fresh?: boolean;
}

export async function run(context: CommandContext, file: string, options: Options): Promise<number> {
  const bytes = await readBytes(context, file);
  const body = options.fresh === true ? freshened(context, file, bytes) : bytes;
  const to = options.url === undefined ? receiverOf(context) : addressIn(options.url);
  for (let retry = 0; ; retry += 1) {
    const isTaken = await post(context, to, body);
    if (isTaken) return 0;
    if (retry >= options.retries) return 1;
    context.message(
      `retry ${retry + 1} of ${options.retries} in ${formatElapsed(options.interval / 1000, 'en')}`,
    );
    await sleep(options.interval);
  }
}

interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** fetch takes no login within a URL. */
function addressIn(given: string): Address {
  const url = Object.assign(new URL(given), { username: '', password: '' }).href;
  return { url, headers: loginOf(given) };
}

/** @throws {CommandFailed} the config is wrong, or leaves the port to the system */
function receiverOf(context: CommandContext): Address {
  const { listen, path, tokens } = loadServiceConfig(context).receiver;
  if (listen.port === 0)
    throw new CommandFailed('receiver.listen leaves the port to the system: say where to with --url');
  const own = OF_EVERY_INTERFACE[listen.host] ?? listen.host;
  const host = own.includes(':') ? `[${own}]` : own;
  return { url: [`http://${host}:${listen.port}${path}`, ...tokens.slice(0, 1)].join('/'), headers: {} };
}

/** Where a listener on every interface is reached from its own machine. */
const OF_EVERY_INTERFACE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @throws {CommandFailed} not a JSON object */
function freshened(context: CommandContext, file: string, bytes: Buffer): Buffer {
  const callback = jsonIn(bytes);
  if (!isJsonObject(callback))
    throw new CommandFailed(`${file}: --fresh needs a callback, and this is no JSON object`);
  const jobId = randomUUID();
  context.message(`job ${jobId}`);
  return Buffer.from(JSON.stringify({ ...callback, job_id: jobId }));
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

async function post(context: CommandContext, { url, headers }: Address, body: Buffer): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
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

/** fetch wraps what went wrong in a TypeError that says nothing. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as Error & { readonly code?: unknown };
  return typeof code === 'string' ? code : message;
}
