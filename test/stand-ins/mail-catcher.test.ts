import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { startMailCatcher } from '../../src/stand-ins/mail-catcher.ts';

describe('the local mail server', () => {
  it('outlives a client that hangs up within a mail', async () => {
    const catcher = await startMailCatcher();
    const { hostname, port } = new URL(`smtp://${catcher.host}`);
    const client = connect(Number(port), hostname);
    for (const line of ['EHLO x', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA', 'half a']) {
      await once(client, 'data');
      client.write(`${line}\r\n`);
    }
    client.destroy();
    const transport = createTransport({ url: `smtp://${catcher.host}` });
    await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: '件名', text: '本文' });
    expect(catcher.mails.map(({ parsed }) => parsed.subject)).to.deep.equal(['件名']);
    transport.close();
    await catcher.close();
  });
});
