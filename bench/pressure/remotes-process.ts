/** The strict Slack and the mail server of a scenario, in a process of their own: run by `remotes.ts`. */
import { startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import { startSlackStandIn } from '../../src/stand-ins/slack-stand-in.ts';
import { toldOf } from '../../test/support/proof-tally.ts';
import { type Remote, type RemotesReport, type RemotesSettings, SLACK_TOKEN, type Told } from './remotes.ts';

const { channels, rateLimit, doesHang } = JSON.parse(process.argv[2] ?? '') as RemotesSettings;

const slack = await startSlackStandIn({
  tokens: [SLACK_TOKEN],
  channels: channels.map((name, index) => ({ name, id: `C${String(index).padStart(8, '0')}` })),
  ...(rateLimit === undefined ? {} : { rateLimit }),
  ...(doesHang === true ? { faultOf: () => ({ kind: 'hang' }) } : {}),
});
const mail = await startMailCatcher();

function report(): RemotesReport {
  const bySlack = slack.messages.map(({ channel, text, at }): Told => ({
    what: toldOf(text, `slack:${channel}`),
    at,
  }));
  const byMail = mail.mails.map(({ to, parsed, at }): Told => ({
    what: toldOf(parsed.subject ?? '', `email:${to.join()}`),
    at,
  }));
  const all = [...bySlack, ...byMail];
  const told = all.filter(({ what }) => what.startsWith('key-'));
  return {
    told,
    toldOfSeeded: all.length - told.length,
    slackCalls: slack.calls.length,
    slackLimited: slack.rateLimited.length,
  };
}

/** A driver that is gone meanwhile needs no answer. */
function tell(message: RemotesReport | Remote): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', () => tell(report()));
process.on('disconnect', () => process.exit(0));
tell({ slackApi: slack.apiUrl, smtpPort: Number(mail.host.split(':')[1]) });
