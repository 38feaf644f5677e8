/** `botbell demo`: a Slack, a mail server and Botbell on this machine, and what people would be told. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type RunningApp, startApp } from '../../app/app.ts';
import { readConfigInTurns } from '../../app/read-config.ts';
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
import { loadProject, projectOf } from '../load-project.ts';
import { type PreviewedMessage, previewPage } from '../preview/preview-page.ts';

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
    const app = await startDemoApp(context, world, stays);
    try {
      await show({ context, world, stays, interruption }, app);
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

async function show(demo: Demo, app: RunningApp): Promise<void> {
  const { context, world, stays, interruption } = demo;
  const url = `http://${app.receiver.host}:${app.receiver.port}/callbacks`;
  const outcome = new Outcome(context, world);
  await playAll(demo, outcome, url);
  if (interruption.aborted) return;
  context.result(`\n${outcome.count} messages. ${stays ? outcome.writePage() : SEE_THEM}`);
  if (stays) await stay(demo, outcome, url, app.admin?.port);
}

const SEE_THEM = 'To see them on a page, as their readers do, run it with --stay.';

async function startDemoApp(context: CommandContext, world: DemoWorld, stays: boolean): Promise<RunningApp> {
  const variables = { ...(stays ? STAY_PORTS : {}), ...context.variables, ...world.variables };
  const demo = { ...context, variables, configFile: DEMO_CONFIG };
  return startApp({
    ...loadProject(demo),
    readConfig: () => readConfigInTurns(projectOf(demo)),
    channelTypes,
    clock: systemClock,
    logger: await createLogger('silent', false, (line) => line),
    version: readVersion(),
    print: (text) => context.result(text),
  });
}

async function playAll({ context, world, interruption }: Demo, outcome: Outcome, url: string): Promise<void> {
  for (const [index, scene] of SCENES.entries()) {
    if (interruption.aborted) return;
    context.result(`\n${styled(context, 'bold', `${index + 1}. ${scene.title}`)}`);
    scene.prepare?.(world);
    context.result(answerLine(context, await play(scene, SAMPLES, url)));
    outcome.showNews();
  }
}

/** What people have been told so far, on the terminal and as a page. */
class Outcome {
  readonly #context: CommandContext;
  readonly #world: DemoWorld;
  readonly #page: string;
  readonly #told: PreviewedMessage[] = [];
  #messagesSeen = 0;
  #mailsSeen = 0;

  constructor(context: CommandContext, world: DemoWorld) {
    this.#context = context;
    this.#world = world;
    this.#page = join(world.folder, 'messages.html');
  }

  get count(): number {
    return this.#told.length;
  }

  /** Shows what has arrived since the last time. @returns whether there was any */
  showNews(): boolean {
    const news = [...this.#newMessages(), ...this.#newMails()];
    for (const message of news) this.#context.result(shown(this.#context, message));
    this.#told.push(...news);
    return news.length > 0;
  }

  /** @returns where it is */
  writePage(): string {
    writeFileSync(this.#page, previewPage(this.#told));
    return `As their readers see them: open file://${this.#page}`;
  }

  #newMessages(): PreviewedMessage[] {
    const posted = this.#world.slack.messages.slice(this.#messagesSeen);
    this.#messagesSeen += posted.length;
    return posted.map(({ channel, text, blocks }) => ({
      destination: `slack:${channel}`,
      message: { text, blocks: blocks ?? [] },
      format: slackFormat,
    }));
  }

  #newMails(): PreviewedMessage[] {
    const mailed = this.#world.mail.mails.slice(this.#mailsSeen);
    this.#mailsSeen += mailed.length;
    return mailed.map(({ to, parsed }) => ({
      destination: `email:${to.join(', ')}`,
      // Lines of a mail end in CRLF (RFC 5322, 2.3).
      message: {
        subject: parsed.subject ?? '',
        text: (parsed.text ?? '').replaceAll('\r\n', '\n'),
        html: parsed.html ?? '',
      },
      format: emailFormat,
    }));
  }
}

function answerLine(context: CommandContext, { status, body }: SceneAnswer): string {
  const deliveries = (body.deliveries ?? []).map(({ destination, state, error }) =>
    error === undefined ? `${destination} ${state}` : `${destination} ${state} (${visibleOnOneLine(error)})`,
  );
  const said = `answered ${status} ${body.result ?? ''}: ${deliveries.join('; ')}`;
  return `   ${styled(context, status === 200 ? 'green' : 'yellow', said)}`;
}

function shown(context: CommandContext, { destination, message, format }: PreviewedMessage): string {
  const bar = styled(context, 'dim', '│');
  const text = visibleAndIndented(format.asText(message).trimEnd(), `   ${bar} `);
  return `   ${styled(context, 'cyan', destination)}\n${text}`;
}

async function stay(
  { context, interruption }: Demo,
  outcome: Outcome,
  url: string,
  adminPort: number | undefined,
): Promise<void> {
  context.result(`Serving. Post to it, see here what people are told, and stop it with Ctrl+C:
  curl -H 'Content-Type: application/json' -d @${relative('', join(SAMPLES, 'error.json'))} ${url}
  the page: http://127.0.0.1:${adminPort}/
  metrics: http://127.0.0.1:${adminPort}/metrics`);
  const look = setInterval(() => {
    if (outcome.showNews()) outcome.writePage();
  }, LOOK_INTERVAL_MS);
  if (!interruption.aborted) await once(interruption, 'abort');
  clearInterval(look);
}
