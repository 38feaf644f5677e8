/** The login by OAuth 2, at a strict token server and a mail server that speaks XOAUTH2. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { SMTPServer } from 'smtp-server';
import type { Channel } from '../../../src/channels/channel.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { DIRECT, expectNoSecret, failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { answering } from '../../contract/chat-contract.ts';
import { anew, forAll } from '../../support/anew.ts';
import { moment } from '../../support/moment.ts';
import { onLoopback } from '../../support/on-loopback.ts';
import { type Judge, startChatStandIn } from '../../support/chat-stand-in.ts';

const USER = 'alerts@example.com';
const CLIENT = {
  client_id: 'app',
  client_secret: 'client-secret-7391',
  scope: 'https://office.example/.default',
};
const PATH = '/tenant/oauth2/v2.0/token';
const FORM = 'application/x-www-form-urlencoded';
const WORDS = `AADSTS7000215: Invalid client secret ${CLIENT.client_secret}`;
const REFUSED = { error: 'invalid_client', error_description: WORDS };

describe('a login by OAuth', () => {
  /** The tokens that were given, the latest last; the mail server takes only those in `valid`. */
  let given: string[];
  const valid = new Set<string>();
  let told: string[];
  let isClosed: boolean;
  /** How the mail server refuses a token: by an answer 334 first, as Gmail, or at once, as Exchange Online. */
  let refusal: { data?: object };
  /** Once three logins have been refused, only the first of them hears it. */
  let kept: (() => void)[] | undefined;
  let isTold = moment();

  const giveToken: Judge = ({ method, path, headers, body }) => {
    const asked = { method, path, type: headers['content-type'] };
    if (!isDeepStrictEqual(asked, { method: 'POST', path: PATH, type: FORM }))
      return { answer: answering(404) };
    const form = Object.fromEntries(new URLSearchParams(body));
    const isRight = isDeepStrictEqual(form, { grant_type: 'client_credentials', ...CLIENT });
    if (!isRight) return { answer: answering(401, REFUSED) };
    const token = `token-${given.length + 1}-${'x'.repeat(1200)}`;
    given.push(token);
    valid.add(token);
    return { answer: answering(200, { token_type: 'Bearer', expires_in: 3600, access_token: token }) };
  };

  const tokenServer = forAll(() => startChatStandIn(giveToken));
  const mailServer = forAll(() => {
    const server = new SMTPServer({
      authMethods: ['XOAUTH2'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, accessToken = '' }, _session, done) => {
        if (username === USER && !isClosed && valid.has(accessToken)) return done(null, { user: username });
        if (refusal.data !== undefined) return done(null, { data: refusal.data });
        const words = `5.7.3 Authentication unsuccessful for ${accessToken}`;
        const refuse = () => done(Object.assign(new Error(words), { responseCode: 535 }));
        if (kept === undefined) return refuse();
        kept.push(refuse);
        if (kept.length === 3) kept.shift()?.();
      },
      onData: (stream, session, done) => {
        told.push(...session.envelope.rcptTo.map(({ address }) => address));
        stream.resume().on('end', () => {
          done();
          isTold.happen();
        });
      },
    });
    return onLoopback(server.on('error', () => undefined).server);
  });

  const open = (client_secret = CLIENT.client_secret): Promise<Channel> => {
    const token_url = `${tokenServer.origin}${PATH}`;
    const oauth = { ...CLIENT, token_url, client_secret, user: USER };
    return emailChannel.open({ smtp: `smtp://${mailServer.host}?ignoreTLS=true`, from: USER, oauth }, DIRECT);
  };
  const channel = anew(() => open());
  const send = (address: string, from: Channel = channel) =>
    from.send(outgoingOf({ address, message: { subject: 's', text: 't', html: '' } }));

  beforeEach(() => {
    [given, told, refusal, isClosed, kept] = [[], [], {}, false, undefined];
    valid.clear();
  });

  it('asks for one token for all connections, also for later ones', async () => {
    await Promise.all(Array.from({ length: 4 }, () => send('a@example.com')));
    await mailServer.hangUp();
    await send('b@example.com');
    expect([given.length, told.length]).to.deep.equal([1, 5]);
  });

  for (const [how, refuses, asked] of [
    ['at once', {}, 1],
    ['by an answer 334', { data: { status: '401' } }, 2],
  ] as const) {
    it(`renews a token once where the mail server refuses it ${how}, within the same attempt`, async () => {
      refusal = refuses;
      await send('a@example.com');
      await mailServer.hangUp();
      valid.clear();
      await send('b@example.com');
      expect([given.length, told]).to.deep.equal([2, ['a@example.com', 'b@example.com']]);
    });

    it(`fails as config where a new token is refused ${how}, with no login more, without a token in the words`, async () => {
      [refusal, isClosed] = [refuses, true];
      const failure = await failureOf(send('a@example.com'));
      expect(failure).to.include({ class: 'config', code: '535' });
      expect(given).to.have.length(asked);
      expectNoSecret(failure, [CLIENT.client_secret, ...given, 'x'.repeat(20)]);
    });
  }

  it('renews a token once for all who meet its end, also for who hears of that after the first has a new one', async () => {
    await send('a@example.com');
    await mailServer.hangUp();
    valid.clear();
    [kept, isTold] = [[], moment()];
    const sent = Promise.all(['b', 'c', 'd'].map((name) => send(`${name}@example.com`)));
    await isTold.promise;
    for (const refuse of kept.splice(0)) refuse();
    await sent;
    expect([given.length, told.length]).to.deep.equal([2, 4]);
  });

  it('says that nothing has arrived where the token server is in trouble', async () => {
    tokenServer.faults.push(answering(500));
    const failure = await failureOf(send('a@example.com'));
    expect(failure).to.include({ class: 'transient', code: 'http_500', mayHaveArrived: false });
    expect(failure.message).not.to.contain('may have arrived');
  });

  it('is tried by check, names what the token server refuses, without the secret, and pauses for longer each time', async () => {
    await channel.verify();
    expect(given).to.have.length(1);
    const wrong = await open('another-secret');
    for (const [minutes, work] of [
      [5, () => wrong.verify()],
      [10, () => send('a@b.jp', wrong)],
    ] as const) {
      const failure = await failureOf(work());
      const paused = { concerns: 'channel', retryAfterMs: minutes * 60_000 };
      expect(failure).to.include({ class: 'config', code: 'invalid_client', ...paused });
      expect(failure.message).to.contain('AADSTS7000215').and.contain('client_secret');
      expectNoSecret(failure, [CLIENT.client_secret, 'another-secret']);
    }
    await wrong.close();
  });
});
