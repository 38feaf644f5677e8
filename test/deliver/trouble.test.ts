/** What operators read, in their language, and what counts as one cause. */
import { expect } from 'chai';
import { deadLetter, refusedBody } from '../../src/deliver/trouble.ts';
import type { RefusedBody } from '../../src/ledger/ledger.ts';
import type { DeliveryError } from '../../src/ledger/ledger.ts';
import { callbackWith } from '../support/callbacks.ts';

const ERROR: DeliveryError = { class: 'config', code: 'not_in_channel', message: 'Invite the bot to #ops.' };
const GIVEN_UP = { destination: 'slack:#ops', channel: 'slack', error: ERROR };

describe('the trouble of a dead letter', () => {
  it('says who was not told and why, in English', () => {
    expect(deadLetter(callbackWith(), GIVEN_UP, 'en').message).to.equal(
      'The message for slack:#ops was given up and will not be sent any more: Invite the bot to #ops.',
    );
  });

  it('says so in Japanese', () => {
    expect(deadLetter(callbackWith(), GIVEN_UP, 'ja').message).to.equal(
      'slack:#ops への通知を断念しました。今後は再送されません。原因: Invite the bot to #ops.',
    );
  });

  it('names the callback', () => {
    const callback = callbackWith({ bot_id: 'invoice' });
    expect(deadLetter(callback, GIVEN_UP, 'en').callback).to.equal(callback);
  });

  it('is one cause for one error of one channel, whomever and whatever BOT it befalls', () => {
    const { cause } = deadLetter(callbackWith(), GIVEN_UP, 'en');
    const elsewhere = { ...GIVEN_UP, destination: 'slack:#other' };
    expect(deadLetter(callbackWith({ bot_id: 'x' }), elsewhere, 'en').cause).to.equal(cause);
    const other = { ...GIVEN_UP, error: { ...ERROR, code: 'is_archived' } };
    expect(deadLetter(callbackWith(), other, 'en').cause).not.to.equal(cause);
    expect(deadLetter(callbackWith(), { ...GIVEN_UP, channel: 'mail' }, 'en').cause).not.to.equal(cause);
  });
});

function refused(
  status: 400 | 422,
  detail: string,
  errors: RefusedBody['errors'] = [],
  language: 'en' | 'ja' = 'en',
) {
  return refusedBody({ status, detail, errors }, language);
}

describe('the trouble of a refused body', () => {
  it('says with which answer and why, in both languages', () => {
    expect(refused(422, 'No callback.', [{ pointer: '/status', detail: 'is missing' }]).message).to.equal(
      'A callback was refused (HTTP 422), and no retry of it can succeed. No callback.\n/status is missing',
    );
    expect(refused(400, 'no JSON.', [], 'ja').message).to.equal(
      'コールバックを受け付けられませんでした (HTTP 400)。再送されても受け付けられません。no JSON.',
    );
  });

  it('names the first five things that are wrong', () => {
    const errors = [1, 2, 3, 4, 5, 6].map((number) => ({ pointer: `/${number}`, detail: 'is wrong' }));
    const [, ...lines] = refused(422, 'No callback.', errors).message.split('\n');
    expect(lines).to.deep.equal([...[1, 2, 3, 4, 5].map((number) => `/${number} is wrong`), '…']);
  });

  it('is one cause for each kind of answer, whatever is wrong with it', () => {
    const causes = [refused(422, 'a'), refused(422, 'b', [], 'ja'), refused(400, 'a')];
    expect(new Set(causes.map(({ cause }) => cause)).size).to.equal(2);
  });
});
