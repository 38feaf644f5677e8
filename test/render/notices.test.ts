/** What Botbell tells beside a callback's own message: alerts, and of a BOT that it recovered, is late, overdue or missed, what was held, what ran. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { EmailMessage } from '../../src/channels/email/format.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import { composeWebhook } from '../../src/channels/webhook/compose.ts';
import {
  type AlertSubject,
  mostTroubled,
  type Notice,
  noticeOf,
  noticeOfAlert,
  type NoticeVariant,
  type OwnSubject,
} from '../../src/notice/notice.ts';
import { NO_FIGURES } from '../../src/report/figures.ts';
import { type Incident, toldTroubles } from '../../src/incident/incident.ts';
import { ALERT_SUBJECTS, CONFIG_FAILURE, DEAD_LETTER, raised, REFUSED } from '../support/alerts.ts';
import { expectMessages } from '../support/expected-messages.ts';
import { expectWellFormed } from './mail-rules.ts';
import { BARE, LINKS, ownTemplates, targetOf, testRenderer } from './render-fixture.ts';
import { controlSequences, expectAcceptable } from './slack-rules.ts';

const STARTED_AT = Date.parse(BARE.start_time);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const told = (status: 0 | 1 | 2, occasion?: NoticeVariant, more: object = {}): Notice => ({
  ...noticeOf({ callback: { ...BARE, status }, startedAt: STARTED_AT }, 1, occasion),
  incident: 12,
  ...more,
});
const own = (subject: OwnSubject): Notice =>
  noticeOfAlert({ id: 'x', raisedAt: STARTED_AT, suppressed: 0, subject });

const RECOVERY: NoticeVariant = {
  template: 'recovered',
  failingSince: STARTED_AT - 26 * HOUR_MS - 5000,
  failingForMs: 26 * HOUR_MS + 5000,
  failures: 3,
};
const LATE: NoticeVariant = { template: 'late', dueAt: STARTED_AT - HOUR_MS, lateByMs: 90_000 };
const TOO_LONG: NoticeVariant = { template: 'overdue', runningForMs: HOUR_MS / 2 };
const ZERO_START = { startedAt: Date.parse('0001-01-01T00:00:00Z') };
const MISSED = own({
  template: 'missed',
  botId: 'get_items',
  botName: '',
  dueAt: STARTED_AT,
  lastResultAt: undefined,
});
const COUNTS = { succeeded: 0, errors: 2, executing: 0, missed: 0, overdue: 0 };
const BOT = { bot_id: 'get_items', bot_name: 'Get items', ...COUNTS, jobs: ['j-1', 'j-2'] };
const summaryOf = (bot: object) =>
  own({
    template: 'summary',
    destination: 'slack:#ops',
    reason: 'mute',
    since: STARTED_AT,
    lastAt: STARTED_AT + HOUR_MS,
    count: 2,
    ...mostTroubled([{ ...BOT, ...bot }]),
  });
const digestOf = (bots: readonly object[], more: object = {}) =>
  own({
    template: 'digest',
    group: 'operators',
    since: STARTED_AT,
    doubts: [],
    ...mostTroubled(bots.map((bot) => ({ ...BOT, is_muted: false, ...bot }))),
    ...more,
  });
const lastErrorAt = (at: number, text: string) => ({ lastError: { text, at, jobId: 'j-2' } });
const NO_BOT = { callback: { bot_id: '', bot_name: '', job_id: '', status: 1 } } as const;

const FAILING: Incident = {
  id: 7,
  kind: 'bot',
  subject: 'get_items',
  name: '商品 *取得* <BOT>',
  sign: 'error',
  gist: 'connection refused',
  likeness: '',
  since: STARTED_AT,
  lastAt: STARTED_AT,
  count: 3,
  isWaiting: false,
};
const LATE_BOT: Incident = { ...FAILING, subject: 'stock', name: '', sign: 'missed', gist: '' };
const REFUSING: Incident = { ...FAILING, kind: 'botbell', subject: 'refused 415', name: '', sign: 'refused' };
const UNTOLD: Incident = { ...FAILING, kind: 'destination', subject: 'slack:#ops', name: '', sign: 'dead' };

const HUNG = {
  class: 'transient',
  code: 'ETIMEDOUT',
  message: 'No answer in time.',
  mayHaveArrived: true,
} as const;
const LIMITED = { class: 'rate_limited', code: 'ratelimited', message: 'Too many.' } as const;

const TEST_OF = { template: 'test', destination: 'slack:#ops', channel: 'slack' } as const;
const TEST = { ...TEST_OF, askedBy: 'admin' };

const DAY = Date.UTC(2026, 10, 1);
const MONTH = { from: DAY, to: DAY + 30 * DAY_MS };
const RAN = {
  ...NO_FIGURES,
  runs: 400,
  succeeded: 388,
  incidents: 0,
  incidentMs: 0,
  runningMs: 41 * HOUR_MS,
};
const FAILED = {
  ...RAN,
  errors: 12,
  missed: 3,
  overdue: 1,
  unfinished: 2,
  estimated: 4,
  answerMs: 30 * 60_000,
  retries: 16,
  incidents: 5,
  incidentMs: 12 * HOUR_MS,
};
const STANDING = {
  ...MONTH,
  budgetMs: 60 * HOUR_MS,
  usedMs: 49 * HOUR_MS,
  percent: 81,
  forecastMs: 72.5 * HOUR_MS,
};
const NOTHING = { ...NO_FIGURES, incidents: 0, incidentMs: 0 };
const reportOf = (more: object) =>
  own({
    template: 'report',
    ...MONTH,
    total: FAILED,
    bots: [
      { ...FAILED, botId: 'crm-export', botName: '請求書 *<BOT>*' },
      { ...RAN, botId: 'prices', botName: '' },
    ],
    moreBots: 0,
    csv: '',
    budget: undefined,
    doubts: [],
    ...more,
  });

const NOTICES: Readonly<Record<string, Notice>> = {
  'a month of BOTs': reportOf({
    budget: STANDING,
    doubts: [
      { calendar: 'office', endsOn: '2026-12-31' },
      { calendar: 'office', file: '/etc/botbell/holidays.csv', year: 2027 },
    ],
  }),
  'a day on which nothing ran': reportOf({ to: DAY + DAY_MS, total: NOTHING, bots: [] }),
  'a week of more BOTs than it names': reportOf({ to: DAY + 7 * DAY_MS, moreBots: 3 }),
  'a budget of which so much is used': own({ template: 'budget', ...STANDING, passed: 80 }),
  'a budget early in the month': own({
    template: 'budget',
    ...STANDING,
    percent: 130,
    forecastMs: undefined,
    passed: 100,
  }),
  ...Object.fromEntries(
    ALERT_SUBJECTS.map((each) => [each.template, { ...noticeOfAlert(raised(each)), incident: 12 }]),
  ),
  'an error whose job has no address': {
    ...told(1),
    callback: { ...BARE, status: 1, job_id: '' },
  } as Notice,
  'a dead letter of a summary, which is of no one BOT': noticeOfAlert(raised({ ...DEAD_LETTER, ...NO_BOT })),
  'a destination that is down': noticeOfAlert(raised({ ...CONFIG_FAILURE, error: HUNG } as AlertSubject)),
  'a destination that limits its rate for long': noticeOfAlert(
    raised({ ...CONFIG_FAILURE, error: LIMITED } as AlertSubject),
  ),
  'a config failure of a summary': noticeOfAlert(raised({ ...CONFIG_FAILURE, ...NO_BOT })),
  'who is on it': own({
    template: 'taken_up',
    by: 'kenji',
    because: 'the VPN',
    ...toldTroubles([FAILING, LATE_BOT, REFUSING]),
  }),
  'who is on many, for no reason that is given': own({
    template: 'taken_up',
    by: 'kenji <b>',
    because: '',
    ...toldTroubles(Array.from({ length: 12 }, () => FAILING)),
  }),
  'that it is over': own({ template: 'over', ...toldTroubles([UNTOLD]) }),
  'a test': own(TEST),
  'a test that nobody is known to have asked for': own({ ...TEST_OF, askedBy: '' }),
  'a recovery': told(0, RECOVERY),
  'a recovery of which no start is known': told(0, RECOVERY, ZERO_START),
  'a late success': told(0, LATE),
  'a late error': told(1, LATE),
  'an overdue job': told(2, TOO_LONG),
  'an overdue job of which no start is known': told(2, TOO_LONG, ZERO_START),
  'a missed result of a BOT that never had one': MISSED,
  'a missed result that was held': { ...MISSED, heldSince: STARTED_AT, incident: 12 },
  'an error that was held': told(1, undefined, { heldSince: STARTED_AT - HOUR_MS }),
  'an error before which others were held back': told(1, undefined, { heldBack: 12 }),
  'a summary of errors': summaryOf({}),
  'a summary of successes': summaryOf({ errors: 0, succeeded: 2 }),
  'a summary with what the last error says': summaryOf(lastErrorAt(STARTED_AT - HOUR_MS, 'no login')),
  'a summary of missed, overdue and started runs': summaryOf({
    errors: 0,
    missed: 1,
    overdue: 2,
    executing: 3,
    jobs: [],
  }),
  'a digest of a muted BOT': digestOf([{ missed: 1, succeeded: 4, is_muted: true }]),
  'a digest with an error of another day': digestOf([lastErrorAt(STARTED_AT - 24 * HOUR_MS, '')]),
  'a digest of a BOT that has only begun': digestOf([{ errors: 0 }]),
  'a digest of more BOTs than it names': digestOf([{}], { moreBots: 10, errors: 120 }),
  'a digest of nothing': digestOf([]),
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
      expect(mailOf(reportOf({ csv: 'from,to' })).attachment).to.deep.equal({
        name: 'botbell-2026-11.csv',
        text: '\ufefffrom,to',
      }));

    it('say at the end of an alert how many more there were of its cause', () => {
      const more = {
        en: '1,234 more of the same cause since the last alert',
        ja: '前回のお知らせのあと、同じ原因でほかに1,234件ありました',
      }[language];
      for (const subject of ALERT_SUBJECTS) {
        const [one, many] = [noticeOfAlert(raised(subject)), noticeOfAlert(raised(subject, 1234))];
        expect(slackAsText(slackOf(many))).to.equal(`${slackAsText(slackOf(one))} · ${more}`);
        expect(mailOf(many).text).to.include(more);
      }
    });

    it('never say in an alert that a BOT failed or when one started', () => {
      for (const subject of ALERT_SUBJECTS) {
        const notice = noticeOfAlert(raised(subject));
        const text = `${slackAsText(slackOf(notice))}\n${JSON.stringify(mailOf(notice))}`;
        expect(text).not.to.match(
          /BOT failed|BOT がエラーになりました|\[Failed\]|\[エラー\]|❌|Started|開始/,
        );
      }
    });

    it('let no foreign text in an alert or a test mention, link or inject', () => {
      for (const subject of [...ALERT_SUBJECTS, TEST]) {
        const notice = own(hostile(subject));
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

  it('holds no English sentence, whatever went wrong, but what is wrong with a config or a callback', () => {
    const refused: AlertSubject = {
      ...REFUSED,
      template: 'refused',
      httpStatus: 422,
      detail: '',
      errors: [],
      from: '',
    };
    const others = ALERT_SUBJECTS.filter(
      ({ template }) => !['reload_refused', 'refused', 'store_unwritable'].includes(template),
    );
    for (const subject of [...others, refused])
      for (const format of ['slack', 'email'] as const) {
        const alert = renderer.render(noticeOfAlert(raised(subject)), targetOf(format), () => undefined);
        expect(alert.asText().replaceAll(/Content-\w+/g, '')).not.to.match(/[a-z]{2,},? [a-z]{2,}/);
      }
  });
});

describe('a user’s templates of alerts', () => {
  const rendererWith = async (files: Readonly<Record<string, string>>) =>
    testRenderer({ own: await ownTemplates(files) });

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
      const renderer = await rendererWith({ [`of-${name}/slack/${name}.yaml`]: `text: "${text}"` });
      const problems = await renderer.check([targetOf('slack', `of-${name}`)]);
      expect(problems.map(({ fault }) => fault.in('en'))).to.deep.equal([problem]);
    }
  });
});
