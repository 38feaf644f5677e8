/** `botbell demo`: a Slack, a mail server and Botbell on this machine, and what people would be told. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningApp, startApp } from '../app.ts';
import { emailFormat } from '../channels/email-format.ts';
import { channelTypes } from '../channels/registry.ts';
import { slackFormat } from '../channels/slack-format.ts';
import { createDemoWorld, type DemoWorld } from '../demo/demo-world.ts';
import { play, type SceneAnswer, SCENES } from '../demo/scenario.ts';
import { createLogger } from '../observe/logger.ts';
import { DEMO_CONFIG, readVersion, SAMPLES } from '../package-files.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, CommandFailed, styled } from './context.ts';
import { loadProject } from './load-project.ts';
import { type PreviewedMessage, previewPage } from './preview-page.ts';

/** With --stay, the ports are the ones that the documentation names, unless the environment has others. */
const STAY_PORTS = { DEMO_PORT: '8080', DEMO_ADMIN_PORT: '8081' };

const HAS_ITS_OWN_CONFIG =
  'The demo has a config of its own, so that nobody real is told: leave --config out. `preview` shows what another config would send.';

/** How often what has been told is looked for while the demo stays. */
const LOOK_INTERVAL_MS = 200;

/** @throws {CommandFailed} another config is named: the demo's posts must reach nobody real */
export async function demoCommand(context: CommandContext, stays: boolean): Promise<number> {
  if (context.configFile !== undefined) throw new CommandFailed(HAS_ITS_OWN_CONFIG);
  const world = await createDemoWorld();
  try {
    const app = await startDemoApp(context, world, stays);
    try {
      const url = `http://${app.receiver.host}:${app.receiver.port}/callbacks`;
      const outcome = new Outcome(context, world);
      await playAll(context, world, outcome, url);
      outcome.writePage();
      context.result(`\n${outcome.summary}`);
      if (stays) await stay(context, outcome, url, app.admin?.port);
    } finally {
      await app.stop();
    }
    return 0;
  } finally {
    await world.close(true);
  }
}

async function startDemoApp(context: CommandContext, world: DemoWorld, stays: boolean): Promise<RunningApp> {
  const variables = { ...(stays ? STAY_PORTS : {}), ...context.variables, ...world.variables };
  const { config, configHash, renderer } = loadProject({ ...context, variables, configFile: DEMO_CONFIG });
  return startApp({
    config,
    configHash,
    renderer,
    channelTypes,
    clock: systemClock,
    logger: await createLogger('silent', false, (line) => line),
    version: readVersion(),
    print: (text) => context.result(text),
  });
}

async function playAll(
  context: CommandContext,
  world: DemoWorld,
  outcome: Outcome,
  url: string,
): Promise<void> {
  for (const [index, scene] of SCENES.entries()) {
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

  get summary(): string {
    return `${this.#told.length} messages. As their readers see them: open file://${this.#page}`;
  }

  /** Shows what has arrived since the last time. @returns whether there was any */
  showNews(): boolean {
    const news = [...this.#newMessages(), ...this.#newMails()];
    for (const message of news) this.#context.result(shown(this.#context, message));
    this.#told.push(...news);
    return news.length > 0;
  }

  writePage(): void {
    writeFileSync(this.#page, previewPage(this.#told));
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
      message: { subject: parsed.subject ?? '', text: parsed.text ?? '', html: parsed.html ?? '' },
      format: emailFormat,
    }));
  }
}

function answerLine(context: CommandContext, { status, body }: SceneAnswer): string {
  const deliveries = (body.deliveries ?? []).map(({ destination, state, error }) =>
    error === undefined ? `${destination} ${state}` : `${destination} ${state} (${error})`,
  );
  const said = `answered ${status} ${body.result ?? ''}: ${deliveries.join('; ')}`;
  return `   ${styled(context, status === 200 ? 'green' : 'yellow', said)}`;
}

function shown(context: CommandContext, { destination, message, format }: PreviewedMessage): string {
  const lines = format.asText(message).trimEnd().split('\n');
  const bar = styled(context, 'dim', '│');
  return [`   ${styled(context, 'cyan', destination)}`, ...lines.map((line) => `   ${bar} ${line}`)].join(
    '\n',
  );
}

async function stay(
  context: CommandContext,
  outcome: Outcome,
  url: string,
  adminPort: number | undefined,
): Promise<void> {
  context.result(`Serving. Post to it, see here what people are told, and stop it with Ctrl+C:
  curl -H 'Content-Type: application/json' -d @config/samples/error.json ${url}
  metrics: http://127.0.0.1:${adminPort}/metrics`);
  const look = setInterval(() => {
    if (outcome.showNews()) outcome.writePage();
  }, LOOK_INTERVAL_MS);
  await context.untilStopped();
  clearInterval(look);
}
