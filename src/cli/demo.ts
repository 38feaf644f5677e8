/** `botbell demo`: a Slack, a mail server and Botbell on this machine, and what people would be told. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type RunningApp, startApp } from '../app/app.ts';
import type { MessageFormat } from '../channels/channel.ts';
import { emailFormat } from '../channels/email/format.ts';
import { channelTypes } from '../channels/registry.ts';
import { slackFormat } from '../channels/slack/format.ts';
import { createLogger } from '../observe/logger.ts';
import { DEMO_CONFIG, readVersion, SAMPLES } from '../package-files.ts';
import { startMailCatcher } from '../stand-ins/mail-catcher.ts';
import { startSlackStandIn } from '../stand-ins/slack-stand-in.ts';
import { visibleAndIndented, visibleOnOneLine } from '../text/clean.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, styled } from './context.ts';
import { loadProject } from './load-config.ts';

/** With --stay, the ports are the ones that the documentation names, unless the environment has others. */
const STAY_PORTS = { DEMO_PORT: '8080', DEMO_ADMIN_PORT: '8081' };

/** How often what has been told is looked for while the demo stays. */
const LOOK_INTERVAL_MS = 200;

interface Scene {
  readonly title: string;
  /** File in the samples folder. */
  readonly sample: string;
  /** Not the one in the file: whoever posts that to the demo should see it told. */
  readonly jobId: string;
  /** The mail server is out of order meanwhile, for as often as Botbell tries within one request. */
  readonly isMailFailing?: boolean;
  /** Goes into the callback, so that one sample can stand for several. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

const jobOf = (number: number): string => `c1d2e3f4-0000-4000-8000-00000000000${number}`;

const LOGIN_FAILED = {
  sample: 'error.json',
  jobId: jobOf(3),
  changes: { message: 'ログインに失敗しました' },
};

const SCENES: readonly Scene[] = [
  { title: 'A BOT has started', sample: 'executing.json', jobId: jobOf(1) },
  { title: 'The same job ends in an error', sample: 'error.json', jobId: jobOf(1) },
  { title: 'Another BOT succeeds, with outputs and a file', sample: 'succeeded.json', jobId: jobOf(2) },
  {
    title: 'An error while the mail server is out of order: Slack is told, the mail is not',
    isMailFailing: true,
    ...LOGIN_FAILED,
  },
  {
    title: 'The job service posts it again (30 s later; the demo does not wait): only the mail was missing',
    ...LOGIN_FAILED,
  },
];

const MAIL_FAULT = { at: 'rcpt', does: 'refuse', code: 451, text: 'try later', times: 2 } as const;

/** Leaves nothing behind, however it ends, unless it is killed. */
export async function run(context: CommandContext, { stay = false }: { stay?: boolean }): Promise<number> {
  // Asked first, since a signal that nobody listens for ends the process with all that it has written.
  const stop = new AbortController();
  context.onHangup(() => stop.abort());
  void context.untilStopped().then(() => stop.abort());
  const world = await createWorld();
  try {
    const news = new News(context, world);
    const app = await startDemoApp(context, world, { stay, print: (text) => news.print(text) });
    try {
      await show({ context, world, stay, stop: stop.signal }, app, news);
    } finally {
      await app.stop();
    }
    return 0;
  } finally {
    await world.close();
  }
}

type World = Awaited<ReturnType<typeof createWorld>>;

/** Everything the demo needs on this machine: a Slack, a mail server, and a folder. */
async function createWorld() {
  const token = 'xoxb-demo';
  const channels = [
    { id: 'C0ALERTS1', name: '#bot-alerts' },
    { id: 'C0SHOP001', name: '#shop' },
  ];
  const slack = await startSlackStandIn({ tokens: [token], channels });
  const mail = await startMailCatcher();
  // Made last, so that whatever fails leaves none behind.
  const folder = mkdtempSync(join(tmpdir(), 'botbell-demo-'));
  return {
    slack,
    mail,
    /** What the demo's config asks for as `${…}`. */
    variables: {
      DEMO_FOLDER: folder,
      DEMO_SLACK_TOKEN: token,
      DEMO_SLACK_API: slack.apiUrl,
      DEMO_SMTP_URL: `smtp://${mail.host}/?ignoreTLS=true`,
    },
    async close() {
      await Promise.all([slack.close(), mail.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startDemoApp(
  context: CommandContext,
  world: World,
  { stay, print }: { readonly stay: boolean; readonly print: (text: string) => void },
): Promise<RunningApp> {
  const variables = { ...(stay ? STAY_PORTS : {}), ...context.variables, ...world.variables };
  return startApp({
    ...(await loadProject({ ...context, variables, configFile: DEMO_CONFIG })),
    channelTypes,
    clock: systemClock,
    secrets: context.secrets,
    logger: await createLogger('silent', false, (line) => line),
    version: readVersion(),
    print,
  });
}

interface Demo {
  readonly context: CommandContext;
  readonly world: World;
  readonly stay: boolean;
  readonly stop: AbortSignal;
}

async function show({ context, world, stay, stop }: Demo, app: RunningApp, news: News): Promise<void> {
  const url = `http://${app.receiver.host}:${app.receiver.port}/callbacks`;
  for (const [index, scene] of SCENES.entries()) {
    if (stop.aborted) return;
    context.result(`\n${styled(context, 'bold', `${index + 1}. ${scene.title}`)}`);
    if (scene.isMailFailing === true) world.mail.faults.push({ ...MAIL_FAULT });
    await play(context, scene, url);
    news.show();
  }
  const more = stay ? '' : ' To see them on a page, as their readers do, run it with --stay.';
  context.result(`\n${news.count} messages.${more}`);
  if (!stay) return;
  context.result(`Serving. Post to it, see here what people are told, and stop it with Ctrl+C:
  curl -H 'Content-Type: application/json' -d @${relative('', join(SAMPLES, 'error.json'))} ${url}
  the page: http://127.0.0.1:${app.admin?.port}/
  metrics: http://127.0.0.1:${app.admin?.port}/metrics`);
  const look = setInterval(() => news.show(), LOOK_INTERVAL_MS);
  if (!stop.aborted) await once(stop, 'abort');
  clearInterval(look);
}

interface Answer {
  readonly result?: string;
  readonly deliveries?: readonly {
    readonly destination: string;
    readonly state: string;
    readonly error?: string;
  }[];
}

/** Posts the scene's callback as the job service would, and says what was answered. */
async function play(context: CommandContext, scene: Scene, url: string): Promise<void> {
  const sample = JSON.parse(readFileSync(join(SAMPLES, scene.sample), 'utf8')) as Record<string, unknown>;
  const body = JSON.stringify({ ...sample, job_id: scene.jobId, ...scene.changes });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result = '', deliveries = [] } = (await response.json()) as Answer;
  const became = deliveries.map(({ destination, state, error }) =>
    error === undefined ? `${destination} ${state}` : `${destination} ${state} (${visibleOnOneLine(error)})`,
  );
  const said = `answered ${response.status} ${result}: ${became.join('; ')}`;
  context.result(`   ${styled(context, response.ok ? 'green' : 'yellow', said)}`);
}

/** What people have been told since it was shown the last time. */
class News {
  readonly #context: CommandContext;
  readonly #world: World;
  #messages = 0;
  #mails = 0;
  #printed = 0;

  constructor(context: CommandContext, world: World) {
    this.#context = context;
    this.#world = world;
  }

  get count(): number {
    return this.#messages + this.#mails + this.#printed;
  }

  show(): void {
    const messages = this.#world.slack.messages.slice(this.#messages);
    const mails = this.#world.mail.mails.slice(this.#mails);
    this.#messages += messages.length;
    this.#mails += mails.length;
    for (const { channel, text, blocks } of messages)
      this.#say(`slack:${channel}`, slackFormat, { text, blocks: blocks ?? [] });
    for (const { to, parsed } of mails) {
      const { subject = '', text = '', html } = parsed;
      // Lines of a mail end in CRLF (RFC 5322, 2.3).
      const mail = { subject, text: text.replaceAll('\r\n', '\n'), html: html || '' };
      this.#say(`email:${to.join(', ')}`, emailFormat, mail);
    }
  }

  /** What an outbox prints: its heading, and the message. */
  print(text: string): void {
    this.#printed += 1;
    this.#context.result(`   ${text.trimEnd().replaceAll('\n', '\n   ')}`);
  }

  #say(destination: string, format: MessageFormat, message: unknown): void {
    const bar = styled(this.#context, 'dim', '│');
    const text = visibleAndIndented(format.asText(message).trimEnd(), `   ${bar} `);
    this.#context.result(`   ${styled(this.#context, 'cyan', destination)}\n${text}`);
  }
}
