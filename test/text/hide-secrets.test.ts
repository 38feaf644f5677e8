import { expect } from 'chai';
import fc from 'fast-check';
import { HiddenSecrets, redactor, secretsHidden } from '../../src/text/hide-secrets.ts';

const PASSWORD = 'p@ss/w=rd "&é\'<';
const hide = secretsHidden([PASSWORD]);

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = fc.oneof(fc.stringMatching(/^[!-~]{8,24}$/), fc.string({ minLength: 8, maxLength: 24 }));

describe('hiding secrets', () => {
  for (const [spelling, text] of [
    ['as it is', PASSWORD],
    ['percent-encoded', encodeURIComponent(PASSWORD)],
    ['percent-encoded in small letters', encodeURIComponent(PASSWORD).toLowerCase()],
    ['in a form', new URLSearchParams([['', PASSWORD]]).toString().slice(1)],
    ['in a path', new URL(`http://h/${PASSWORD}`).pathname.slice(1)],
    ['in a login', Object.assign(new URL('http://h'), { password: PASSWORD }).password],
    ['in JSON', JSON.stringify(PASSWORD).slice(1, -1)],
    ['in HTML', 'p@ss/w=rd &quot;&amp;é&#39;&lt;'],
    ['in HTML as Python writes it', 'p@ss/w=rd &quot;&amp;é&#x27;&lt;'],
    ['in HTML as PHP writes it', 'p@ss/w=rd &quot;&amp;é&#039;&lt;'],
    ['in HTML as Go writes it', 'p@ss/w=rd &#34;&amp;é&#39;&lt;'],
    ['in XML', 'p@ss/w=rd &quot;&amp;é&apos;&lt;'],
    ['in JSON on a page of HTML', 'p@ss/w=rd \\&quot;&amp;é&#39;&lt;'],
  ] as const) {
    it(`finds them ${spelling}`, () => {
      expect(hide(`it said <${text}>, twice: ${text}`)).to.equal('it said <[secret]>, twice: [secret]');
    });
  }

  it('finds the login of a mail server in what AUTH PLAIN and AUTH LOGIN send, whatever the user', () => {
    for (const user of ['', 'b', 'bo', 'bot', 'alerts@example.com']) {
      for (const login of [`\0${user}\0${PASSWORD}`, `a\0${user}\0${PASSWORD}`, `${user}:${PASSWORD}`]) {
        const hidden = /^535 [A-Za-z0-9+/]*\[secret\][A-Za-z0-9+/]?={0,2}$/;
        expect(hide(`535 ${base64(login)}`), user).to.match(hidden);
      }
    }
    expect(hide(base64(PASSWORD))).to.match(/^\[secret\]/);
  });

  it('finds them in the base64 of any text around them, of both alphabets', () => {
    fc.assert(
      fc.property(fc.string(), secret, fc.string(), (before, hidden, after) => {
        const start = Buffer.byteLength(before) * 8;
        const end = start + Buffer.byteLength(hidden) * 8;
        const encoded = base64(before + hidden + after);
        // Of these signs every bit is the secret's.
        const telling = encoded.slice(Math.ceil(start / 6), Math.floor(end / 6));
        const urlSafe = telling.replaceAll('+', '-').replaceAll('/', '_');
        const both = `${encoded} ${Buffer.from(encoded, 'base64').toString('base64url')}`;
        const seen = secretsHidden([hidden])(both);
        expect(seen).not.to.contain(telling);
        expect(seen).not.to.contain(urlSafe);
      }),
    );
  });

  it('leaves nothing behind of a secret that holds another', () => {
    const seen = secretsHidden(['abcdefgh', 'abcdefghij'])('see abcdefghij and abcdefgh');
    expect(seen).to.equal('see [secret] and [secret]');
  });

  it('finds a secret in which signs stand that nobody sees, before it makes one short clean line of a text', () => {
    const redact = redactor(secretsHidden(['xoxb-12345', 'S'.repeat(40)]));
    expect(redact('no xoxb\u200b-12\u0000345, no')).to.equal('no [secret], no');
    expect(redact('a\nb\u0000\u202ec  d')).to.equal('a bc d');
    expect(redact('x'.repeat(480) + 'S'.repeat(40))).not.to.contain('S');
    expect(redact('x'.repeat(100_000))).to.match(/^x{490,499}…$/);
  });

  it('leaves every other text as it is', () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(secretsHidden([])(text)).to.equal(text)));
    expect(secretsHidden(['', 'hunter/../'])('all well')).to.equal('all well');
    expect(secretsHidden(['a.c*a.c*'])('abccabcc')).to.equal('abccabcc');
    const seen = secretsHidden(['30', '2525', 'hunter2'])('level 30, port 2525, hunter2');
    expect(seen).to.contain('30, port 2525, h');
  });
});

describe('the secrets of every config that ran', () => {
  it('stay hidden when others are added', () => {
    const secrets = new HiddenSecrets(['first-one']);
    const { hide: hideAll } = secrets;
    secrets.add(['second-one', 'third-one']);
    secrets.add(['second-one']);
    const seen = hideAll('first-one second-one third-one fourth-one');
    expect(seen).to.equal('[secret] [secret] [secret] fourth-one');
  });

  it('are the thousand that were given last', () => {
    const secrets = new HiddenSecrets(['the-oldest']);
    for (let index = 0; index < 1000; index += 100)
      secrets.add(Array.from({ length: 100 }, (_, each) => `secret-${1000 + index + each}-`));
    expect(secrets.hide('the-oldest secret-1000- secret-1999-')).to.equal('the-oldest [secret] [secret]');
  });
});
