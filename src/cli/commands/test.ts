/** `botbell test`: sends real messages marked as tests, and reports each remote's answer. */
import { writeFileSync } from 'node:fs';
import { type AppSettings, openSettings } from '../../app/settings.ts';
import { channelTypes } from '../../channels/registry.ts';
import { type AttemptResult, Sending } from '../../deliver/attempt.ts';
import { type AddressedNotice, openIn } from '../../deliver/settings.ts';
import { destinationOf } from '../../people/destinations.ts';
import { outcomeOf, sendTest, type TestOutcome } from '../../people/test-message.ts';
import type { PlannedTarget } from '../../route/router.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { randomId, systemRandom } from '../../text/random.ts';
import { systemClock } from '../../time/clock.ts';
import { type CommandContext, styled, userHere } from '../context.ts';
import { loadProject } from '../load-config.ts';
import {
  refuseUnwritable,
  reportPage,
  specimens,
  type TriedDestination,
  type TriedMessage,
} from './test-report.ts';

interface Options {
  readonly all?: boolean;
  /** A file. */
  readonly report?: string;
}

/** Sends nothing if the config does not use one of the named destinations. */
export async function run(
  context: CommandContext,
  names: readonly string[],
  { all = false, report }: Options,
): Promise<number> {
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
    if (report !== undefined) refuseUnwritable(report);
    const tried = await testAll(context, settings, destinations, report !== undefined);
    if (report !== undefined) {
      const page = reportPage(context, tried, { at: new Date(systemClock.now()), hide: settings.hide });
      writeFileSync(report, settings.hide(page), { flag: 'wx' });
      context.result(context.say('seen.written', { file: report }));
    }
    const messages = tried.flatMap((each) => each.messages);
    return messages.every(({ outcome }) => outcome.isDelivered) ? 0 : 1;
  } finally {
    await Promise.all(openIn(settings).map((channel) => channel.close()));
  }
}

/** Sends one message after the other, at the channels' pace. */
async function testAll(
  context: CommandContext,
  settings: AppSettings,
  destinations: ReadonlySet<string>,
  isForReport: boolean,
): Promise<readonly TriedDestination[]> {
  const tried: TriedDestination[] = [];
  for (const [index, destination] of [...destinations].entries()) {
    const target = settings.destinations.get(destination);
    if (target === undefined) continue;
    if (index > 0) await systemClock.sleep(settings.channels.get(target.channel)?.pace.channelMs ?? 0);
    const messages = await tryAt(context, settings, target, isForReport);
    tried.push({ destination, type: settings.config.channels.get(target.channel)?.type ?? '', messages });
  }
  return tried;
}

/** Sends the test and, for a report, what shows more than it. */
async function tryAt(
  context: CommandContext,
  settings: AppSettings,
  target: PlannedTarget,
  isForReport: boolean,
): Promise<readonly TriedMessage[]> {
  const { language } = context.speaks;
  const surroundings = { clock: systemClock, random: systemRandom };
  const messages: TriedMessage[] = [];
  const send = async (addressed: AddressedNotice): Promise<AttemptResult> => {
    const result = await new Sending(settings, { clock: systemClock, onAttempt: () => undefined }).attempt(
      addressed,
    );
    const outcome = outcomeOf(target.destination, result, language);
    messages.push({ composed: settings.compose(addressed), outcome });
    context.result(lineOf(context, outcome, isForReport ? SENT[messages.length - 1] : undefined));
    return result;
  };
  await sendTest({ target, askedBy: userHere() ?? '', language }, surroundings, send);
  const more = isForReport
    ? specimens(context.say, randomId(systemRandom).slice(0, 8), new Date(systemClock.now()))
    : [];
  // Pauses and paces that a running service has learned are not known here.
  const { addressMs = 0, channelMs = 0 } = settings.channels.get(target.channel)?.pace ?? {};
  for (const notice of more) {
    if (messages.at(-1)?.outcome.isDelivered === true)
      await systemClock.sleep(Math.max(addressMs, channelMs));
    await send({ ...target, notice });
  }
  return messages;
}

/** In this order. */
const SENT = ['sent.test', 'sent.success', 'sent.error'] as const;

/** @param sent which of the three it was; undefined: there is one alone */
function lineOf(
  context: CommandContext,
  { destination, isDelivered, words }: TestOutcome,
  sent: (typeof SENT)[number] | undefined,
): string {
  const mark = isDelivered ? styled(context, 'green', '✓') : styled(context, 'red', '✕');
  const which = sent === undefined ? '' : ` (${context.say(sent)})`;
  return `${mark} ${styled(context, 'bold', destination)}${which}: ${visibleOnOneLine(words)}`;
}
