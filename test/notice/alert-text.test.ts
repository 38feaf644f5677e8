/** An alert in one sentence, where no template can be rendered. */
import { expect } from 'chai';
import { alertInWords } from '../../src/notice/alert-text.ts';
import { ALERT_SUBJECTS } from '../support/alerts.ts';

const NAMED = {
  dead_letter: 'slack:#ops',
  config_failure: 'slack:#ops',
  refused: '422',
  reload_refused: 'botbell.yaml',
};

describe('an alert in words', () => {
  for (const subject of ALERT_SUBJECTS) {
    it(`says of a ${subject.template} what happened to which message, in both languages`, () => {
      const [english, japanese] = [alertInWords(subject, 'en'), alertInWords(subject, 'ja')];
      const what = NAMED[subject.template];
      expect(english).to.include(what);
      expect(japanese)
        .to.include(what)
        .and.to.match(/[ぁ-ん]/);
    });
  }
});
