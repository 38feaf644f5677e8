/** What a delivery that a person has given back says of its age, and by what it is told from the one before. */
import { expect } from 'chai';
import { addressedTo } from '../../src/deliver/attempt.ts';
import type { PlannedTarget } from '../../src/deliver/settings.ts';
import { noticeOfAlert } from '../../src/notice/notice.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { deliveryRecord } from '../support/delivery-record.ts';

const MINUTE_MS = 60_000;
const NOTICE = noticeAbout(callbackWith(), 1);
const PLANNED: PlannedTarget = {
  destination: 'slack:#ops',
  channel: 'slack',
  address: '#ops',
  perJob: 'message',
  options: {},
};

describe('what is sent for a delivery', () => {
  const after = (ms: number) => ({ firstReceivedAt: 1000, now: 1000 + ms });

  it('is the notice as it came, however late Botbell itself retries it', () => {
    const addressed = addressedTo(NOTICE, PLANNED, deliveryRecord(), after(9 * MINUTE_MS));
    expect(addressed.notice).to.equal(NOTICE);
    expect(addressed).not.to.have.property('anew');
  });

  it('says how late it is where a person has given it back, from a minute on', () => {
    const record = deliveryRecord({ givenBackAt: 5 });
    expect(addressedTo(NOTICE, PLANNED, record, after(MINUTE_MS - 1)).notice).to.equal(NOTICE);
    expect(addressedTo(NOTICE, PLANNED, record, after(MINUTE_MS)).notice).to.deep.equal({
      ...NOTICE,
      delayedMs: MINUTE_MS,
    });
  });

  it('is no repetition to the remote where it was told before', () => {
    const told = deliveryRecord({ givenBackAt: 5, receipt: { message_id: 'x' } });
    const again = deliveryRecord({ givenBackAt: 6, receipt: { message_id: 'x' } });
    const untold = deliveryRecord({ givenBackAt: 5 });
    const anew = [told, again, untold].map((record) => addressedTo(NOTICE, PLANNED, record, after(0)).anew);
    expect(new Set(anew).size).to.equal(3);
    expect(anew[2]).to.equal(undefined);
  });

  it('is an alert as it was raised', () => {
    const alert = noticeOfAlert({ id: '0'.repeat(64), raisedAt: 0, suppressed: 0, subject: DEAD_LETTER });
    const record = deliveryRecord({ givenBackAt: 5 });
    expect(addressedTo(alert, PLANNED, record, after(9 * MINUTE_MS)).notice).to.equal(alert);
  });
});
