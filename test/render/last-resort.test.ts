/** What is told where no template can be rendered. */
import { expect } from 'chai';
import { noticeOfAlert } from '../../src/notice/notice.ts';
import { lastResort } from '../../src/render/last-resort.ts';
import { ALERT_SUBJECTS } from '../support/alerts.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { BARE } from './render-fixture.ts';

describe('the card of last resort', () => {
  for (const subject of ALERT_SUBJECTS)
    it(`says of a ${subject.template} what it is, and why`, () => {
      const notice = noticeOfAlert({ id: 'x', raisedAt: 0, suppressed: 0, subject });
      const { tone, title, message } = lastResort(notice, 'en');
      expect(tone).to.equal('alert');
      expect(title).to.include(subject.template);
      expect(message).to.match(/\w/);
    });

  it('names the BOT, and says its message', () => {
    const card = lastResort(noticeAbout({ ...BARE, status: 1, message: 'No such row' }), 'ja');
    expect(card).to.include({ tone: 'error', title: BARE.bot_name, message: 'No such row' });
  });
});
