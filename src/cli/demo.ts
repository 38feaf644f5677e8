/** `botbell demo`: a Slack, a mail server and Botbell on this machine, and what people would be told. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningApp, startApp } from '../app.ts';
import { emailFormat } from '../channels/email-format.ts';
import { channelTypes } from '../channels/registry.ts';
import { slackFormat } from '../channels/slack-format.ts';
import { createDemoWorld, type DemoWorld } from '../demo/demo-world.ts';
import { play, type Scene, type SceneAnswer, SCENES } from '../demo/scenario.ts';
import { createLogger } from '../observe/logger.ts';
import { DEMO_CONFIG, readVersion, SAMPLES } from '../package-files.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, styled } from './context.ts';
import { loadProject } from './load-project.ts';
import { type PreviewedMessage, previewPage } from './preview-page.ts';

/** With --stay, the ports are the ones that the documentation names. */
const STAY_PORTS = { DEMO_PORT: '8080', DEMO_ADMIN_PORT: '8081' };

export async function demoCommand(context: CommandContext, stays: boolean): Promise<number> {
  const world = await createDemoWorld();
  try {
    const app = await startDemoApp(context, world, stays);
    try {
      const url = `http://${app.receiver.host}:${app.receiver.port}/callbacks`;
      const told = await playAll(context, world, url);
      showWhereToLook(context, world, told);
      if (stays) await stay(context, url);
    } finally {
      await app.stop();
    }
    return 0;
  } finally {
    await world.close(true);
  }
}

async function startDemoApp(context: CommandContext, world: DemoWorld, stays: boolean): Promise<RunningApp> {
  const variables = { ...context.variables, ...world.variables, ...(stays ? STAY_PORTS : {}) };
  const { config, renderer } = loadProject({
    ...context,
    variables,
    configFile: context.configFile ?? DEMO_CONFIG,
  });
  return startApp({
    config,
    renderer,
    channelTypes,
    clock: systemClock,
    logger: await createLogger('silent', false, (line) => line),
    version: readVersion(),
    print: (text) => context.result(text),
  });
}

/** @returns everything that people were told, in order */
async function playAll(context: CommandContext, world: DemoWorld, url: string): Promise<PreviewedMessage[]> {
  const all: PreviewedMessage[] = [];
  for (const [index, scene] of SCENES.entries()) {
    context.result(`\n${styled(context, 'bold', `${index + 1}. ${scene.title}`)}`);
    const told = await playOne(world, scene, url);
    context.result(answerLine(context, told.answer));
    for (const message of told.messages) context.result(shown(context, message));
    all.push(...told.messages);
  }
  return all;
}

async function playOne(
  world: DemoWorld,
  scene: Scene,
  url: string,
): Promise<{ answer: SceneAnswer; messages: PreviewedMessage[] }> {
  const { slack, mail } = world;
  const before = { messages: slack.messages.length, mails: mail.mails.length };
  scene.prepare?.(world);
  const answer = await play(scene, SAMPLES, url);
  const posted = slack.messages.slice(before.messages).map(({ channel, text, blocks }) => ({
    destination: `slack:${channel}`,
    message: { text, blocks: blocks ?? [] },
    format: slackFormat,
  }));
  const mailed = mail.mails.slice(before.mails).map(({ to, parsed }) => ({
    destination: `email:${to.join(', ')}`,
    message: { subject: parsed.subject ?? '', text: parsed.text ?? '', html: parsed.html ?? '' },
    format: emailFormat,
  }));
  return { answer, messages: [...posted, ...mailed] };
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

function showWhereToLook(context: CommandContext, { folder }: DemoWorld, told: PreviewedMessage[]): void {
  const page = join(folder, 'messages.html');
  writeFileSync(page, previewPage(told));
  context.result(`\n${told.length} messages. As their readers see them: open file://${page}`);
}

async function stay(context: CommandContext, url: string): Promise<void> {
  context.result(`Serving. Post to it, and stop it with Ctrl+C:
  curl -H 'Content-Type: application/json' -d @config/samples/error.json ${url}
  metrics: http://127.0.0.1:${STAY_PORTS.DEMO_ADMIN_PORT}/metrics`);
  await context.untilStopped();
}
