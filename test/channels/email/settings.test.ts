import { expect } from 'chai';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { poolOptionsOf, turnLimitsOf } from '../../../src/channels/email/smtp-url.ts';
import { problemIn } from '../../contract/channel-contract.ts';

const SMTP = 'smtps://mail.example.com';
const FROM = 'BOT alerts <alerts@example.com>';
const OAUTH = {
  token_url: 'https://login.example.com/token',
  client_id: 'app',
  client_secret: 'client-secret-7391',
  scope: 'https://outlook.office365.com/.default',
  user: 'alerts@example.com',
};

const problemOf = (settings: object) => problemIn(emailChannel, { smtp: SMTP, from: FROM, ...settings });

describe('the settings of an email channel', () => {
  it('are the URL of a mail server or of a well-known service, and a sender', () => {
    const urls = ['smtp://mail.example.com', 'smtps://u:p@mail.example:465', 'smtp://u:p@x?service=gmail'];
    for (const settings of [
      ...urls.map((smtp) => ({ smtp })),
      { from: 'alerts@example.com' },
      { headers: { 'X-Env': 'production', 'X-Priority': '1' } },
      { oauth: OAUTH },
    ])
      expect(problemOf(settings), JSON.stringify(settings)).to.equal(undefined);
  });

  it('say what is wrong without repeating the URL', () => {
    const urls = 'mail.example.com http://bot:leak@x direct://x smtp:// smtp://bot:le#leak@x'.split(' ');
    for (const smtp of [undefined, '', ...urls, 'smtp://a b', ['leak']])
      expect(problemOf({ smtp })).to.be.a('string').that.contains('smtp').and.not.contains('leak');
  });

  it('take no option of the URL that nobody knows, and no value that its option has not', () => {
    const some = 'pool=false&maxConnections=1';
    for (const query of ['tls.servername=x&ignoreTLS=true', some, 'socketTimeout=0&rateLimit=2147483647'])
      expect(problemOf({ smtp: `smtp://u:p@h?${query}` }), query).to.equal(undefined);
    expect(problemOf({ smtp: 'smtp://h?nam=x' })).to.contain('nobody knows, "nam"; did you mean "name"?');
    expect(problemOf({ smtp: 'smtp://h?name=x&ignoreTLS=1' })).to.contain(
      'has an option "ignoreTLS", whose value must be true, false',
    );
    expect(problemOf({ smtp: 'smtp://h?secur=1&port=1&ignoreTLS=si' }), 'several').to.match(
      /"secur"; did you mean "secure"\?; has an option "ignoreTLS", whose value must be true, false/,
    );
    // Of a negative time-out Node ends the process, and one that is no number ends at once.
    for (const value of ['-5', 'abc', '', '1.5', '2147483648'])
      expect(problemOf({ smtp: `smtp://h?socketTimeout=${value}` }), value).to.contain(
        'has an option "socketTimeout", whose value must be 0…2147483647',
      );
  });

  it('need exactly one sender, and one address for answers at most', () => {
    for (const from of [undefined, '', 'BOT alerts', 'a@x.jp, b@x.jp', 'a@x.jp\r\nBcc: b@x.jp', 7])
      expect(problemOf({ from }), String(from)).to.contain('from');
    expect(problemOf({ reply_to: 'a@x.jp, b@x.jp' })).to.contain('reply_to');
  });

  it('have no header of Botbell’s own, and none of several lines', () => {
    for (const name of ['To', 'bcc', 'Content-Type', 'X-Botbell-Status', 'Importance', 'List-Id'])
      expect(problemOf({ headers: { 'X-Env': 'x', [name]: 'x' } })).to.contain(`must not give ${name}:`);
    for (const [name, shown] of Object.entries({ 'a b': 'a…', 'a:b': 'a…', '': '' }))
      expect(problemOf({ headers: { [name]: 'x' } })).to.contain(`must give ${shown} a value of`);
    for (const value of ['a\r\nBcc: b@x.jp', 'a\nb', '', 7])
      expect(problemOf({ headers: { 'X-Env': value } })).to.contain('must give X-Env a value of');
    expect(problemOf({ headers: { 'X-Env': 'x', 'x-env': 'y' } })).to.contain('must not give x-env twice');
    expect(problemOf({ headers: ['x'] })).to.contain('must be a map');
  });

  it('have all that a login by OAuth needs, beside a URL without a login', () => {
    for (const key of Object.keys(OAUTH))
      expect(problemOf({ oauth: { ...OAUTH, [key]: undefined } }), key).to.contain(key);
    expect(problemOf({ oauth: OAUTH, smtp: 'smtp://u:p@h' })).to.contain('both');
    expect(problemOf({ oauth: { ...OAUTH, token_url: 'ftp://x' } })).to.contain('token_url');
  });

  it('hold as secrets the password, as written, as meant and as sent, its URL, and that of OAuth', () => {
    const secretsOf = (smtp: string, oauth?: object) =>
      emailChannel.secretsOf({ smtp, from: FROM, oauth } as never);
    const smtp = 'smtp://bot:p%40ss@h';
    const sent = ['p@ss', '\0bot\0p@ss'].map((text) => Buffer.from(text).toString('base64'));
    expect(secretsOf(smtp)).to.have.members(['p%40ss', 'p@ss', smtp, ...sent]);
    expect(secretsOf('smtp://bot@h')).to.deep.equal([]);
    expect(secretsOf('smtp://h', OAUTH)).to.deep.equal([OAUTH.client_secret]);
  });

  it('are doubted where a login may be read or given to a stranger, or the port is another protocol’s', () => {
    const warnings = (smtp: string, oauth?: typeof OAUTH) =>
      emailChannel.warningsOf({ smtp, from: FROM, oauth });
    for (const [smtp, words] of [
      ['smtp://u:p@h?ignoreTLS=true', 'in clear'],
      ['smtps://u:p@h?tls.rejectUnauthorized=false', 'any server'],
      ['smtp://h:465', 'smtps://'],
      ['smtps://h:587', 'smtp://'],
    ] as const)
      expect(warnings(smtp)[0]?.fault.in('en')).to.contain(words);
    expect(warnings('smtp://u:p@h')).to.deep.equal([]);
    const inClear = warnings('smtp://h?ignoreTLS=true', { ...OAUTH, token_url: 'http://x/token' });
    expect(inClear.map(({ key }) => key)).to.deep.equal(['smtp', ['oauth', 'token_url']]);
  });
});

describe('an smtp URL', () => {
  it('requires TLS on smtp:// unless it says otherwise', () => {
    const requires = (query: string) => poolOptionsOf(`smtp://mail.example.com${query}`).requireTLS;
    for (const query of ['', '?requireTLS=false', '?opportunisticTLS=true', '?ignoreTLS=false'])
      expect(requires(query), query).to.equal(true);
    expect(requires('?ignoreTLS=true')).to.equal(false);
    expect(poolOptionsOf('smtps://mail.example.com').secure).to.equal(true);
  });

  it('may set nodemailer’s options, ours standing only where it does not, but no logging', () => {
    const query = 'maxConnections=2&tls.servername=x&connectionTimeout=9&logger=true&debug=true';
    const options = poolOptionsOf(`smtp://u:p%40ss@h:2525?${query}`);
    const auth = { user: 'u', pass: 'p@ss' };
    expect(options).to.deep.include({ host: 'h', port: 2525, auth, tls: { servername: 'x' } });
    expect(options).to.include({ maxConnections: 2, logger: false, debug: false, connectionTimeout: 9 });
    expect(options).to.include({ socketTimeout: 660_000, idleTimeout: 30_000 });
  });

  it('limits the mails at a time and their rate, for which nodemailer has no mail wait', () => {
    const url = 'smtp://h?maxConnections=2&rateLimit=5&rateDelta=60000';
    expect(turnLimitsOf(url)).to.deep.equal({ connections: 2, mails: 5, perMs: 60_000 });
    expect(turnLimitsOf('smtp://h?rateLimit=many')).to.deep.equal({ connections: 3, mails: 0, perMs: 1000 });
    expect(poolOptionsOf(url)).not.to.have.any.keys('rateLimit', 'rateDelta');
  });
});
