/** Whose address counts. */
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { senderReader, type TrustedProxies } from '../../src/http/sender.ts';

function requestFrom(remoteAddress: string | undefined, forwarded?: string | string[]): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
}

function addressOf(trustProxy: TrustedProxies, ...sent: Parameters<typeof requestFrom>): string {
  return senderReader(trustProxy)(requestFrom(...sent));
}

describe('the sender’s address', () => {
  it('is that of the connection', () => {
    expect(addressOf(false, '192.0.2.7', '10.0.0.1')).to.equal('192.0.2.7');
    expect(addressOf([], '192.0.2.7', '10.0.0.1')).to.equal('192.0.2.7');
    expect(addressOf(false, undefined)).to.equal('');
  });

  it('is the rightmost forwarded one behind a trusted proxy, however many headers there are', () => {
    expect(addressOf(true, '10.0.0.1', '1.1.1.1, 2.2.2.2')).to.equal('2.2.2.2');
    expect(addressOf(true, '10.0.0.1', ['1.1.1.1', '2.2.2.2 , 3.3.3.3 '])).to.equal('3.3.3.3');
  });

  it('is that of the connection when the proxy has added none', () => {
    for (const trusted of [true, ['10.0.0.0/8']]) {
      expect(addressOf(trusted, '10.0.0.1')).to.equal('10.0.0.1');
      expect(addressOf(trusted, '10.0.0.1', ' , ')).to.equal('10.0.0.1');
    }
  });

  it('is the rightmost forwarded one that is no trusted proxy’s, where their networks are named', () => {
    const proxies = ['10.0.0.0/8', '2001:db8:1::/48'];
    expect(addressOf(proxies, '10.0.0.1', '1.1.1.1, 2.2.2.2, 10.9.9.9')).to.equal('2.2.2.2');
    expect(addressOf(proxies, '::ffff:10.0.0.1', '1.1.1.1, 2001:db8:1::5')).to.equal('1.1.1.1');
    expect(addressOf(proxies, '10.0.0.1', '10.0.0.3, 10.0.0.2'), 'all of them proxies').to.equal('10.0.0.3');
  });

  it('is that of the connection where it is no trusted proxy’s, whatever it says', () => {
    expect(addressOf(['10.0.0.0/8'], '192.0.2.7', '1.1.1.1')).to.equal('192.0.2.7');
  });

  it('is found where a proxy writes the port, too', () => {
    expect(addressOf(true, '10.0.0.1', '1.1.1.1, 192.0.2.7:4711')).to.equal('192.0.2.7');
    expect(addressOf(true, '10.0.0.1', '[2001:db8::1]:4711')).to.equal('2001:db8::1');
    expect(addressOf(true, '10.0.0.1', '[2001:db8::1]')).to.equal('2001:db8::1');
  });

  it('is not known, and not the proxy’s, where the proxy says what is no address', () => {
    for (const said of [
      'unknown',
      '1.2.3',
      '1.1.1.1, nonsense',
      'x'.repeat(10_000),
      '[::1',
      '::1]:4',
      '0x7f.1',
    ]) {
      expect(addressOf(true, '10.0.0.1', said), said.slice(0, 20)).to.equal('unknown');
    }
  });

  it('is found however long the list is', () => {
    const many = Array(1500).fill('10.0.0.2').join(',');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', `1.1.1.1,${many}`)).to.equal('1.1.1.1');
  });
});
