import { expect } from 'chai';
import type { Config, RouteConfig } from '../../src/config/config.ts';
import { addressedTo } from '../../src/deliver/attempt.ts';
import { noticeOfAlert } from '../../src/notice/notice.ts';
import type { TimeWindow } from '../../src/signal/rules.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { deliveryRecord, plannedTo } from './delivery-record.ts';

const MINUTE_MS = 60_000;
const NOTICE = noticeAbout(callbackWith(), 1);
const PLANNED = plannedTo('slack:#ops');

describe('what is sent for a delivery', () => {
  const config = { display: { timezone: 'UTC' }, routes: [], defaultRoute: undefined } as unknown as Config;
  const after = (ms: number) => ({ now: deliveryRecord().receivedAt + ms, config });

  it('is the notice as it came, however late; where a person has given it back, it says how late from a minute on', () => {
    const sent = (ms: number, record = {}) => addressedTo(NOTICE, PLANNED, deliveryRecord(record), after(ms));
    expect(sent(9 * MINUTE_MS).notice).to.equal(NOTICE);
    expect(sent(9 * MINUTE_MS)).not.to.have.property('anew');
    expect(sent(MINUTE_MS - 1, { givenBackAt: 5 }).notice).to.equal(NOTICE);
    expect(sent(MINUTE_MS, { givenBackAt: 5 }).notice).to.deep.equal({ ...NOTICE, delayedMs: MINUTE_MS });
  });

  it('is no repetition to the remote where it was told before', () => {
    const receipt = { message_id: 'x' };
    const records = [{ givenBackAt: 5, receipt }, { givenBackAt: 6, receipt }, { givenBackAt: 5 }];
    const anew = records.map((each) => addressedTo(NOTICE, PLANNED, deliveryRecord(each), after(0)).anew);
    expect(new Set(anew).size).to.equal(3);
    expect(anew[2]).to.equal(undefined);
  });

  const routed = (name: string, mention: string, templateSet: string, mentionHours?: TimeWindow) => {
    const notify = [{ ...PLANNED, options: { mention_on_error: mention }, mentionHours }];
    return { name, notify, templateSet } as unknown as RouteConfig;
  };
  const first = routed('routes[0]', '@here', 'short');
  const second = routed('routes[1]', '@owner', 'long');
  const planned = { ...PLANNED, ...first.notify[0], templateSet: 'short', asked: [first, second] };

  it('is as the route that tells it says, else as the first one says', () => {
    const sentBy = (wantedBy?: readonly string[]) => {
      const record = deliveryRecord({ telling: wantedBy && { wantedBy } });
      const { options, templateSet } = addressedTo(NOTICE, planned, record, after(0));
      return [options['mention_on_error'], templateSet];
    };
    expect(sentBy()).to.deep.equal(['@here', 'short']);
    expect(sentBy(['routes[1]'])).to.deep.equal(['@owner', 'long']);
    expect(sentBy(['routes[1]', 'routes[0]']), 'the first of several').to.deep.equal(['@owner', 'long']);
    expect(sentBy(['gone'])).to.deep.equal(['@here', 'short']);
  });

  it('mentions nobody outside the hours of the route that tells it', () => {
    const hours = { from: 1, to: 2 };
    const other = routed('routes[1]', '@owner', 'long', hours);
    const timed = { ...planned, mentionHours: hours, asked: [first, other] };
    const mentioned = (minutes: number, wantedBy?: readonly string[]) => {
      const record = deliveryRecord({ telling: wantedBy && { wantedBy } });
      const at = { ...after(0), now: minutes * MINUTE_MS };
      return addressedTo(NOTICE, timed, record, at).options['mention_on_error'];
    };
    const all = (wantedBy?: string[]) => [0, 1, 2].map((at) => mentioned(at, wantedBy));
    expect(all()).to.deep.equal([undefined, '@here', undefined]);
    expect(all(['routes[1]'])).to.deep.equal([undefined, '@owner', undefined]);
    expect(all(['routes[0]'])).to.deep.equal(['@here', '@here', '@here']);
  });

  it('is an alert as it was raised', () => {
    const alert = noticeOfAlert({ id: '0'.repeat(64), raisedAt: 0, suppressed: 0, subject: DEAD_LETTER });
    const record = deliveryRecord({ givenBackAt: 5 });
    expect(addressedTo(alert, PLANNED, record, after(9 * MINUTE_MS)).notice).to.equal(alert);
  });
});
