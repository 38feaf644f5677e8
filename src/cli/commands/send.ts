/** `botbell send`: posts a callback as the job service does, again if the response is not 2xx. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkErrorOf } from '../../channels/network-error.ts';
import { decodeBody } from '../../callback/decode.ts';
import { callbackUrlOf } from '../../config/callback-url.ts';
import { loginOf } from '../../outbound/login.ts';
import { isJsonObject, exactJson } from '../../text/json.ts';
import { visibleAndIndented, visibleOnOneLine } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { formatElapsed } from '../../time/display.ts';
import { type CommandContext, CommandFailed, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadProject } from '../load-config.ts';
import { readBy, readBytes } from '../read-callback.ts';

/** Longer than any sensible `receiver.answer_within`. */
const TIMEOUT_MS = 120_000;

/** How many characters of an answer are read: more than Botbell's answers have. Another server's answer may never end. */
const MOST_READ = 1_000_000;

export async function run(context: CommandContext, file: string, options: OptionsOf<'send'>) {
  const { retries = 0, interval = 30_000 } = options;
  // Before any message: the config says in which language the command speaks.
  const target = targetOf(options.url ?? (await receiverOf(context)));
  const bytes = await readBytes(context, file);
  const body = options.fresh === true ? freshened(context, file, bytes) : new Uint8Array(bytes);
  for (let retry = 0; ; retry += 1) {
    const isTaken = await post(context, target, body);
    if (isTaken) return 0;
    if (retry >= retries) return 1;
    const time = formatElapsed(interval / 1000, context.speaks.language);
    context.message(context.say('send.retry', { nth: retry + 1, of: retries, time }));
    await sleep(interval);
  }
}

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** User and password in the URL are for a proxy (Basic authentication), and are never shown. */
function targetOf(given: string): Target {
  const url = new URL(given);
  url.username = url.password = '';
  return { url: url.href, headers: { 'content-type': 'application/json', ...loginOf(given) } };
}

/** @throws {CommandFailed} if the config has errors, or leaves the port to the system */
async function receiverOf(context: CommandContext): Promise<string> {
  const url = callbackUrlOf((await loadProject(context)).config.receiver);
  if (url !== undefined) return url;
  throw new CommandFailed(context.say('send.no port'));
}

/** @throws {CommandFailed} if the bytes are no JSON object */
function freshened(context: CommandContext, file: string, bytes: Buffer): string {
  const callback = readBy(() => decodeBody(bytes).value, file, context);
  if (!isJsonObject(callback)) throw new CommandFailed(context.say('send.no callback', { file }));
  const jobId = randomUUID();
  context.message(`job ${jobId}`);
  return exactJson({ ...callback, job_id: jobId });
}

async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_READ) return cutEnd(text, MOST_READ, '…');
  }
  return text + decoder.decode();
}

async function post(context: CommandContext, { url, headers }: Target, body: BodyInit): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const retryAfter = response.headers.get('retry-after');
    const hint = retryAfter === null ? '' : ` (Retry-After: ${visibleOnOneLine(retryAfter)})`;
    context.message(styled(context, response.ok ? 'green' : 'red', `HTTP ${response.status}${hint}`));
    context.result(visibleAndIndented(await beginningOf(response)));
    return response.ok;
  } catch (error) {
    const { code, words } = networkErrorOf(error);
    // fetch refuses to call some ports, such as 6000; its error then has no code.
    const why =
      code === 'network_error' ? String((error as Error).cause ?? error) : words[context.speaks.language];
    const said = visibleOnOneLine(context.say('send.no answer', { url, why }));
    context.message(styled(context, 'red', said));
    return false;
  }
}
