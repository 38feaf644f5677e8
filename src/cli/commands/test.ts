/** `botbell test`: sends real messages marked as tests, and reports each remote's answer. */
import { writeFileSync } from 'node:fs';
import { type AppSettings, openSettings } from '../../app/settings.ts';
import { channelTypes } from '../../channels/registry.ts';
import { type AttemptResult, Sending } from '../../deliver/attempt.ts';
import { hastenAt } from '../../deliver/follow-config.ts';
import { type AddressedNotice, openIn } from '../../deliver/settings.ts';
import { destinationOf } from '../../people/destinations.ts';
import { outcomeOf, sendTest, type TestOutcome } from '../../people/test-message.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { randomId, systemRandom } from '../../text/random.ts';
import { systemClock } from '../../time/clock.ts';
import { type CommandContext, styled, userHere } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadProject, type Project } from '../load-config.ts';
import { type LedgerAccess, withLedger } from '../with-ledger.ts';
import {
  refuseUnwritable,
  reportPage,
  specimens,
  type TriedDestination,
  type TriedMessage,
} from './test-report.ts';

/** Sends nothing if the config does not use one of the named destinations. */
export async function run(
  context: CommandContext,
  names: readonly string[],
  { all = false, report }: OptionsOf<'test'>,
) {
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
    await hastenReached(project, tried);
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

/** Has a service that runs beside send at once what waits where the test has arrived. The test is what it is, whether or not there is a ledger here. */
async function hastenReached(project: Project, tried: readonly TriedDestination[]): Promise<void> {
  const reached = tried.filter(({ messages }) => messages[0]?.outcome.isDelivered === true);
  if (reached.length === 0) return;
  const hasten = async ({ ledger }: LedgerAccess) => {
    for (const { destination } of reached) await hastenAt(destination, ledger);
  };
  await withLedger(project, hasten).catch(() => undefined);
}

/** Sends the test and, for a report, further messages, at the channels' pace, since what a running service knows of limits is unknown here. */
async function testAll(
  context: CommandContext,
  settings: AppSettings,
  destinations: ReadonlySet<string>,
  isForReport: boolean,
): Promise<readonly TriedDestination[]> {
  const { language } = context.speaks;
  const attempting = { clock: systemClock, onAttempt: () => undefined };
  const mark = randomId(systemRandom).slice(0, 8);
  const more = isForReport ? specimens(context.say, mark, new Date(systemClock.now())) : [];
  const tried: TriedDestination[] = [];
  for (const destination of destinations) {
    const target = settings.destinations.get(destination);
    if (target === undefined) continue;
    const { addressMs = 0, channelMs = 0 } = settings.channels.get(target.channel)?.pace ?? {};
    const messages: TriedMessage[] = [];
    const send = async (addressed: AddressedNotice): Promise<AttemptResult> => {
      const isFirst = messages.length === 0;
      if (!isFirst || tried.length > 0)
        await systemClock.sleep(isFirst ? channelMs : Math.max(addressMs, channelMs));
      const result = await new Sending(settings, attempting).attempt(addressed);
      const outcome = outcomeOf(destination, result, language);
      context.result(lineOf(context, outcome, isForReport ? SENT[messages.length] : undefined));
      messages.push({ composed: settings.compose(addressed), outcome });
      return result;
    };
    const request = { target, askedBy: userHere() ?? '', language };
    await sendTest(request, { clock: systemClock, random: systemRandom }, send);
    for (const notice of more) await send({ ...target, notice });
    tried.push({ destination, type: settings.config.channels.get(target.channel)?.type ?? '', messages });
  }
  return tried;
}

/** The messages in the order in which they are sent. */
const SENT = ['sent.test', 'sent.success', 'sent.error'] as const;

/** @param sent which of the three messages it was; undefined if only the test is sent */
function lineOf(
  context: CommandContext,
  { destination, isDelivered, words }: TestOutcome,
  sent: (typeof SENT)[number] | undefined,
): string {
  const mark = isDelivered ? styled(context, 'green', '✓') : styled(context, 'red', '✕');
  const which = sent === undefined ? '' : ` (${context.say(sent)})`;
  return `${mark} ${styled(context, 'bold', destination)}${which}: ${visibleOnOneLine(words)}`;
}
