/** How the ledger keeps alerts: readable for the version before, and its own readable here. */
import { expect } from 'chai';
import { createCallbackCheck } from '../../src/callback/check-callback.ts';
import { keptAlert, readKeptAlert } from '../../src/notice/alert-text.ts';
import { ALERT_SUBJECTS, DEAD_LETTER, raised, RAISED_AT, REFUSED } from '../support/alerts.ts';

/** As version 0.1.0 wrote them. */
function pretended(
  message: string,
  callback = { job_id: 'job-1', bot_id: 'invoice', bot_name: 'Invoice BOT' },
) {
  return JSON.stringify({ code: 0, ...callback, status: 1, start_time: '2026-11-20T00:30:00.000Z', message });
}

describe('an alert in the ledger', () => {
  for (const subject of ALERT_SUBJECTS) {
    it(`keeps a ${subject.template} as it is`, () => {
      const alert = raised(subject, 3);
      expect(readKeptAlert(JSON.stringify(keptAlert(alert, 'ja')), 'other')).to.deep.equal(alert);
    });

    it(`is, of a ${subject.template}, a callback to the version before, which tells it as one`, () => {
      const kept = JSON.parse(JSON.stringify(keptAlert(raised(subject), 'en'))) as Record<string, unknown>;
      expect(() => createCallbackCheck('UTC')(kept)).not.to.throw();
    });
  }

  it('names to the version before whom it befell', () => {
    expect(keptAlert(raised(DEAD_LETTER), 'en')).to.include({ job_id: 'job-1', bot_id: 'invoice' });
    expect(keptAlert(raised(REFUSED), 'en')).to.include({ job_id: '', bot_id: 'botbell' });
  });

  for (const [language, sentence] of [
    [
      'English',
      'The message for slack:#ops was given up and will not be sent any more: Slack answered is_archived: the channel is archived.',
    ],
    [
      'Japanese',
      'slack:#ops への通知を断念しました。今後は再送されません。原因: Slack answered is_archived: the channel is archived.',
    ],
  ] as const) {
    it(`that the version before wrote in ${language} of a dead letter is told as one, with its reason`, () => {
      const alert = readKeptAlert(pretended(sentence), 'the-row');
      expect(alert).to.include({ id: 'the-row', raisedAt: RAISED_AT, suppressed: 0 });
      expect(alert.subject).to.deep.include({
        template: 'dead_letter',
        destination: 'slack:#ops',
        channel: 'slack',
        error: {
          class: 'permanent',
          code: 'is_archived',
          message: 'Slack answered is_archived: the channel is archived.',
        },
        callback: { job_id: 'job-1', bot_id: 'invoice', bot_name: 'Invoice BOT', status: undefined },
      });
    });
  }

  it('that the version before wrote finds the code in its words', () => {
    const codeIn = (reason: string) => {
      const { subject } = readKeptAlert(
        pretended(`The message for email:a@b.test was given up and will not be sent any more: ${reason}`),
        '',
      );
      return 'error' in subject ? `${subject.error.class} ${subject.error.code}` : undefined;
    };
    expect(codeIn('Mail server: it answered "550 5.1.1 no such user" to RCPT TO: check it.')).to.equal(
      'permanent 550',
    );
    expect(codeIn('Slack answered with HTTP status 503: try later.')).to.equal('transient http_503');
    expect(codeIn('No answer from Slack: the connection was refused.')).to.equal('transient ');
  });

  for (const sentence of [
    'A callback was refused (HTTP 422), and no retry of it can succeed. This is JSON, but not a callback.\n/status is missing\n…',
    'コールバックを受け付けられませんでした (HTTP 422)。再送されても受け付けられません。This is JSON, but not a callback.\n/status is missing\n…',
  ]) {
    it(`that the version before wrote of a refused body is told as one: ${sentence.slice(0, 12)}`, () => {
      const { subject } = readKeptAlert(
        pretended(sentence, { job_id: '', bot_id: 'botbell', bot_name: '' }),
        '',
      );
      expect(subject).to.deep.include({
        template: 'refused',
        httpStatus: 422,
        detail: 'This is JSON, but not a callback.',
      });
      expect(subject.template === 'refused' && subject.errors[0]).to.deep.equal({
        pointer: '/status',
        detail: 'is missing',
      });
    });
  }

  it('of which nobody knows the words is told all the same', () => {
    const { subject } = readKeptAlert(pretended('Something else.'), '');
    expect(subject.template === 'dead_letter' && subject.error.message).to.equal('Something else.');
  });
});
