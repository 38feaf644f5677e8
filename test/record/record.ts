/**
 * Takes a record of what a program answers, sends and tells for the callbacks of `callbacks.ts`, from outside: HTTP, Slack, mail, `why`.
 *
 *     node --import tsx test/record/record.ts <path of a dist/main.js> <file>
 *
 * `before.json` is that of the tag before-small-house. It is renewed only where the callbacks here change: check the tag out
 * elsewhere, build it, and give its dist/main.js. Pictures of messages, before and after, are drawn by that build, too.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type CaughtMail, type MailCatcher, startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import type { SlackFault } from '../../src/stand-ins/slack-faults.ts';
import { type SlackStandIn, startSlackStandIn } from '../../src/stand-ins/slack-stand-in.ts';
import { freePort } from '../support/free-port.ts';
import { type Step, STEPS, WARM_UP } from './callbacks.ts';
import { type Fields, type Json, withMarks } from './marks.ts';

const CONFIG = join(import.meta.dirname, 'botbell.yaml');
const SLACK_TOKEN = 'xoxb-record';
const RECEIVER_TOKEN = 'token-of-the-record';
const ALERTED = ['#bot-alerts', 'ops@example.com'];
const CHANNELS = ['#bot-alerts', '#results', '#errors', '#remote', '#limited', '#unrouted'];
const HEADERS = ['content-type', 'retry-after'];
const MAIL_HEADERS =
  /^(from|to|references|in-reply-to|content-type|auto-submitted|x-auto.*|list-.*|.*priority|importance)$/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const LONGEST_WAIT_MS = 30_000;

export type Language = 'en' | 'ja';
/** By language and step. */
export type Recording = Readonly<Record<Language, Readonly<Record<string, Recorded>>>>;

export interface Recorded {
  readonly answer: { readonly status: number; readonly headers: Json; readonly body: Fields };
  /** The arguments of the calls. */
  readonly slack: readonly Message[];
  readonly mails: readonly RecordedMail[];
  readonly why: readonly string[];
  /** Of `/api/callbacks`. */
  readonly item: Json;
  /** Of `/api/callbacks/:id`. */
  readonly story: Json;
}

export interface Message extends Fields {
  readonly channel: string;
  /** Of the push notification. */
  readonly text: string;
}

export interface RecordedMail {
  /** To whom. */
  readonly channel: string;
  readonly headers: Json;
  readonly subject: string;
  readonly text: string;
  /** Of the HTML. */
  readonly visible: string;
  readonly links: readonly string[];
}

interface World {
  readonly main: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly callbacksUrl: string;
  readonly adminUrl: string;
  readonly slack: SlackStandIn;
  readonly mail: MailCatcher;
  /** Of the next messages to Slack that are no alerts. */
  readonly faults: SlackFault[];
  /** Jobs that are undelivered, and are to be. */
  readonly left: Set<string>;
}

export async function record(main: string): Promise<Recording> {
  const both = [recordIn('en', main), recordIn('ja', main)] as const;
  await Promise.allSettled(both);
  const [en, ja] = await Promise.all(both);
  return { en, ja };
}

async function recordIn(language: Language, main: string): Promise<Recording[Language]> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-record-'));
  const { child, world, close } = await start(language, main, folder);
  try {
    const recorded: Record<string, Recorded> = {};
    for (const step of WARM_UP) await recordStep(world, step);
    for (const step of STEPS) recorded[step.name] = await recordStep(world, step);
    return recorded;
  } finally {
    const exit = once(child, 'exit');
    if (child.kill('SIGTERM')) await exit;
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(language: Language, main: string, folder: string) {
  const faults: SlackFault[] = [];
  const slack = await startSlackStandIn({
    tokens: [SLACK_TOKEN],
    channels: CHANNELS.map((name, index) => ({ name, id: `C0RECORD${index}` })),
    faultOf: ({ args }) => (args?.['channel'] === ALERTED[0] ? undefined : faults.shift()),
  });
  const mail = await startMailCatcher();
  const [receiver, admin] = [await freePort(), await freePort()];
  const environment = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    FOLDER: folder,
    LANGUAGE: language,
    RECEIVER_PORT: String(receiver),
    RECEIVER_TOKEN,
    ADMIN_PORT: String(admin),
    SLACK_TOKEN,
    SLACK_API: slack.apiUrl,
    SMTP_URL: `smtp://${mail.host}?ignoreTLS=true`,
  };
  const child = spawn(process.execPath, [main, 'serve', '--config', CONFIG], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const urls = {
    callbacksUrl: `http://127.0.0.1:${receiver}/callbacks/`,
    adminUrl: `http://127.0.0.1:${admin}`,
  };
  await untilReady(child, urls.adminUrl);
  const world: World = { main, environment, ...urls, slack, mail, faults, left: new Set() };
  return { child, world, close: () => Promise.all([slack.close(), mail.close()]) };
}

async function untilReady(child: ChildProcess, adminUrl: string): Promise<void> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const isReady = () =>
    fetch(`${adminUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await isReady()));
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log}`);
}

/** Or until it takes too long: the record shows then what is missing. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + LONGEST_WAIT_MS;
  while (!(await holds()) && Date.now() < end) await sleep(50);
}

async function recordStep(world: World, step: Step): Promise<Recorded> {
  const { slack, mail, left } = world;
  const [messages, mails] = [slack.messages.length, mail.mails.length];
  world.faults.push(...(step.slack ?? []));
  mail.faults.push(...(step.mail ?? []));
  const answer = await post(world, step);
  const jobId = jobOf(step.body);
  left.delete(jobId);
  if (answer.status !== 200 || step.isLeft === true) left.add(jobId);
  if (step.isMended === true) await fetch(`${world.adminUrl}/-/reload`, { method: 'POST' });
  const sent = () => slack.messages.slice(messages).map(({ args }) => args as Message);
  const sentMail = () => mail.mails.slice(mails).map(mailShape);
  const alerts = () => [...sent(), ...sentMail()].filter(({ channel }) => ALERTED.includes(channel));
  await until(async () => alerts().length >= (step.alerts ?? 0) && (await isSettled(world, jobId)));
  const told = { ...(await apiOf(world, jobId, step)), why: await whyOf(world, jobId) };
  const shown = { answer, slack: sent().toSorted(byAddress), mails: sentMail().toSorted(byAddress) };
  return { ...withMarks(shown, false), ...withMarks(told, true) };
}

async function post({ callbacksUrl }: World, { body, headers, path = RECEIVER_TOKEN }: Step) {
  const response = await fetch(callbacksUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return {
    status: response.status,
    headers: Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)])),
    body: (await response.json()) as Fields,
  };
}

/** Empty where the body has none. */
function jobOf(body: string): string {
  const [, job = '""'] = /"job_id":\s*("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return JSON.parse(job) as string;
}

interface Item extends Fields {
  readonly id: number;
  readonly job_id: string;
}

async function itemsOf(
  { adminUrl }: World,
  query: Readonly<Record<string, string>>,
): Promise<readonly Item[]> {
  const response = await fetch(`${adminUrl}/api/callbacks?${new URLSearchParams(query).toString()}`);
  return ((await response.json()) as { readonly items: readonly Item[] }).items;
}

async function isSettled(world: World, jobId: string): Promise<boolean> {
  const pending = await itemsOf(world, { state: 'pending' });
  if (!pending.every(({ job_id }) => world.left.has(job_id))) return false;
  // Alerts are in no list.
  const [item] = jobId === '' ? [] : await itemsOf(world, { job_id: jobId });
  const { alerts = [] } = item === undefined ? {} : (JSON.parse(await storyOf(world, item)) as Fields);
  const stories = await Promise.all((alerts as readonly number[]).map((id) => storyOf(world, { id })));
  return stories.every((story) => !story.includes('"state":"pending"'));
}

async function storyOf({ adminUrl }: World, { id }: { readonly id: number }): Promise<string> {
  return (await fetch(`${adminUrl}/api/callbacks/${id}`)).text();
}

/** Of the job's newest callback; what stands in it to the letter is not recorded again. */
async function apiOf(world: World, jobId: string, { body }: Step): Promise<Pick<Recorded, 'item' | 'story'>> {
  const [item] = jobId === '' ? [] : await itemsOf(world, { job_id: jobId });
  if (item === undefined) return { item: null, story: null };
  const text = await storyOf(world, item);
  const story = JSON.parse(text) as Fields;
  const posted = Buffer.from(body).toString().trim();
  return { item, story: text.includes(posted) ? { ...story, callback: 'as posted' } : story };
}

async function whyOf({ main, environment }: World, jobId: string): Promise<readonly string[]> {
  if (jobId === '') return [];
  const command = [main, 'why', jobId, '--config', CONFIG];
  const ran = promisify(execFile)(process.execPath, command, { env: environment });
  const { stdout } = await ran.catch((error: unknown) => ({
    stdout: String((error as { stderr?: string }).stderr),
  }));
  return stdout.trimEnd().split('\n');
}

function mailShape({ to, parsed }: CaughtMail): RecordedMail {
  const headers = parsed.headers.filter(({ key }) => MAIL_HEADERS.test(key));
  const html = parsed.html ?? '';
  return {
    channel: to.join(' '),
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    subject: parsed.subject ?? '',
    text: (parsed.text ?? '').replaceAll('\r\n', '\n'),
    visible: visibleIn(html),
    links: [...html.matchAll(/<a\s[^>]*?\bhref="([^"]*)"/g)].map(([, target = '']) =>
      withoutEntities(target),
    ),
  };
}

function visibleIn(html: string): string {
  const text = html.replaceAll(/<head>.*?<\/head>|<!--.*?-->/gs, '').replaceAll(/<[^>]*>/g, '\n');
  return withoutEntities(text)
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

function withoutEntities(text: string): string {
  return text.replaceAll(/&(#?)(\w+);/g, (_, sign, name: string) =>
    sign === '' ? (ENTITIES[name] ?? `&${name};`) : String.fromCodePoint(Number(name.replace(/^x/i, '0x'))),
  );
}

function byAddress(one: { readonly channel: string }, other: { readonly channel: string }): number {
  return one.channel < other.channel ? -1 : Number(one.channel > other.channel);
}

const [, script = '', main, file] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  if (main === undefined || file === undefined) throw new Error('usage: record.ts <program> <file>');
  writeFileSync(file, `${JSON.stringify(await record(main), undefined, 1)}\n`);
}
