import { expect } from 'chai';
import * as fc from 'fast-check';
import { AddressError } from '../../../src/channels/channel.ts';
import { mailDomainOf, parseMailAddress, parseMailbox } from '../../../src/channels/email/address.ts';

const CANONICAL: Readonly<Record<string, string>> = {
  'ops@example.com': 'ops@example.com',
  ' Ops.Team+bot@EXAMPLE.com ': 'ops.team+bot@example.com',
  '"taro..yamada"@example.jp': '"taro..yamada"@example.jp',
  '"a b, (c)@d"@example.jp': '"a b, (c)@d"@example.jp',
  '"ops"@example.com': 'ops@example.com',
  "o'neil@example.co.jp": "o'neil@example.co.jp",
  'ops@例え.JP': 'ops@例え.jp',
  'ops@xn--r8jz45g.jp': 'ops@例え.jp',
};

const WRONG = ['', 'a@x.jp, b@x.jp', 'Ops <ops@x.jp>', 'o ps@x.jp', 'ops\r\n@x.jp'].concat(
  'ops ops@ ops@x..jp "a<b"@x.jp "a"b"@x.jp "a\\b"@x.jp ""@x.jp ops@x.jp\u0000'.split(' '),
  'ops@exam_ple.com 山田@example.jp taro..yamada@x.jp hanako.@x.jp .ops@x.jp'.split(' '),
);

describe('a mail address', () => {
  it('is one mailbox in lower case, its domain in Unicode, without quotes that it does not need', () => {
    for (const [written, canonical] of Object.entries(CANONICAL)) {
      expect(parseMailAddress(written), written).to.equal(canonical);
      expect(parseMailAddress(canonical)).to.equal(canonical);
    }
  });

  it('is else refused with what is accepted, as carriers gave addresses out, too: dots need quotes', () => {
    const rule = /write it as .*'"a\.\.b"@example\.com'/;
    for (const wrong of WRONG) expect(() => parseMailAddress(wrong), wrong).to.throw(AddressError, rule);
  });

  it('has the length that mail allows', () => {
    expect(parseMailAddress(`${'a'.repeat(64)}@example.com`)).to.have.length(76);
    expect(() => parseMailAddress(`${'a'.repeat(65)}@example.com`)).to.throw(AddressError, '254');
    const longDomain = `${'d'.repeat(60)}.`.repeat(4) + 'com';
    expect(() => parseMailAddress(`${'a'.repeat(20)}@${longDomain}`)).to.throw(AddressError, '254');
  });

  it('holds no character that could add a recipient or a header, whatever was written', () => {
    const mailish = fc.stringMatching(/^[\w.,;<>"() @\r\n例é-]{0,40}@[\w.,<> é例-]{0,20}$/);
    fc.assert(
      fc.property(fc.oneof(mailish, fc.emailAddress(), fc.string()), (text) => {
        try {
          const address = parseMailAddress(text);
          expect(address).to.match(/^(?:[^\s<>,;"()@]+|"[^\r\n<>"\\]+")@[^\s<>,;"()@]+$/);
          expect(parseMailAddress(address)).to.equal(address);
        } catch (error) {
          expect(error).to.be.instanceOf(AddressError);
        }
      }),
    );
  });
});

describe('a sender', () => {
  it('may bear a name', () => {
    const address = 'alerts@example.com';
    expect(parseMailbox('BOT alerts <alerts@Example.com>')).to.deep.equal({ name: 'BOT alerts', address });
    expect(parseMailbox(address)).to.deep.equal({ name: '', address });
    expect(parseMailbox('"通知, BOT" <a@b.jp>')).to.deep.equal({ name: '通知, BOT', address: 'a@b.jp' });
  });

  it('is one', () => {
    for (const wrong of ['', 'BOT', 'a@x.jp, b@x.jp', 'Team: a@x.jp, b@x.jp;', 'a@x.jp\r\nBcc: b@x.jp'])
      expect(() => parseMailbox(wrong), wrong).to.throw(AddressError);
  });

  it('has a domain that can stand in a Message-ID', () => {
    expect(mailDomainOf('alerts@例え.jp')).to.equal('xn--r8jz45g.jp');
  });
});
