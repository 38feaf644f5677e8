import { expect } from 'chai';
import * as fc from 'fast-check';
import { AddressError } from '../../../src/channels/channel.ts';
import { parseSlackAddress } from '../../../src/channels/slack/channel.ts';

describe('a Slack address', () => {
  for (const [written, canonical] of [
    ['#bot-alerts', '#bot-alerts'],
    ['bot_alerts', '#bot_alerts'],
    [' #Bot-Alerts ', '#bot-alerts'],
    ['＃通知', '#通知'],
    ['#エラー通知', '#エラー通知'],
    ['C0123ABC', 'C0123ABC'],
    ['U0123ABC', 'U0123ABC'],
    ['D0123ABC', 'D0123ABC'],
    ['DEVOPS', '#devops'],
    ['#UPDATES', '#updates'],
    ['#が', '#が'],
  ] as const) {
    it(`${written} is ${canonical}`, () => {
      expect(parseSlackAddress(written)).to.equal(canonical);
      expect(parseSlackAddress(canonical)).to.equal(canonical);
    });
  }

  for (const wrong of [
    '',
    '#',
    '##ops',
    '#two words',
    '@bob',
    '#a.b',
    '#a\u202eb',
    '<#C1|x>',
    'a,b',
    `#${'x'.repeat(81)}`,
  ]) {
    it(`${JSON.stringify(wrong.slice(0, 12))} is refused with what is accepted`, () => {
      expect(() => parseSlackAddress(wrong)).to.throw(AddressError, '#name');
    });
  }

  it('may be 80 characters long, in any script', () => {
    expect(parseSlackAddress(`#${'𠮷'.repeat(80)}`)).to.have.length(161);
  });

  it('is asked for without the "#" where it is an ID', () => {
    expect(() => parseSlackAddress('#C0123ABC')).to.throw(AddressError, 'without the "#"');
  });

  it('is the same after being read twice, or refused with a short sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        try {
          const address = parseSlackAddress(text);
          expect(parseSlackAddress(address)).to.equal(address);
        } catch (error) {
          expect(error).to.be.instanceOf(AddressError);
          expect((error as Error).message.length).to.be.below(700);
        }
      }),
    );
  });
});
