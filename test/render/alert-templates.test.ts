/** What operators read when a message could not be delivered: what happened to it, in their language, and never that a BOT failed. */
import { expect } from 'chai';
import type { EmailMessage } from '../../src/channels/email/compose.ts';
import type { Language } from '../../src/time/display.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { type AlertSubject, noticeOfAlert } from '../../src/notice/notice.ts';
import type { TemplateFailure } from '../../src/render/renderer.ts';
import { ALERT_SUBJECTS, CONFIG_FAILURE, DEAD_LETTER, raised, REFUSED } from '../support/alerts.ts';
import {
  type FORMATS,
  LINKS,
  targetOf,
  templateFolder,
  ownTemplates,
  testRenderer,
} from './render-fixture.ts';
import { expectWellFormed } from './mail-rules.ts';
import { controlSequences, expectAcceptable } from './slack-rules.ts';

const HOSTILE = '<!channel> </td></table><script> *x* `y` \r\nBcc: a@b.test \u202e';

/** Every text of it but those that are ours. */
function hostile(subject: AlertSubject): AlertSubject {
  return JSON.parse(JSON.stringify(subject), (key, value: unknown) => {
    if (Array.isArray(value)) return Array.from({ length: 9 }, () => value[0] as unknown);
    if (typeof value !== 'string' || key === 'template' || key === 'class') return value;
    if (key === 'destination') return `slack:${HOSTILE}`;
    return key === 'message' ? HOSTILE.repeat(99) : HOSTILE;
  }) as AlertSubject;
}

for (const language of ['en', 'ja'] as const satisfies readonly Language[]) {
  describe(`an alert in ${language}`, () => {
    const failures: TemplateFailure[] = [];
    const renderer = testRenderer({ language, links: LINKS });
    const render = (subject: AlertSubject, format: keyof typeof FORMATS, suppressed = 0) =>
      renderer.render(
        noticeOfAlert(raised(subject, suppressed)),
        { ...targetOf(format), options: { mention_on_error: ['@here'] } },
        (failure) => failures.push(failure),
      ).message;
    const slackText = (subject: AlertSubject, suppressed = 0) =>
      slackAsText(render(subject, 'slack', suppressed) as SlackMessage);
    const mailText = (subject: AlertSubject, suppressed = 0) => {
      const { subject: line, text, html } = render(subject, 'email', suppressed) as EmailMessage;
      return `${line}\n${text}\n${html}`;
    };

    afterEach(() => {
      expect(failures.splice(0)).to.deep.equal([]);
    });

    for (const subject of ALERT_SUBJECTS) {
      it(`of ${subject.template} is whole on Slack and by mail, and lets no foreign text mention, link or inject`, () => {
        for (const told of [subject, hostile(subject)]) {
          const slack = render(told, 'slack') as SlackMessage;
          expectAcceptable(slack);
          for (const sequence of controlSequences(slack))
            expect(sequence).to.match(/^(?:<!here>|<https:\/\/example\.com\/jobs\/)/);
          const mail = render(told, 'email') as EmailMessage;
          expect(mail.subject).not.to.match(/[\r\n]/);
          expect(mail.html).not.to.include('<script');
          expectWellFormed(mail.html);
        }
      });

      it(`of ${subject.template} never says that a BOT failed or when one started`, () => {
        const text = `${slackText(subject)}\n${mailText(subject)}`;
        expect(text).not.to.match(
          /BOT failed|BOT がエラーになりました|\[Failed\]|\[エラー\]|❌|Started|開始/,
        );
      });

      it(`of ${subject.template} says how many more there were of its cause, if any`, () => {
        for (const text of [slackText(subject, 1234), mailText(subject, 1234)]) {
          expect(text).to.include('1,234');
        }
        expect(slackText(subject)).not.to.match(/same cause|同じ原因/);
      });

      it(`of ${subject.template} mentions whom its destination mentions on an error`, () => {
        expect(JSON.stringify(render(subject, 'slack'))).to.include('<!here>');
      });
    }

    it('names the destination, the callback, the error and since when, and leads to the job', () => {
      const since = language === 'ja' ? '2026年11月20日 9:00:00' : '20 Nov 2026, 09:00:00';
      for (const text of [slackText(DEAD_LETTER), mailText(DEAD_LETTER)])
        for (const part of ['slack:#ops', '請求書取込BOT', 'invoice', 'job-1', 'not_in_channel', since])
          expect(text).to.include(part);
      for (const format of ['slack', 'email'] as const)
        expect(JSON.stringify(render(DEAD_LETTER, format))).to.include('https://example.com/jobs/job-1');
    });

    it('of a summary, which is of no one BOT, names none', () => {
      const callback = { bot_id: '', bot_name: '', job_id: '', status: 1 };
      for (const subject of [DEAD_LETTER, CONFIG_FAILURE])
        expect(slackText({ ...subject, callback } as AlertSubject)).to.match(
          language === 'ja'
            ? /(?:^|\s|、)メッセージを slack:#ops に/m
            : /The message c\w+ (?:not )?be delivered to/,
        );
    });

    it('says until when Botbell goes on trying, where it does', () => {
      const until = language === 'ja' ? '2026年11月21日 9:00:00' : '21 Nov 2026, 09:00:00';
      expect(slackText(CONFIG_FAILURE)).to.include(until);
      expect(mailText(CONFIG_FAILURE)).to.include(until);
      expect(slackText(DEAD_LETTER)).not.to.include(until);
    });

    it('leads to where the page shows what it is about, where the page has a URL', () => {
      const page = testRenderer({ language, pageUrl: 'https://botbell.example.com/' });
      const paths = { dead_letter: 'callbacks/7', config_failure: 'callbacks/7', refused: 'refused' };
      for (const subject of ALERT_SUBJECTS) {
        const path = { ...paths, reload_refused: 'config' }[subject.template];
        for (const format of ['slack', 'email'] as const) {
          const told = page.render(noticeOfAlert(raised(subject)), targetOf(format), () => undefined).message;
          expect(JSON.stringify(told)).to.include(`https://botbell.example.com/${path}`);
          expect(JSON.stringify(render(subject, format))).not.to.include('botbell.example.com');
        }
      }
    });
  });
}

describe('an alert in Japanese', () => {
  const renderer = testRenderer({ language: 'ja' });

  // What is wrong with a config or a callback is said in English.
  const unknown: AlertSubject = {
    ...REFUSED,
    template: 'refused',
    httpStatus: 422,
    detail: 'In English.',
    errors: [],
    from: '',
  };
  const others = ALERT_SUBJECTS.filter(({ template }) => !['reload_refused', 'refused'].includes(template));
  for (const subject of [...others, unknown])
    it(`holds no English sentence, whatever went wrong: ${subject.template}`, () => {
      for (const format of ['slack', 'email'] as const) {
        const told = renderer.render(noticeOfAlert(raised(subject)), targetOf(format), () => undefined);
        expect(told.asText().replaceAll(/Content-\w+/g, '')).not.to.match(/[a-z]{2,},? [a-z]{2,}/);
      }
    });
});

describe('a user’s templates of alerts', () => {
  const folder = templateFolder();

  const rendererWith = async (files: Readonly<Record<string, string>>) =>
    testRenderer({ own: await ownTemplates(folder.write(files).path) });

  it('replace the built-in ones, in the display language’s set', async () => {
    const renderer = await rendererWith({
      'en/slack/dead_letter.yaml': 'text: "{{ destination }} {{ error_code }} {{ attempts }}"',
      'en/email/refused.yaml': 'subject: "{{ http_status }}"\ntext: "{{ faults | join }}"',
    });
    const slack = renderer.render(noticeOfAlert(raised(DEAD_LETTER)), targetOf('slack'), () => undefined);
    expect(slack.message).to.deep.equal({ text: 'slack:#ops not_in_channel 3' });
    const mail = renderer.render(noticeOfAlert(raised(REFUSED)), targetOf('email'), () => undefined);
    expect(mail.message).to.include({ subject: '422' });
  });

  it('are checked against the variables of their own', async () => {
    const problemsOf = async (name: string, text: string) => {
      const problems = await (
        await rendererWith({ [`of-${name}/slack/${name}.yaml`]: text })
      ).check([targetOf('slack', `of-${name}`)]);
      return problems.map(({ message }) => message);
    };
    expect(await problemsOf('dead_letter', 'text: "{{ destinatoin }} {{ elapsed }}"')).to.deep.equal([
      'there is no variable "destinatoin"; did you mean "destination"?',
      'there is no variable "elapsed"',
    ]);
    expect(await problemsOf('refused', 'text: "{{ bot_name }} {{ http_status }}"')).to.deep.equal([
      'there is no variable "bot_name"',
    ]);
    expect(await problemsOf('succeeded', 'text: "{{ destination }}"')).to.deep.equal([
      'there is no variable "destination"',
    ]);
  });
});
