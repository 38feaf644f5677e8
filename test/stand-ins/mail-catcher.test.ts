import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import type { Transporter } from 'nodemailer';
import { startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';
import type { MailCatcher } from '../../src/stand-ins/mail-catcher.ts';

const mail = {
  from: 'BOT <bot@example.com>',
  to: ['a@example.com', 'b@example.com'],
  subject: '件名',
  text: '本文',
  html: '<p>本文</p>',
};

const outcomeOf = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => 'taken',
    ({ responseCode }: { responseCode: number }) => responseCode,
  );

describe('the local mail server', () => {
  let catcher: MailCatcher;
  let transport: Transporter;
  before(async () => {
    catcher = await startMailCatcher();
    transport = createTransport({ url: `smtp://${catcher.host}`, pool: true, maxConnections: 1 });
  });
  afterEach(() => {
    catcher.faults.splice(0);
    catcher.mails.splice(0);
  });
  after(async () => {
    transport.close();
    await catcher.close();
  });

  it('keeps each mail, its envelope and what it says', async () => {
    await transport.sendMail(mail);
    expect(catcher.mails).to.have.length(1);
    const [caught] = catcher.mails;
    expect(caught).to.deep.include({
      from: 'bot@example.com',
      to: mail.to,
      user: undefined,
      isSecure: false,
    });
    expect(caught?.parsed).to.include({ subject: '件名' });
    expect(caught?.parsed.text?.trim()).to.equal('本文');
    expect(caught?.parsed.html?.trim()).to.equal('<p>本文</p>');
    expect(caught?.raw).to.contain('Message-ID:');
  });

  it('outlives a client that hangs up within a mail', async () => {
    const { hostname, port } = new URL(`smtp://${catcher.host}`);
    const client = connect(Number(port), hostname);
    for (const line of ['EHLO x', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA', 'half a']) {
      await once(client, 'data');
      client.write(`${line}\r\n`);
    }
    client.destroy();
    await transport.sendMail(mail);
    expect(catcher.mails.map(({ parsed }) => parsed.subject)).to.deep.equal(['件名']);
  });

  it('refuses one recipient and takes the other', async () => {
    catcher.faults.push({ at: 'rcpt', address: 'a@example.com', does: 'refuse', code: 550, text: 'unknown' });
    const info = await transport.sendMail(mail);
    expect(info).to.deep.include({ accepted: ['b@example.com'], rejected: ['a@example.com'] });
    expect(catcher.mails[0]?.to).to.deep.equal(['b@example.com']);
  });

  it('does as often what it is told as it is told', async () => {
    catcher.faults.push({ at: 'data', does: 'refuse', code: 451, text: 'later', times: 2 });
    const outcomes: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) outcomes.push(await outcomeOf(transport.sendMail(mail)));
    expect(outcomes).to.deep.equal([451, 451, 'taken']);
    expect(catcher.mails).to.have.length(1);
  });

  it('always does what it is told without a number', async () => {
    catcher.faults.push({ at: 'mail', does: 'refuse', code: 553, text: 'no' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await outcomeOf(transport.sendMail(mail))).to.equal(553);
    }
    expect(catcher.faults).to.have.length(1);
  });

  it('waits before it answers, for as long as it is told', async () => {
    let isReleased = false;
    const until = async (): Promise<void> => {
      await Promise.resolve();
      isReleased = true;
    };
    catcher.faults.push({ at: 'rcpt', does: 'delay', until, times: 1 });
    await transport.sendMail(mail);
    expect(isReleased).to.equal(true);
  });
});
