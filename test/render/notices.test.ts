/** What Botbell tells beside a callback's own message: alerts, and of a BOT that it recovered, is late, overdue or missed, what was held, what ran. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { EmailMessage } from '../../src/channels/email/format.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import type { ToldTrouble } from '../../src/incident/incident.ts';
import { composeWebhook } from '../../src/channels/webhook/compose.ts';
import {
  type AlertNotice,
  type AlertSubject,
  type CallbackNotice,
  type Notice,
  noticeOf,
  noticeOfAlert,
  type NoticeVariant,
  type OwnName,
  type OwnSubject,
  type TemplateName,
} from '../../src/notice/notice.ts';
import { samplesOf } from '../../src/render/samples.ts';
import { NO_FIGURES } from '../../src/report/figures.ts';
import { ALERT_SUBJECTS, CONFIG_FAILURE, DEAD_LETTER, raised } from '../support/alerts.ts';
import { expectMessages } from '../support/expected-messages.ts';
import { expectWellFormed } from './mail-rules.ts';
import { BARE, LINKS, problemsOf, rendererWith, targetOf, testRenderer } from './render-fixture.ts';
import { controlSequences, expectAcceptable } from './slack-rules.ts';

const STARTED_AT = Date.parse(BARE.start_time);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const told = (status: 0 | 1 | 2, occasion?: NoticeVariant, more: object = {}): Notice => ({
  ...noticeOf({ callback: { ...BARE, status }, startedAt: STARTED_AT }, 1, occasion),
  incident: 12,
  ...more,
});
const noticeAbout = (subject: OwnSubject): Notice =>
  noticeOfAlert({ id: 'x', raisedAt: STARTED_AT, suppressed: 0, subject });

/** Of the samples with which `check` renders templates. */
const occasionOf = (name: TemplateName) => (samplesOf(name)[0] as CallbackNotice).occasion;
const sampleOf = <Name extends OwnName>(name: Name) =>
  (samplesOf(name as TemplateName)[0] as AlertNotice).alert.subject as unknown as OwnSubject<Name>;
const own = <Name extends OwnName>(name: Name, parts: Partial<OwnSubject<Name>> = {}): Notice =>
  noticeAbout({ ...sampleOf(name), ...parts } as unknown as OwnSubject);

const ZERO_START = { startedAt: Date.parse('0001-01-01T00:00:00Z') };
const NO_BOT = { callback: { bot_id: '', bot_name: '', job_id: '', status: 1 } } as const;

const NO_MORE = { moreBots: 0, errors: 0, missed: 0, overdue: 0, open: 0 };
const [SUMMARISED] = sampleOf('summary').bots;
const summaryOf = (parts: object) =>
  own('summary', { bots: [{ ...SUMMARISED, ...parts }] as never, ...NO_MORE, ...parts });
const UNEVENTFUL = { errors: 0, missed: 0, overdue: 0, open: 0, lastError: undefined };
const [DIGESTED] = sampleOf('digest').bots;
const digestOf = (parts: object) =>
  own('digest', { bots: [{ ...DIGESTED, is_muted: false, ...parts }] as never, moreBots: 0, ...parts });

const [TROUBLE] = sampleOf('over').troubles as readonly [ToldTrouble];
const FAILING = { ...TROUBLE, name: '商品 *取得* <BOT>' };
const SILENT = { ...TROUBLE, subject: 'stock', name: '', sign: 'missed', gist: '' } as const;
const REFUSING = { ...TROUBLE, kind: 'botbell', subject: 'refused 415', name: '', sign: 'refused' } as const;
const UNTOLD = { ...TROUBLE, kind: 'destination', subject: 'slack:#ops', name: '', sign: 'dead' } as const;

const MANY = { by: 'kenji <b>', troubles: [TROUBLE, { ...TROUBLE, subject: 'c' }] };
const HUNG = { class: 'transient', code: 'ETIMEDOUT', message: 'No answer.', mayHaveArrived: true } as const;
const LIMITED = { class: 'rate_limited', code: 'ratelimited', message: 'Too many.' } as const;

const REPORT = sampleOf('report');
const [REPORTED] = REPORT.bots;
const ESTIMATED = {
  ...REPORTED,
  botName: '請求書 *<BOT>*',
  estimated: 4,
  runningMs: 41 * HOUR_MS,
  missed: 3,
};
const TOTAL = { ...REPORT.total, estimated: 4, overdue: 1, answerMs: 30 * 60_000, retries: 16 };
const NO_HOLIDAYS = { calendar: 'office', file: '/etc/botbell/holidays.csv', year: 2027 };

const NOTICES: Readonly<Record<string, Notice>> = {
  'a month of BOTs': own('report', {
    to: REPORT.from + 31 * DAY_MS,
    total: TOTAL,
    bots: [ESTIMATED, REPORTED] as never,
    doubts: [...REPORT.doubts, NO_HOLIDAYS],
    moreBots: 0,
  }),
  'a month of BOTs of one name': own('report', {
    bots: [REPORTED, { ...REPORTED, botId: 'stock', botName: ` ${REPORTED?.botName}` }] as never,
  }),
  'a day on which nothing ran': own('report', {
    total: { ...NO_FIGURES, incidents: 0, incidentMs: 0 },
    bots: [],
    moreBots: 0,
    budget: undefined,
    doubts: [],
  }),
  'a week of more BOTs than it names': own('report', { to: REPORT.from + 7 * DAY_MS }),
  'a budget of which so much is used': own('budget'),
  'a budget early in the month': own('budget', { percent: 130, forecastMs: undefined, passed: 100 }),
  ...Object.fromEntries(
    ALERT_SUBJECTS.map((each) => [each.template, { ...noticeOfAlert(raised(each)), incident: 12 }]),
  ),
  'an error whose job has no address': { ...told(1), callback: { ...BARE, status: 1, job_id: '' } } as Notice,
  'a dead letter of a summary, which is of no one BOT': noticeOfAlert(raised({ ...DEAD_LETTER, ...NO_BOT })),
  'a destination that is down': noticeOfAlert(raised({ ...CONFIG_FAILURE, error: HUNG } as AlertSubject)),
  'a destination that limits its rate for long': noticeOfAlert(
    raised({ ...CONFIG_FAILURE, error: LIMITED } as AlertSubject),
  ),
  'a config failure of a summary': noticeOfAlert(raised({ ...CONFIG_FAILURE, ...NO_BOT })),
  'who is on it': own('taken_up', { troubles: [FAILING, SILENT, REFUSING], moreTroubles: 0 }),
  'who is on many, for no reason that is given': own('taken_up', { because: '', ...MANY }),
  'that it is over': own('over', { troubles: [UNTOLD], answered: undefined }),
  'that the store can be written again': own('over'),
  'a test': own('test'),
  'a test that nobody is known to have asked for': own('test', { askedBy: '' }),
  'a recovery': told(0, occasionOf('recovered')),
  'a recovery of which no start is known': told(0, occasionOf('recovered'), ZERO_START),
  'a late success': told(0, occasionOf('late')),
  'a late error': told(1, occasionOf('late')),
  'an overdue job': told(2, occasionOf('overdue')),
  'an overdue job of which no start is known': told(2, occasionOf('overdue'), ZERO_START),
  'a missed result of a BOT that never had one': own('missed'),
  'a missed result that was held': { ...own('missed'), heldSince: STARTED_AT, incident: 12 },
  'an error that was held': told(1, undefined, { heldSince: STARTED_AT - HOUR_MS }),
  'an error before which others were held back': told(1, undefined, { heldBack: 12 }),
  'a summary of more BOTs than it names': own('summary'),
  'a summary of more BOTs than there is room for': own('summary', {
    bots: Array.from({ length: 3 }, () => ({ ...SUMMARISED, bot_name: 'b'.repeat(40) })) as never,
  }),
  'a summary of BOTs of one name': own('summary', {
    bots: ['ac', 'bc', 'c'].map(([bot_id, bot_name = '']) => ({ ...SUMMARISED, bot_id, bot_name })) as never,
  }),
  'a summary of errors of that day': summaryOf({
    ...UNEVENTFUL,
    errors: 2,
    lastError: { text: 'no login', at: STARTED_AT - HOUR_MS, jobId: 'j-2' },
  }),
  'a summary of successes of one minute': summaryOf({
    ...UNEVENTFUL,
    succeeded: 2,
    reason: 'mute',
    lastAt: sampleOf('summary').since + 1000,
  }),
  'a summary of missed, overdue and started runs': summaryOf({
    ...UNEVENTFUL,
    missed: 1,
    overdue: 2,
    executing: 3,
    reason: 'burst',
  }),
  'a summary of an overdue run': summaryOf({ ...UNEVENTFUL, overdue: 1 }),
  'a digest of a muted BOT, and of more than it names': own('digest'),
  'a digest of one BOT that failed on another day': digestOf({
    errors: 3,
    missed: 0,
    overdue: 0,
    open: 0,
  }),
  'a digest of a BOT that has succeeded since, and of one that still fails': own('digest', {
    ...NO_MORE,
    open: 1,
    bots: [
      { ...DIGESTED, is_muted: false, errors: 0, missed: 0, overdue: 0 },
      { ...DIGESTED, ...UNEVENTFUL, is_muted: false, bot_name: 'well', succeeded: 2 },
    ] as never,
  }),
  'a digest of a BOT that has only begun': digestOf({ ...UNEVENTFUL, moreBots: 1 }),
  'a digest of nothing': own('digest', { bots: [], ...NO_MORE }),
};

const HOSTILE = '<!channel> </td></table><script> *x* `y` \r\nBcc: a@b.test \u202e';

/** Every text of it but those that are ours. */
function hostile(subject: OwnSubject): OwnSubject {
  return JSON.parse(JSON.stringify(subject), (key, value: unknown) => {
    if (Array.isArray(value)) return Array.from({ length: 9 }, () => value[0] as unknown);
    if (typeof value !== 'string' || key === 'template' || key === 'class') return value;
    if (key === 'destination') return `slack:${HOSTILE}`;
    return key === 'message' ? HOSTILE.repeat(99) : HOSTILE;
  }) as OwnSubject;
}

const WEBHOOK = { name: 'webhook', compose: composeWebhook };

for (const language of ['en', 'ja'] as const) {
  describe(`Botbell’s own words in ${language}`, () => {
    const renderer = testRenderer({ language, links: LINKS, pageUrl: 'https://botbell.example.com/' });
    const drawn = (notice: Notice, format: Parameters<typeof targetOf>[0], by = renderer) =>
      by.render(notice, { ...targetOf(format), options: { mention_on_error: ['@here'] } }, (failure) => {
        throw new Error(failure.message);
      }).message;
    const slackOf = (notice: Notice) => {
      const message = drawn(notice, 'slack') as SlackMessage;
      expectAcceptable(message);
      return message;
    };
    const mailOf = (notice: Notice) => {
      const mail = drawn(notice, 'email') as EmailMessage;
      expect(mail.subject).not.to.match(/[\r\n]/);
      expect(mail.html).not.to.include('<script');
      expectWellFormed(mail.html);
      return mail;
    };

    it('are for each occasion the subject, the push and the lines of the file, whom they mention, and where they lead', async () => {
      const words = Object.entries(NOTICES).map(([what, notice]) => {
        const slack = slackOf(notice);
        const { subject: mail } = mailOf(notice);
        const { type } = drawn(notice, WEBHOOK) as { readonly type: string };
        return [what, [type, mail, slack.text, ...slackAsText(slack).split('\n')]] as const;
      });
      const file = fileURLToPath(new URL(`notices.${language}.json`, import.meta.url));
      await expectMessages(file, Object.fromEntries(words));
    });

    it('come in the mail of a report with the file that the page gives', () =>
      expect(mailOf(own('report', { csv: 'from,to' })).attachment).to.deep.equal({
        name: 'botbell-2026-01-01.csv',
        text: '\ufefffrom,to',
      }));

    it('say at the end of an alert how many more there were of its cause', () => {
      const more = {
        en: '1,234 more of the same cause since the last alert',
        ja: '前回のお知らせのあと、同じ原因でほかに1,234件ありました',
      }[language];
      for (const subject of ALERT_SUBJECTS) {
        const [one, many] = [noticeOfAlert(raised(subject)), noticeOfAlert(raised(subject, 1234))];
        const said = slackAsText(slackOf(one));
        // Beside the facts, where there are any.
        expect([`${said} · ${more}`, `${said}\n${more}`]).to.include(slackAsText(slackOf(many)));
        expect(mailOf(many).text).to.include(more);
      }
    });

    it('never say in an alert that a BOT failed or when one started', () => {
      for (const subject of ALERT_SUBJECTS) {
        const notice = noticeOfAlert(raised(subject));
        const text = `${slackAsText(slackOf(notice))}\n${JSON.stringify(mailOf(notice))}`;
        expect(text).not.to.match(
          /BOT failed|BOT がエラーになりました|\[(?:Failed|エラー)\]|❌|Started|開始/,
        );
      }
    });

    it('let no foreign text in an alert or a test mention, link or inject', () => {
      for (const subject of [...ALERT_SUBJECTS, sampleOf('test')]) {
        const notice = noticeAbout(hostile(subject));
        mailOf(notice);
        for (const sequence of controlSequences(slackOf(notice)))
          expect(sequence).to.match(/^(?:<!here>|<https:\/\/(?:example\.com\/jobs|botbell\.example\.com)\/)/);
      }
    });

    it('lead to the page only where that has a URL', () => {
      const without = testRenderer({ language, links: LINKS });
      for (const notice of Object.values(NOTICES))
        for (const format of ['slack', 'email'] as const)
          expect(JSON.stringify(drawn(notice, format, without))).not.to.include('botbell.example.com');
    });
  });
}

describe('an alert in Japanese', () => {
  const renderer = testRenderer({ language: 'ja' });

  it('holds no English sentence, whatever went wrong, but what it quotes', () => {
    const quoting = new Set<string>(['reload_refused', 'store_unwritable']);
    for (const subject of ALERT_SUBJECTS.filter(({ template }) => !quoting.has(template)))
      for (const format of ['slack', 'email'] as const) {
        const alert = renderer.render(noticeOfAlert(raised(subject)), targetOf(format), () => undefined);
        expect(alert.asText().replaceAll(/Content-\w+/g, '')).not.to.match(/[a-z]{2,},? [a-z]{2,}/);
      }
  });
});

describe('a user’s templates of alerts', () => {
  it('replace the built-in ones, in the display language’s set', async () => {
    const renderer = await rendererWith({
      'en/slack/dead_letter.yaml': 'text: "{{ destination }} {{ error_code }} {{ attempts }}"',
    });
    const slack = renderer.render(noticeOfAlert(raised(DEAD_LETTER)), targetOf('slack'), () => undefined);
    expect(slack.message).to.deep.equal({ text: 'slack:#ops not_in_channel 3' });
  });

  it('are checked against the variables of their own', async () => {
    const table = {
      dead_letter: ['{{ destinatoin }}', 'there is no variable "destinatoin"; did you mean "destination"?'],
      refused: ['{{ bot_name }} {{ http_status }}', 'there is no variable "bot_name"'],
      succeeded: ['{{ destination }}', 'there is no variable "destination"'],
    } as const;
    for (const [name, [text, problem]] of Object.entries(table)) {
      const files = { [`of-${name}/slack/${name}.yaml`]: `text: "${text}"` };
      const problems = await problemsOf(files, `of-${name}`);
      expect(problems.map((each) => each.replace(/^[\d:]+ /, ''))).to.deep.equal([problem]);
    }
  });
});
