import { expect } from 'chai';
import * as fc from 'fast-check';
import { AddressError } from '../../../src/channels/channel.ts';
import { parseSlackAddress } from '../../../src/channels/slack/channel.ts';

const CANONICAL: Readonly<Record<string, string>> = {
  '#bot-alerts': '#bot-alerts',
  bot_alerts: '#bot_alerts',
  ' #Bot-Alerts ': '#bot-alerts',
  '＃通知': '#通知',
  '#エラー通知': '#エラー通知',
  C0123ABC: 'C0123ABC',
  U0123ABC: 'U0123ABC',
  D0123ABC: 'D0123ABC',
  DEVOPS: '#devops',
  '#UPDATES': '#updates',
  '#か\u3099': '#が',
  [`#${'𠮷'.repeat(80)}`]: `#${'𠮷'.repeat(80)}`,
};

const WRONG = ['', '#two words', `#${'x'.repeat(81)}`].concat(
  '# ##ops @bob #a.b #a\u202eb <#C1|x> a,b #C0123ABC ”＃ops” ‘ops’'.split(' '),
);

describe('a Slack address', () => {
  it('is an ID, or a name of up to 80 characters of any script', () => {
    for (const [written, canonical] of Object.entries(CANONICAL)) {
      expect(parseSlackAddress(written), written).to.equal(canonical);
      expect(parseSlackAddress(canonical)).to.equal(canonical);
    }
  });

  it('is else refused with what is accepted: of an ID that it has no "#"', () => {
    for (const wrong of WRONG)
      expect(() => parseSlackAddress(wrong), wrong).to.throw(AddressError, /#name.*without the "#"/);
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
