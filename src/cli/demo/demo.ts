/** `botbell demo`: a Slack, a mail server and Botbell on this machine, and what people would be told. */
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { type RunningApp, startApp } from '../../app/app.ts';
import type { MessageFormat } from '../../channels/channel.ts';
import { emailFormat } from '../../channels/email/format.ts';
import { channelTypes } from '../../channels/registry.ts';
import { slackFormat } from '../../channels/slack/format.ts';
import { createDemoWorld, type DemoWorld } from './world.ts';
import { play, type SceneAnswer, SCENES } from './scenario.ts';
import { createLogger } from '../../observe/logger.ts';
import { DEMO_CONFIG, readVersion, SAMPLES } from '../../package-files.ts';
import { systemClock } from '../../time/clock.ts';
import { visibleAndIndented, visibleOnOneLine } from '../../text/clean.ts';
import { type CommandContext, styled } from '../context.ts';
import { loadProject } from '../load-config.ts';

/** With --stay, the ports are the ones that the documentation names, unless the environment has others. */
const STAY_PORTS = { DEMO_PORT: '8080', DEMO_ADMIN_PORT: '8081' };

/** How often what has been told is looked for while the demo stays. */
const LOOK_INTERVAL_MS = 200;

/** Leaves nothing behind, however it ends, unless it is killed. */
export async function demoCommand(context: CommandContext, stays: boolean): Promise<number> {
  // Asked first, since a signal that nobody listens for ends the process with all that it has written.
  const interruption = interruptionOf(context);
  const world = await createDemoWorld();
  try {
    const news = new News(context, world);
    const app = await startDemoApp(context, world, stays, news);
    try {
      await show({ context, world, stays, interruption }, app, news);
    } finally {
      await app.stop();
    }
    return 0;
  } finally {
    await world.close();
  }
}

function interruptionOf(context: CommandContext): AbortSignal {
  const controller = new AbortController();
  context.onHangup(() => controller.abort());
  void context.untilStopped().then(() => controller.abort());
  return controller.signal;
}

interface Demo {
  readonly context: CommandContext;
  readonly world: DemoWorld;
  readonly stays: boolean;
  readonly interruption: AbortSignal;
}

async function show(demo: Demo, app: RunningApp, news: News): Promise<void> {
  const { context, world, stays, interruption } = demo;
  const url = `http://${app.receiver.host}:${app.receiver.port}/callbacks`;
  for (const [index, scene] of SCENES.entries()) {
    if (interruption.aborted) return;
    context.result(`\n${styled(context, 'bold', `${index + 1}. ${scene.title}`)}`);
    scene.prepare?.(world);
    context.result(answerLine(context, await play(scene, SAMPLES, url)));
    news.show();
  }
  const more = stays ? '' : ' To see them on a page, as their readers do, run it with --stay.';
  context.result(`\n${news.count} messages.${more}`);
  if (stays) await stay(demo, news, url, app.admin?.port);
}

async function startDemoApp(
  context: CommandContext,
  world: DemoWorld,
  stays: boolean,
  news: News,
): Promise<RunningApp> {
  const variables = { ...(stays ? STAY_PORTS : {}), ...context.variables, ...world.variables };
  return startApp({
    ...(await loadProject({ ...context, variables, configFile: DEMO_CONFIG })),
    channelTypes,
    clock: systemClock,
    logger: await createLogger('silent', false, (line) => line),
    version: readVersion(),
    print: (text) => news.print(text),
  });
}

/** What people have been told since it was shown the last time. */
class News {
  readonly #context: CommandContext;
  readonly #world: DemoWorld;
  #messages = 0;
  #mails = 0;
  #printed = 0;

  constructor(context: CommandContext, world: DemoWorld) {
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

function answerLine(context: CommandContext, { status, body }: SceneAnswer): string {
  const deliveries = (body.deliveries ?? []).map(({ destination, state, error }) =>
    error === undefined ? `${destination} ${state}` : `${destination} ${state} (${visibleOnOneLine(error)})`,
  );
  const said = `answered ${status} ${body.result ?? ''}: ${deliveries.join('; ')}`;
  return `   ${styled(context, status === 200 ? 'green' : 'yellow', said)}`;
}

async function stay(
  { context, interruption }: Demo,
  news: News,
  url: string,
  adminPort: number | undefined,
): Promise<void> {
  context.result(`Serving. Post to it, see here what people are told, and stop it with Ctrl+C:
  curl -H 'Content-Type: application/json' -d @${relative('', join(SAMPLES, 'error.json'))} ${url}
  the page: http://127.0.0.1:${adminPort}/
  metrics: http://127.0.0.1:${adminPort}/metrics`);
  const look = setInterval(() => news.show(), LOOK_INTERVAL_MS);
  if (!interruption.aborted) await once(interruption, 'abort');
  clearInterval(look);
}
