/** What the email channel does with its connections: limits, slow logins, refused recipients, time-outs by what was reached. */
import { createServer as createProxy } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Channel } from '../../../src/channels/channel.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import {
  type MailCatcher,
  type MailCatcherOptions,
  startMailCatcher,
} from '../../../src/stand-ins/mail-catcher.ts';
import { poolsThrough } from '../../../src/outbound/open-pool.ts';
import { NO_PROXIES } from '../../../src/outbound/proxy.ts';
import { failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { StallingMailServer } from '../../support/stalling-mail-server.ts';

const AMPLE_MS = 5_000;
const SHORT_MS = 400;
/** Long enough to be logging in by then, on any machine. */
const LOGIN_MS = 1_000;
const LOGIN = { user: 'bot', password: 'secret' };

let mail: MailCatcher;
let channel: Channel;

async function start(options: MailCatcherOptions = {}, query = ''): Promise<void> {
  mail = await startMailCatcher(options);
  channel = await open(query);
}

function open(query = '', host = mail.host): Promise<Channel> {
  const smtp = `smtp://bot:secret@${host}?ignoreTLS=true${query}`;
  return emailChannel.open(
    { smtp, from: 'alerts@example.com' },
    { print: () => undefined, openPool: poolsThrough(NO_PROXIES) },
  );
}

let sentCount = 0;

function send(address = 'ops@example.com', timeoutMs = AMPLE_MS, from = channel): Promise<unknown> {
  sentCount += 1;
  const key = sentCount.toString(16).padStart(64, '0');
  const message = { subject: 's', text: 't', html: '<p>h</p>' };
  return from.send(outgoingOf({ address, message, idempotencyKey: () => key, timeoutMs }));
}

const sendMany = (count: number): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, () => send()));

function gate(): { readonly until: () => Promise<void>; readonly reached: Promise<void>; open(): void } {
  let release = (): void => undefined;
  let arrive = (): void => undefined;
  const opened = new Promise<void>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const until = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { until, reached, open: () => release() };
}

describe('the connections of the email channel', () => {
  afterEach(async () => {
    await channel.close();
    await mail.close();
  });

  describe('where the server limits connections', () => {
    it('fails no mail for a connection that was one too many', async () => {
      await start({ maxConnections: 2 });
      await sendMany(30);
      expect(mail.mails).to.have.length(30);
    });

    it('asks for half as many connections afterwards', async () => {
      await start({ maxConnections: 2 });
      await sendMany(30);
      const before = mail.connectionCount();
      await sendMany(30);
      await sendMany(30);
      expect(mail.mails).to.have.length(90);
      expect(mail.connectionCount() - before).to.be.at.most(3);
    });

    it('carries what was refused for too many connections at a later command', async () => {
      await start();
      await send();
      for (const at of ['mail', 'rcpt', 'data'] as const) {
        mail.faults.push({ at, does: 'refuse', code: 421, text: '4.7.0 too many connections', times: 2 });
        await sendMany(8);
      }
      expect(mail.mails).to.have.length(25);
    });

    it('says so at once where no other connection is left', async () => {
      await start();
      mail.faults.push({ at: 'connect', does: 'refuse', code: 421, text: '4.7.0 too many connections' });
      const failure = await failureOf(send());
      expect(failure).to.include({ class: 'transient', code: '421' });
    });

    it('opens no more than maxConnections of the URL', async () => {
      await start({}, '&maxConnections=2');
      await sendMany(20);
      expect(mail.connectionCount()).to.equal(2);
      expect(mail.mails).to.have.length(20);
    });
  });

  describe('at the time limit', () => {
    it('knows that a login under way is no message', async () => {
      await start({ login: LOGIN });
      const login = gate();
      mail.faults.push({ at: 'auth', does: 'delay', until: login.until, times: 1 });
      const failure = await failureOf(send('ops@example.com', LOGIN_MS));
      expect(failure).to.include({ class: 'transient', code: 'ETIMEDOUT' });
      expect(failure.message).to.contain('login').and.contain('nothing was sent');
      login.open();
    });

    it('lets a slow login go on for the next mail', async () => {
      await start({ login: LOGIN });
      const login = gate();
      mail.faults.push({ at: 'auth', does: 'delay', until: login.until, times: 1 });
      await failureOf(send('ops@example.com', SHORT_MS));
      const next = send();
      login.open();
      await next;
      expect([mail.mails.length, mail.connectionCount()]).to.deep.equal([1, 1]);
    });

    it('learns of a login that is refused after it', async () => {
      await start({ login: { ...LOGIN, password: 'another' } });
      const login = gate();
      mail.faults.push({ at: 'auth', does: 'delay', until: login.until });
      await failureOf(send('ops@example.com', SHORT_MS));
      const next = send();
      login.open();
      expect(await failureOf(next)).to.include({ class: 'config', code: '535' });
      const slow = gate();
      mail.faults.splice(0, 1, { at: 'auth', does: 'delay', until: slow.until });
      expect(await failureOf(send('ops@example.com', LOGIN_MS))).to.include({ class: 'config', code: '535' });
      slow.open();
    });

    for (const [at, words] of [
      ['connect', 'session'],
      ['mail', 'sender and recipient'],
      ['rcpt', 'sender and recipient'],
    ] as const) {
      it(`knows that nothing was sent where the server falls silent at "${at}"`, async () => {
        await start();
        // With a connection that stands already, only what is silent takes time.
        if (at !== 'connect') await send();
        const before = mail.mails.length;
        mail.faults.push({ at, does: 'hang' });
        const { message } = await failureOf(send('ops@example.com', SHORT_MS));
        expect(message).to.contain(words).and.contain('nothing was sent');
        expect(mail.mails).to.have.length(before);
      });
    }

    it('knows that the message may have arrived once its end was sent', async () => {
      await start();
      await send();
      mail.faults.push({ at: 'data', does: 'hang' });
      const { message } = await failureOf(send('ops@example.com', SHORT_MS));
      expect(message).to.contain('may have arrived');
      expect(mail.mails).to.have.length(2);
    });

    it('knows that nothing was sent while a mail waited for a connection', async () => {
      await start({}, '&maxConnections=1');
      const held = gate();
      mail.faults.push({ at: 'data', does: 'delay', until: held.until, times: 1 });
      const first = send();
      await held.reached;
      const { message } = await failureOf(send('ops@example.com', SHORT_MS));
      expect(message).to.contain('no connection').and.contain('nothing was sent');
      held.open();
      await first;
    });

    it('says of a dropped connection whether the message may have arrived', async () => {
      await start();
      mail.faults.push({ at: 'rcpt', does: 'drop', times: 2 });
      expect((await failureOf(send())).message).to.contain('nothing was sent');
      mail.faults.push({ at: 'data', does: 'drop', times: 1 });
      expect((await failureOf(send())).message).to.contain('may have arrived');
      expect(mail.mails).to.have.length(1);
    });

    it('never lets go out what it has said was not sent', async () => {
      await start();
      const server = new StallingMailServer();
      const stalled = await open('', await server.start());
      const message = { subject: 's', text: '長'.repeat(4_000_000), html: '' };
      const { message: words } = await failureOf(
        stalled.send(outgoingOf({ address: 'a@example.com', message, timeoutMs: SHORT_MS })),
      );
      expect(words).to.contain('whole message').and.contain('nothing was sent');
      expect(await server.readOn()).not.to.match(/\r\n\.\r\n$/);
      await stalled.close();
      server.close();
    });
  });

  describe('beside a recipient that is refused', () => {
    const DEAD = 'dead@example.com';

    const startRefusing = async (address: string) => {
      await start({}, '&maxConnections=1');
      mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: 'unknown', address });
    };

    it('keeps the connection for the next mail', async () => {
      await startRefusing(DEAD);
      await send();
      for (let count = 0; count < 3; count += 1) {
        expect(await failureOf(send(DEAD))).to.include({ class: 'permanent' });
        await send();
      }
      expect([mail.connectionCount(), mail.mails.length]).to.deep.equal([1, 4]);
    });

    it('gives up the connection before the server slows it down for its errors', async () => {
      await startRefusing(DEAD);
      for (let count = 0; count < 4; count += 1) await failureOf(send(DEAD));
      await send();
      expect([mail.connectionCount(), mail.mails.length]).to.deep.equal([2, 1]);
    });

    it('does not let the next mail wait for a server that is slow at RSET', async () => {
      await start({}, '&maxConnections=2');
      const server = new StallingMailServer({ refusesAndHangsAtReset: true });
      const slow = await open('&maxConnections=2', await server.start());
      const outcomes = [
        await failureOf(send('a@example.com', AMPLE_MS, slow)),
        await failureOf(send('b@example.com', SHORT_MS, slow)),
      ];
      expect(outcomes.map(({ code }) => code)).to.deep.equal(['550', '550']);
      await slow.close();
      server.close();
    });
  });

  describe('behind a proxy', () => {
    it('reaches the server through it, and says so where it cannot', async () => {
      await start();
      const asked: string[] = [];
      const proxy = createProxy();
      proxy.on('connect', ({ url = '' }: { url?: string }, client: Socket) => {
        asked.push(url);
        const { hostname, port } = new URL(`tcp://${url}`);
        const upstream = connect(Number(port), hostname, () => {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n');
          upstream.pipe(client).pipe(upstream);
        });
        for (const end of [client, upstream]) end.on('error', () => undefined);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const { port } = proxy.address() as AddressInfo;
      const behind = await open(`&proxy=${encodeURIComponent(`http://127.0.0.1:${port}`)}`);
      await send('ops@example.com', AMPLE_MS, behind);
      expect([asked, mail.mails.length]).to.deep.equal([[mail.host], 1]);
      await behind.close();
      proxy.close();
      const socks = await open(`&proxy=${encodeURIComponent(`socks5://127.0.0.1:${port}`)}`);
      expect(await failureOf(send('ops@example.com', AMPLE_MS, socks))).to.include({
        class: 'config',
        code: 'EPROXY',
      });
      await socks.close();
    });
  });

  describe('with a rateLimit in its URL', () => {
    it('begins no more mails than that in a while', async () => {
      await start({}, '&maxConnections=2&rateLimit=3&rateDelta=300');
      const startedAt = performance.now();
      await sendMany(7);
      expect(performance.now() - startedAt).to.be.at.least(600);
      expect(mail.mails).to.have.length(7);
    });
  });

  describe('when asked whether the server lets it in', () => {
    it('uses up and closes no connection that a mail is on', async () => {
      await start({ login: LOGIN }, '&maxConnections=1');
      const held = gate();
      mail.faults.push({ at: 'data', does: 'delay', until: held.until, times: 1 });
      const sending = send();
      await held.reached;
      await channel.verify();
      held.open();
      await sending;
      await send();
      expect([mail.mails.length, mail.connectionCount()]).to.deep.equal([2, 2]);
    });

    it('says yes where it is in already and the server has no room for another', async () => {
      await start({ login: LOGIN, maxConnections: 1 });
      await send();
      await channel.verify();
      await send();
      expect(mail.mails).to.have.length(2);
    });

    it('says no where the server has no room at all', async () => {
      await start({ login: LOGIN });
      mail.faults.push({ at: 'connect', does: 'refuse', code: 421, text: 'too many', times: 1 });
      expect(await failureOf(channel.verify())).to.include({ class: 'transient', code: '421' });
    });
  });
});
