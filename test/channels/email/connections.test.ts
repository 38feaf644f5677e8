/** What the email channel does with its connections: limits, refused recipients, time-outs by what was reached. */
import { expect } from 'chai';
import { dnsCache } from 'nodemailer/lib/shared';
import type { Channel } from '../../../src/channels/channel.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { type MailCatcher, startMailCatcher } from '../../../src/stand-ins/mail-catcher.ts';
import { DIRECT, failureOf, outgoingOf } from '../../contract/channel-contract.ts';
import { openTransport } from '../../../src/channels/email/transport.ts';
import { poolOptionsOf } from '../../../src/channels/email/smtp-url.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { moment } from '../../support/moment.ts';
import { startRawMailServer } from '../../support/raw-mail-server.ts';

const AMPLE_MS = 20_000;
const SHORT_MS = 400;
/** To hand a mail over, on a busy machine, too. */
const ENOUGH_MS = 3_000;
const LOGIN = { user: 'bot', password: 'secret' };

let mail: MailCatcher;
let channel: Channel;

async function start(options: Parameters<typeof startMailCatcher>[0] = {}, query = ''): Promise<void> {
  mail = await startMailCatcher(options);
  channel = await open(query);
}

function open(query = '', host = mail.host): Promise<Channel> {
  const smtp = `smtp://bot:secret@${host}?ignoreTLS=true${query}`;
  return emailChannel.open({ smtp, from: 'alerts@example.com' }, DIRECT);
}

let sentCount = 0;

function send(address = 'ops@example.com', timeoutMs = AMPLE_MS, from = channel): Promise<unknown> {
  sentCount += 1;
  const key = sentCount.toString(16).padStart(64, '0');
  const message = { subject: 's', text: 't', html: '<p>h</p>' };
  return from.send(outgoingOf({ address, message, idempotencyKey: () => key, timeoutMs }));
}

function gate() {
  const [reached, opened] = [moment(), moment()];
  const until = () => {
    reached.happen();
    return opened.promise;
  };
  mail.faults.push({ at: 'data', does: 'delay', until, times: 1 });
  return { reached: reached.promise, open: opened.happen };
}

describe('the connections of the email channel', () => {
  afterEach(async () => {
    await channel.close();
    await mail.close();
  });

  it('are three at most, or fewer where the URL says so', async () => {
    for (const [query, most] of Object.entries({ '': 3, '&maxConnections=2': 2, '&maxConnections=9': 3 })) {
      await start({}, query);
      await Promise.all(Array.from({ length: 20 }, () => send()));
      expect([mail.connectionCount, mail.mails.length]).to.deep.equal([most, 20]);
      await channel.close();
      await mail.close();
    }
    await start();
  });

  it('are one at a time until the server has taken the login, and after each refusal, whose pause doubles up to an hour', async () => {
    await start({ login: LOGIN });
    const isOne = async (count: number) => {
      const turns = Array.from({ length: 3 }, (_, place) => channel.turn?.(AMPLE_MS, `email:${place}`));
      const [given, ...others] = turns.map((turn) => (turn instanceof Promise ? 'waits' : 'given'));
      expect([given, ...others].filter((each) => each === 'given')).to.have.length(count);
      for (const turn of turns) (await turn)?.();
    };
    const refused = { at: 'auth', does: 'refuse', code: 535, text: '5.7.8 no', times: 1 } as const;
    await isOne(1);
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      mail.faults.push(refused);
      const { retryAfterMs, message } = await failureOf(send());
      expect(retryAfterMs).to.equal(minutes * 60_000);
      expect(message).to.contain(`tried in ${minutes} minutes`);
      await isOne(1);
    }
    await send();
    await isOne(3);
    mail.faults.push({ at: 'mail', does: 'drop', times: 1 }, refused);
    await failureOf(send());
    await isOne(1);
  });

  it('are made anew once where one that was kept is refused before its mail, and not where one is new', async () => {
    await start();
    const refused = { does: 'refuse', text: '4.7.0 too long idle' } as const;
    for (const fault of [{ ...refused, code: 421 }, { ...refused, code: 503 }, { does: 'drop' }] as const) {
      await send();
      mail.faults.push({ at: 'mail', times: 1, ...fault });
      await send();
    }
    expect([mail.mails.length, mail.connectionCount]).to.deep.equal([6, 4]);
    mail.faults.push({ at: 'connect', does: 'refuse', code: 421, text: '4.7.0 too many', times: 1 });
    const fresh = await open();
    const failure = await failureOf(send('ops@example.com', AMPLE_MS, fresh));
    expect(failure).to.include({ code: '421', retryAfterMs: 60_000 });
    await send('ops@example.com', AMPLE_MS, fresh);
    await fresh.close();
  });

  describe('at the time limit', () => {
    it('waits for the answer to a mail that was handed over, where it may come later', async () => {
      await start();
      const held = gate();
      const handedOver = moment();
      const message = { subject: 's', text: 't', html: '' };
      const limits = { timeoutMs: ENOUGH_MS, onHandedOver: handedOver.happen };
      const sending = channel.send(outgoingOf({ address: 'ops@example.com', message, ...limits }));
      await Promise.all([held.reached, handedOver.promise]);
      // The time limit passes: a mail without such a listener fails.
      mail.faults.push({ at: 'data', does: 'hang', times: 1 });
      await failureOf(send('other@example.com', ENOUGH_MS));
      held.open();
      expect(await sending).to.have.property('messageId');
    });

    it('lets half of the connections wait for ten minutes, and the others half a minute', async () => {
      await start();
      mail.faults.push({ at: 'data', does: 'hang' });
      const clock = new ManualClock();
      const transport = openTransport(poolOptionsOf(`smtp://${mail.host}?ignoreTLS=true`), clock);
      const failed: unknown[] = [];
      const sendOne = () =>
        new Promise<void>((onHandedOver) => {
          const content = { from: 'a@example.com', to: 'b@example.com', text: 't' };
          const sending = transport.send(content, { timeoutMs: 5_000, onHandedOver });
          void sending.catch((error: unknown) => failed.push(error));
        });
      await Promise.all([sendOne(), sendOne(), sendOne()]);
      await clock.advance(29_999);
      expect(failed).to.have.length(0);
      await clock.advance(1);
      expect(failed).to.have.length(2);
      await clock.advance(599_999);
      expect(failed).to.have.length(2);
      await clock.advance(1);
      expect(failed).to.have.length(3);
      for (const error of failed) expect(error).to.include({ isHandedOver: true });
      transport.close();
    });

    it('knows that nothing was sent while a mail waited for a connection', async () => {
      await start({}, '&maxConnections=1');
      const held = gate();
      const first = send();
      await held.reached;
      const { message } = await failureOf(send('ops@example.com', SHORT_MS));
      expect(message).to.contain('Nothing was sent');
      held.open();
      await first;
    });

    it('never lets go out what had not left by then', async () => {
      await start();
      const server = await startRawMailServer(true);
      const stalled = await open('', server.host);
      const message = { subject: 's', text: '長'.repeat(4_000_000), html: '' };
      const large = outgoingOf({ address: 'a@example.com', message, timeoutMs: SHORT_MS });
      expect(await failureOf(stalled.send(large))).to.include({ code: 'ETIMEDOUT' });
      await server.readOn();
      expect(server.heard()).not.to.match(/\r\n\.\r\n$/);
      await stalled.close();
      await server.close();
    });
  });

  it("are made to the address that the server's name has by now, after one that nobody answers at", async () => {
    await start();
    await channel.close();
    dnsCache.set('localhost', { value: { addresses: ['::1'] }, expires: Date.now() + 60_000 });
    channel = await open('', mail.host.replace('127.0.0.1', 'localhost'));
    expect(await failureOf(send())).to.include({ class: 'transient', mayHaveArrived: false });
    await send();
    expect(mail.mails).to.have.length(1);
  });

  it('are kept where a recipient is refused', async () => {
    await start({}, '&maxConnections=1');
    mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: 'unknown', address: 'dead@example.com' });
    for (let count = 0; count < 3; count += 1) {
      await send();
      expect(await failureOf(send('dead@example.com'))).to.include({ class: 'permanent' });
    }
    await send();
    expect([mail.connectionCount, mail.mails.length]).to.deep.equal([1, 4]);
  });

  it('tell what the server answers before it hangs up, whichever command it answers', async () => {
    await start();
    const server = await startRawMailServer();
    const hello = ['250-fine\r\n250-PIPELINING\r\n250 AUTH PLAIN\r\n', '235 welcome\r\n'];
    for (const [before, answer] of ['550 no sender', '550 nobody', '421 busy'].entries()) {
      const abrupt = await open('', server.host);
      server.replies.push(...hello, ...Array<string>(before).fill('250 fine\r\n'), `${answer}\r\n`);
      expect((await failureOf(send('ops@example.com', AMPLE_MS, abrupt))).message).to.contain(answer);
      await abrupt.close();
    }
    await server.close();
  });

  it('go through the proxy that the URL names, which speaks HTTP', async () => {
    await start();
    const proxy = await startForwardProxy();
    const behind = (scheme: string) => open(`&proxy=${encodeURIComponent(`${scheme}://${proxy.host}`)}`);
    const http = await behind('http');
    await send('ops@example.com', AMPLE_MS, http);
    expect([proxy.asked, mail.mails.length]).to.deep.equal([[mail.host], 1]);
    const socks = await behind('socks5');
    const failure = await failureOf(send('ops@example.com', AMPLE_MS, socks));
    expect(failure).to.include({ class: 'config', code: 'EPROXY' });
    for (const each of [http, socks]) await each.close();
    await proxy.close();
  });

  it('are none that a mail is on where it is asked whether the server lets it in', async () => {
    await start({ login: LOGIN }, '&maxConnections=1');
    const held = gate();
    const sending = send();
    await held.reached;
    await channel.verify();
    held.open();
    await sending;
    await send();
    expect([mail.mails.length, mail.connectionCount]).to.deep.equal([2, 2]);
  });
});
