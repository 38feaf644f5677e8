/** `npm run bench`: the product against bare programs, interleaved, over the same stand-ins, every delivery verified. */
import { startOwnPostgres } from '../test/support/postgres-server.ts';
import { emailFormat } from '../src/channels/email/format.ts';
import { slackFormat } from '../src/channels/slack/format.ts';
import { allCallbacks } from './callbacks.ts';
import { compare } from './compare.ts';
import { measureGrowth } from './growth.ts';
import { describeMachine } from './machine.ts';
import type { Laboratory } from './measure.ts';
import { messageOf } from './message.ts';
import { Metronome } from './metronome.ts';
import { type Options, readOptions, readOrExit, USAGE } from './options.ts';
import { comparisonTable, targetTable } from './report-comparison.ts';
import { growthTables } from './report-growth.ts';
import { stallTables } from './report-stalls.ts';
import { measureStalls } from './stalls.ts';
import { StandIns } from './stand-ins.ts';
import { bare, botbell, type Subject } from './subjects.ts';
import { MAIL_TARGETS, POSTGRES_TARGETS, SLACK_TARGETS } from './targets.ts';

const PRODUCT = 'botbell';
const PRODUCT_MAIL = 'botbell, mail';
const PRODUCT_POSTGRES = 'botbell, PostgreSQL';

async function runParts(options: Options, laboratory: Laboratory): Promise<void> {
  const { parts, growth, profileFolder } = options;
  if (parts.includes('slack') || parts.includes('postgres')) await slackPart(options, laboratory);
  if (parts.includes('mail')) await mailPart(options, laboratory);
  if (parts.includes('stalls')) print('### Stalls', stallTables(await measureStalls(options.stalls)));
  if (!parts.includes('growth')) return;
  const grown = await measureGrowth(laboratory.standIns, growth, { profileFolder });
  print('### Growth', growthTables(grown));
}

async function slackPart({ parts, comparison: effort, profileFolder }: Options, laboratory: Laboratory) {
  const postgres = parts.includes('postgres') ? await startOwnPostgres() : undefined;
  try {
    const subjects: Subject[] = [bare('bare'), bare('bare-slack'), botbell(PRODUCT, { profileFolder })];
    if (parts.includes('slack')) {
      const message = messageOf(slackFormat);
      subjects.push(bare('bare-slack', { name: 'bare-slack, same message', message }));
      subjects.push(botbell('botbell, accepted', { answerWhen: 'accepted', profileFolder }));
    }
    if (postgres !== undefined) {
      const storeUrl = () => postgres.createDatabase();
      subjects.push(botbell(PRODUCT_POSTGRES, { storeUrl, profileFolder }));
    }
    const comparison = await compare(subjects, laboratory, effort);
    print('### Slack', comparisonTable(comparison, 'bare-slack', 'bare'));
    print(targetTable(comparison, PRODUCT, SLACK_TARGETS));
    if (postgres !== undefined) print(targetTable(comparison, PRODUCT_POSTGRES, POSTGRES_TARGETS));
  } finally {
    await postgres?.close();
  }
}

async function mailPart({ mail: effort, profileFolder }: Options, laboratory: Laboratory) {
  const subjects = [
    bare('bare-mail'),
    bare('bare-mail', { name: 'bare-mail, same mail', message: messageOf(emailFormat) }),
    botbell(PRODUCT_MAIL, { channel: 'email', profileFolder }),
  ];
  const comparison = await compare(subjects, laboratory, effort);
  print('### Mail', comparisonTable(comparison, 'bare-mail'));
  print(targetTable(comparison, PRODUCT_MAIL, MAIL_TARGETS));
}

function print(...paragraphs: readonly string[]): void {
  console.log(`${paragraphs.join('\n\n')}\n`);
}

const options = readOrExit(readOptions, USAGE);
print(`Measured on: ${describeMachine()}.`);
if (options.profileFolder !== undefined) print('With the profiler running: no figure of the product counts.');
const standIns = await StandIns.start();
const metronome = new Metronome();
try {
  await runParts(options, { standIns, metronome });
  await standIns.verify(allCallbacks());
  const { to, from } = allCallbacks();
  if (to > from)
    print(`Each of the ${(to - from).toLocaleString('en')} callbacks arrived at its stand-in exactly once.`);
} finally {
  await metronome.close();
  await standIns.close();
}
