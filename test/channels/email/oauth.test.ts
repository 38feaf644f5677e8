/** The login by OAuth 2, at a strict token server and a mail server that speaks XOAUTH2. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { SMTPServer } from 'smtp-server';
import type { Channel } from '../../../src/channels/channel.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { DIRECT, expectNoSecret, failureOf, outgoingOf, problemIn } from '../../contract/channel-contract.ts';

const SECRET = 'client-secret-7391';
const SCOPE = 'https://outlook.office365.com/.default';
const USER = 'alerts@example.com';
const MESSAGE = { subject: 's', text: 't', html: '' };

describe('a login by OAuth', () => {
  let tokenServer: Server;
  let mailServer: SMTPServer;
  let channel: Channel;
  const sockets = new Set<Socket>();
  /** The tokens that were given, the latest last; the mail server takes only those in `valid`. */
  let given: string[] = [];
  const valid = new Set<string>();
  let told: string[] = [];
  /** Whether the mail server refuses every token. */
  let isClosed = false;
  /** Of a token, in seconds. */
  let lifetime = 3600;
  /** How the mail server refuses a token: by an answer 334 first, as Gmail, or at once, as Exchange Online. */
  let refusal: { data?: object; code?: string } = {};

  const answerOf = (form: URLSearchParams): [number, object] => {
    const isRight =
      form.get('grant_type') === 'client_credentials' &&
      form.get('client_id') === 'app' &&
      form.get('client_secret') === SECRET &&
      form.get('scope') === SCOPE &&
      [...form.keys()].length === 4;
    if (!isRight)
      return [
        401,
        { error: 'invalid_client', error_description: `AADSTS7000215: Invalid client secret ${SECRET}` },
      ];
    const token = `token-${given.length + 1}-${'x'.repeat(1200)}`;
    given.push(token);
    valid.add(token);
    return [200, { token_type: 'Bearer', expires_in: lifetime, access_token: token }];
  };

  before(async () => {
    tokenServer = createServer((request, response) => {
      void text(request).then((body) => {
        const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
        const isRight = request.method === 'POST' && request.url === '/tenant/oauth2/v2.0/token' && isForm;
        const [status, answer] = isRight ? answerOf(new URLSearchParams(body)) : [404, {}];
        return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    }).listen(0, '127.0.0.1');
    mailServer = new SMTPServer({
      authMethods: ['XOAUTH2'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, accessToken = '' }, _session, done) => {
        if (username === USER && !isClosed && valid.has(accessToken)) return done(null, { user: username });
        if (refusal.data !== undefined) return done(null, { data: refusal.data });
        const words = `${refusal.code ?? '5.7.3'} Authentication unsuccessful for ${accessToken}`;
        done(Object.assign(new Error(words), { responseCode: 535 }));
      },
      onData: (stream, session, done) => {
        stream.resume().on('end', () => {
          told.push(...session.envelope.rcptTo.map(({ address }) => address));
          done();
        });
      },
    });
    mailServer.on('error', () => undefined);
    mailServer.server.on('connection', (socket: Socket) => sockets.add(socket));
    mailServer.listen(0, '127.0.0.1');
    await Promise.all([once(tokenServer, 'listening'), once(mailServer.server, 'listening')]);
  });

  const open = (secret = SECRET): Promise<Channel> => {
    const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
    const oauth = {
      token_url: `http://127.0.0.1:${port(tokenServer)}/tenant/oauth2/v2.0/token`,
      client_id: 'app',
      client_secret: secret,
      scope: SCOPE,
      user: USER,
    };
    const smtp = `smtp://127.0.0.1:${port(mailServer.server)}?ignoreTLS=true`;
    return emailChannel.open({ smtp, from: USER, oauth }, DIRECT);
  };
  const send = (address: string) => channel.send(outgoingOf({ address, message: MESSAGE }));
  const hangUp = async () => {
    const open = [...sockets].filter((socket) => !socket.destroyed);
    const closed = open.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    sockets.clear();
  };

  beforeEach(async () => {
    [given, told, refusal, isClosed, lifetime] = [[], [], {}, false, 3600];
    valid.clear();
    channel = await open();
  });
  afterEach(() => channel.close());
  after(async () => {
    tokenServer.closeAllConnections();
    tokenServer.close();
    await hangUp();
    mailServer.close();
  });

  it('asks for one token for all connections, and keeps it', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => send(`${name}@example.com`)));
    await hangUp();
    await send('e@example.com');
    expect([given.length, told.length]).to.deep.equal([1, 5]);
  });

  it('asks for another one when the first has expired', async () => {
    lifetime = 0.001;
    await send('a@example.com');
    await hangUp();
    await send('b@example.com');
    expect([given.length, told.length]).to.deep.equal([2, 2]);
  });

  for (const [how, refuses] of [
    ['at once', {}],
    ['by an answer 334', { data: { status: '401' } }],
  ] as const) {
    it(`renews a token once where the mail server refuses it ${how}, within the same attempt`, async () => {
      refusal = refuses;
      await send('a@example.com');
      await hangUp();
      valid.clear();
      await send('b@example.com');
      expect([given.length, told]).to.deep.equal([2, ['a@example.com', 'b@example.com']]);
    });

    it(`fails as config where the renewed token is refused ${how}, too, without a token in the words`, async () => {
      refusal = refuses;
      isClosed = true;
      const failure = await failureOf(send('a@example.com'));
      expect(failure).to.include({ class: 'config', code: '535' });
      expect(given).to.have.length(2);
      expectNoSecret(failure, [SECRET, ...given, 'x'.repeat(20)]);
    });
  }

  it('names the ways out where Exchange Online takes no login', async () => {
    refusal = { code: '5.7.139' };
    isClosed = true;
    const { message } = await failureOf(send('a@example.com'));
    expect(message).to.contain('5.7.139').and.contain('Authenticated SMTP').and.contain('connector');
  });

  it('is tried by check, and names what the token server refuses, without the secret', async () => {
    await channel.verify();
    expect(given).to.have.length(1);
    const wrong = await open('another-secret');
    for (const work of [
      () => wrong.verify(),
      () => wrong.send(outgoingOf({ address: 'a@b.jp', message: MESSAGE })),
    ]) {
      const failure = await failureOf(work());
      expect(failure).to.include({ class: 'config', code: 'invalid_client' });
      expect(failure.message).to.contain('AADSTS7000215').and.contain('client_secret');
      expectNoSecret(failure, [SECRET, 'another-secret']);
    }
    await wrong.close();
  });
});

describe('the settings of a login by OAuth', () => {
  const oauth = {
    token_url: 'https://login.example.com/token',
    client_id: 'app',
    client_secret: SECRET,
    scope: SCOPE,
    user: USER,
  };
  const problemOf = (settings: object) =>
    problemIn(emailChannel, { smtp: 'smtp://h', from: USER, ...settings });

  it('are all there, beside a URL without a login', () => {
    expect(problemOf({ oauth })).to.equal(undefined);
    for (const key of Object.keys(oauth))
      expect(problemOf({ oauth: { ...oauth, [key]: undefined } }), key).to.contain(key);
    expect(problemOf({ oauth, smtp: 'smtp://u:p@h' })).to.contain('both');
    expect(problemOf({ oauth: { ...oauth, token_url: 'ftp://x' } })).to.contain('token_url');
  });

  it('hold a secret, and are doubted where it crosses the network in clear', () => {
    const settings = {
      smtp: 'smtp://h?ignoreTLS=true',
      from: USER,
      oauth: { ...oauth, token_url: 'http://x/token' },
    };
    expect(emailChannel.secretsOf(settings)).to.deep.equal([SECRET]);
    expect(emailChannel.warningsOf(settings).map(({ key }) => key)).to.deep.equal([
      'smtp',
      ['oauth', 'token_url'],
    ]);
  });
});
