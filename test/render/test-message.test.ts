/** A message that is only sent to see whether it arrives: it says so, and calls nobody. */
import { expect } from 'chai';
import type { EmailMessage } from '../../src/channels/email/compose.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { noticeOfAlert } from '../../src/notice/notice.ts';
import { RAISED_AT } from '../support/alerts.ts';
import { type FORMATS, targetOf, testRenderer, type TestRenderer } from './render-fixture.ts';
import { expectWellFormed } from './mail-rules.ts';
import { controlSequences, expectAcceptable } from './slack-rules.ts';

const HOSTILE = '<!channel> </td></table><script> *x* `y` \r\nBcc: a@b.test \u202e';

function render(renderer: TestRenderer, format: keyof typeof FORMATS, address = '#ops', askedBy = 'admin') {
  const subject = { template: 'test', destination: `slack:${address}`, channel: 'slack', askedBy } as const;
  const notice = noticeOfAlert({ id: 'ab'.repeat(32), raisedAt: RAISED_AT, suppressed: 0, subject });
  const options = { mention_on_error: ['@here'] };
  return renderer.render(notice, { ...targetOf(format), options }, (failure) => {
    throw new Error(failure.message);
  }).message;
}

for (const [language, words, sentAt] of [
  ['en', 'This is a test.', '20 Nov 2026, 09:30:00'],
  ['ja', 'これはテストです。', '2026年11月20日 9:30:00'],
] as const) {
  describe(`a test message in ${language}`, () => {
    const renderer = testRenderer({ language });

    it('says on Slack and by mail that it is one, where it goes, when it was sent and who asked for it', () => {
      const slack = render(renderer, 'slack') as SlackMessage;
      expectAcceptable(slack);
      const mail = render(renderer, 'email') as EmailMessage;
      for (const text of [slackAsText(slack), mail.text, mail.html])
        for (const part of [words, 'slack:#ops', 'admin', sentAt]) expect(text).to.include(part);
      expect(mail.subject).to.match(/Test message|テストメッセージ/);
    });

    it('mentions nobody, though its destination mentions somebody on an error, and nobody who is not known', () => {
      expect(JSON.stringify(render(renderer, 'slack'))).not.to.match(/<!here>|broadcast/);
      const { text } = render(renderer, 'email', '#ops', '') as EmailMessage;
      expect(text).not.to.match(/Asked for by|依頼者/);
    });

    it('lets no foreign text mention, link or inject', () => {
      const slack = render(renderer, 'slack', HOSTILE, HOSTILE) as SlackMessage;
      expectAcceptable(slack);
      expect(controlSequences(slack)).to.deep.equal([]);
      const mail = render(renderer, 'email', HOSTILE, HOSTILE) as EmailMessage;
      expect(mail.subject).not.to.match(/[\r\n]/);
      expectWellFormed(mail.html);
    });
  });
}
