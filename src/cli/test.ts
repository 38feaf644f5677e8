/** `botbell test`: sends real messages marked as tests, and reports each remote's answer. */
import { type AppSettings, openSettings } from '../app/settings.ts';
import { channelTypes } from '../channels/registry.ts';
import { Sending } from '../deliver/attempt.ts';
import { openIn } from '../deliver/settings.ts';
import { destinationOf } from '../people/destinations.ts';
import { sendTest, type TestOutcome } from '../people/test-message.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { systemRandom } from '../text/random.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, styled, userHere, WrongUsage } from './context.ts';
import { loadProject } from './load-config.ts';

interface Options {
  readonly all?: boolean;
}

/** Sends nothing if the config does not use one of the named destinations. */
export async function run(
  context: CommandContext,
  names: readonly string[],
  { all = false }: Options,
): Promise<number> {
  if (names.length > 0 === all)
    throw new WrongUsage('name the destinations to test, such as slack:#ops, or give --all');
  const project = await loadProject(context);
  const settings = await openSettings(project, {
    channelTypes,
    print: (text) => context.result(text),
    onTemplateError: ({ message }) => context.message(visibleOnOneLine(message)),
    secrets: context.secrets,
  });
  try {
    const named = names.map((name) => destinationOf(name, settings, channelTypes));
    const destinations = new Set(all ? settings.destinations.keys() : named);
    return (await testAll(context, settings, destinations)) ? 0 : 1;
  } finally {
    await Promise.all(openIn(settings).map((channel) => channel.close()));
  }
}

/** Sends one message after the other, at the channels' pace. @returns whether all were delivered */
async function testAll(
  context: CommandContext,
  settings: AppSettings,
  destinations: ReadonlySet<string>,
): Promise<boolean> {
  // Pauses and paces that a running service has learned are not known here.
  const surroundings = { clock: systemClock, random: systemRandom };
  const dependencies = { clock: systemClock, onAttempt: () => undefined };
  let isFine = true;
  for (const [index, destination] of [...destinations].entries()) {
    const target = settings.destinations.get(destination);
    if (target === undefined) continue;
    if (index > 0) await systemClock.sleep(settings.channels.get(target.channel)?.pace.channelMs ?? 0);
    const request = { target, askedBy: userHere() ?? '', language: context.speaks.language };
    const sending = new Sending(settings, dependencies);
    const outcome = await sendTest(request, surroundings, (addressed) => sending.attempt(addressed));
    context.result(lineOf(context, outcome));
    isFine &&= outcome.isDelivered;
  }
  return isFine;
}

function lineOf(context: CommandContext, { destination, isDelivered, words }: TestOutcome): string {
  const mark = isDelivered ? styled(context, 'green', '✓') : styled(context, 'red', '✕');
  return `${mark} ${styled(context, 'bold', destination)}: ${visibleOnOneLine(words)}`;
}
