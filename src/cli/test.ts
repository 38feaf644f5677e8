/** `botbell test`: really sends a message marked as a test, and says what each remote answered. */
import { userInfo } from 'node:os';
import { type AppSettings, openSettings } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import type { Config } from '../config/config.ts';
import { createAttempt } from '../deliver/attempt.ts';
import { sendTest, type SendOnce, type TestOutcome } from '../deliver/test-message.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { didYouMean } from '../text/nearest.ts';
import { systemClock } from '../time/clock.ts';
import { CommandFailed, type CommandContext, styled } from './context.ts';
import { loadProject } from './load-project.ts';

export interface TestOptions {
  /** Each that the config has. */
  readonly all?: boolean;
}

/** Nothing is sent where one of the names is none of the config's. */
export async function testCommand(
  context: CommandContext,
  names: readonly string[],
  { all = false }: TestOptions,
): Promise<number> {
  const project = loadProject(context);
  const settings = await openSettings(project, {
    channelTypes,
    clock: systemClock,
    print: (text) => context.result(text),
    onTemplateError: ({ message }) => context.message(visibleOnOneLine(message)),
    // No message is large.
    secrets: new HiddenSecrets(),
  });
  try {
    const known = [...settings.destinations.keys()];
    const chosen = all ? known : [...new Set(names.map((name) => knownAs(name, known, project.config)))];
    const outcomes = await testAll(context, settings, chosen);
    return outcomes.every(({ isDelivered }) => isDelivered) ? 0 : 1;
  } finally {
    await Promise.all(settings.resources.map((resource) => resource.close()));
  }
}

/** @throws {CommandFailed} the config tells nobody there */
function knownAs(name: string, known: readonly string[], config: Config): string {
  const destination = canonical(name, config);
  if (known.includes(destination)) return destination;
  const hint = didYouMean(destination, known) || `: it tells ${known.join(', ')}`;
  throw new CommandFailed(`${name}: the config tells nobody there${hint}`);
}

/** As the config has it, however its address is written; what is none stays as it is. */
function canonical(name: string, { channels }: Config): string {
  const [channelName = '', ...rest] = name.split(':');
  const channel = channels.get(channelName);
  try {
    const address = channel && channelTypes.get(channel.type)?.parseAddress(rest.join(':'), channel.settings);
    return address === undefined ? name : `${channelName}:${address}`;
  } catch {
    return name;
  }
}

/** One after the other, at the pace of their channels. */
async function testAll(
  context: CommandContext,
  settings: AppSettings,
  destinations: readonly string[],
): Promise<readonly TestOutcome[]> {
  const outcomes: TestOutcome[] = [];
  for (const destination of destinations) {
    const target = settings.destinations.get(destination);
    if (target === undefined) continue;
    if (outcomes.length > 0)
      await systemClock.sleep(settings.channels.get(target.channel)?.pace.channelMs ?? 0);
    const outcome = await sendTest(
      { target, settings, askedBy: userName(), language: 'en' },
      systemClock,
      sendOnce(),
    );
    context.result(lineOf(context, outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Whatever a running Botbell knows of pauses and paces is not known here. */
function sendOnce(): SendOnce {
  const attempt = createAttempt({
    clock: systemClock,
    timers: systemClock,
    onAttempt: () => undefined,
    onUnforeseen: () => undefined,
  });
  return (begun) => attempt(begun).result;
}

function lineOf(context: CommandContext, { destination, isDelivered, words }: TestOutcome): string {
  const mark = isDelivered ? styled(context, 'green', '✓') : styled(context, 'red', '✕');
  return `${mark} ${styled(context, 'bold', destination)}: ${visibleOnOneLine(words)}`;
}

/** '' where the system has no name for whoever runs this. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
