/** `botbell demo`: runs stand-ins of Slack and a mail server, posts callbacks to Botbell, and prints the messages. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type RunningApp, startApp } from '../../app/app.ts';
import { mailAsText } from '../../channels/email/format.ts';
import { channelTypes } from '../../channels/registry.ts';
import { slackAsText } from '../../channels/slack/preview.ts';
import { createLogger } from '../../observe/logger.ts';
import { DEMO_CONFIG, readVersion, samplesIn } from '../../package-files.ts';
import { startMailCatcher } from '../../stand-ins/mail-catcher.ts';
import { startSlackStandIn } from '../../stand-ins/slack-stand-in.ts';
import { visibleAndIndented, visibleOnOneLine, shellWord } from '../../text/clean.ts';
import { errorIn } from '../../text/fault.ts';
import { systemClock } from '../../time/clock.ts';
import type { Language } from '../../time/display.ts';
import { CommandFailed, type CommandContext, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadProject } from '../load-config.ts';

/** With --stay, the documented ports are used, unless the environment sets others. */
const STAY_PORTS = { DEMO_PORT: '8080', DEMO_ADMIN_PORT: '8081' };

const LOOK_INTERVAL_MS = 200;

/** The job's number overrides the callback's, so that posting the file to the demo is no duplicate. */
const SCENES = [
  { title: 'demo.started', sample: 'executing.json', job: 1 },
  { title: 'demo.failed', sample: 'error.json', job: 1 },
  { title: 'demo.succeeded', sample: 'succeeded.json', job: 2 },
  { title: 'demo.no mail', sample: 'error.json', job: 3 },
  { title: 'demo.again', sample: 'error.json', job: 3 },
] as const;

/** The mail server hangs up on every attempt that Botbell makes within one request. */
const MAIL_FAULT = { at: 'rcpt', does: 'drop', times: 3 } as const;

/** Removes its files however it ends, unless the process is killed. */
export async function run(context: CommandContext, options: OptionsOf<'demo'>) {
  const { speaks, say } = context;
  const { stay = false, lang = speaks.language } = options;
  speaks.language = lang;
  // Listen before anything is created: an unhandled signal would end the process without cleaning up.
  const stop = new AbortController();
  context.onHangup(() => stop.abort());
  void context.untilStopped().then(() => stop.abort());
  const world = await createWorld(lang);
  try {
    const app = await startDemoApp(context, world, stay);
    try {
      await playScenes(context, world, app, stop.signal);
      if (stay) await serve(context, world, app, stop.signal);
      else context.result(`\n${say('demo.stay')}`);
    } finally {
      await app.stop();
    }
    return 0;
  } finally {
    await world.close();
  }
}

type World = Awaited<ReturnType<typeof createWorld>>;

async function createWorld(language: Language) {
  const token = 'xoxb-demo';
  const slack = await startSlackStandIn();
  const mail = await startMailCatcher();
  // Created last, so that no earlier failure leaves it behind.
  const folder = mkdtempSync(join(tmpdir(), 'botbell-demo-'));
  return {
    slack,
    mail,
    samples: samplesIn(language),
    /** The variables that the demo's config refers to. */
    variables: {
      DEMO_FOLDER: folder,
      DEMO_LANGUAGE: language,
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

async function startDemoApp(context: CommandContext, world: World, stay: boolean): Promise<RunningApp> {
  const variables = { ...(stay ? STAY_PORTS : {}), ...context.variables, ...world.variables };
  const starting = startApp({
    ...(await loadProject({ ...context, variables, configFile: DEMO_CONFIG })),
    channelTypes,
    clock: systemClock,
    secrets: context.secrets,
    logger: await createLogger('silent', undefined, (line) => line),
    version: readVersion(),
    print: () => undefined,
  });
  return starting.catch((error: Error) => {
    const isTaken = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    throw isTaken
      ? new CommandFailed(context.say('demo.ports', { why: errorIn(error, context.speaks.language) }))
      : error;
  });
}

async function playScenes(context: CommandContext, world: World, app: RunningApp, stop: AbortSignal) {
  for (const [index, scene] of SCENES.entries()) {
    if (stop.aborted) return;
    context.result(`\n${styled(context, 'bold', `${index + 1}. ${context.say(scene.title)}`)}`);
    if (scene.title === 'demo.no mail') world.mail.faults.push({ ...MAIL_FAULT });
    await play(context, world, scene, callbacksUrl(app));
    showNews(context, world);
  }
}

async function serve(context: CommandContext, world: World, app: RunningApp, stop: AbortSignal) {
  const page = `http://127.0.0.1:${app.admin?.port}/`;
  const sample = shellWord(relative('', join(world.samples, 'error.json')));
  const command = `curl -H 'Content-Type: application/json' -d @${sample} ${callbacksUrl(app)}`;
  context.result(`\n${context.say('demo.serving', { command, page })}`);
  const look = setInterval(() => showNews(context, world), LOOK_INTERVAL_MS);
  if (!stop.aborted) await once(stop, 'abort');
  clearInterval(look);
}

function callbacksUrl({ receiver }: RunningApp): string {
  return `http://${receiver.host}:${receiver.port}/callbacks`;
}

interface Answer {
  readonly result?: string;
  readonly deliveries?: readonly { destination: string; state: string; error?: string }[];
}

async function play(
  context: CommandContext,
  world: World,
  scene: (typeof SCENES)[number],
  url: string,
): Promise<void> {
  const sample = JSON.parse(readFileSync(join(world.samples, scene.sample), 'utf8')) as object;
  const body = JSON.stringify({ ...sample, job_id: `c1d2e3f4-0000-4000-8000-00000000000${scene.job}` });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result = '', deliveries = [] } = (await response.json()) as Answer;
  const became = deliveries.map(({ destination, state, error }) =>
    error === undefined ? `${destination} ${state}` : `${destination} ${state} (${visibleOnOneLine(error)})`,
  );
  const said = context.say('demo.answered', {
    answer: `${response.status} ${result}`,
    became: became.join('; '),
  });
  context.result(`   ${styled(context, response.ok ? 'green' : 'yellow', said)}`);
}

function showNews(context: CommandContext, { slack, mail }: World): void {
  const bar = `   ${styled(context, 'dim', '│')} `;
  const show = (destination: string, text: string) =>
    context.result(`   ${styled(context, 'cyan', destination)}\n${visibleAndIndented(text.trimEnd(), bar)}`);
  for (const { channel, text, blocks = [] } of slack.messages.splice(0))
    show(`slack:${channel}`, slackAsText({ text, blocks }));
  for (const { to, parsed } of mail.mails.splice(0)) {
    const { subject = '', text = '' } = parsed;
    // Lines of a mail end in CRLF (RFC 5322, 2.3).
    show(`email:${to.join(', ')}`, mailAsText({ subject, text: text.replaceAll('\r\n', '\n') }));
  }
}
