/** Whose address counts, which networks hold it, and what never leaves this machine. */
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { isLoopback } from '../../src/http/loopback.ts';
import { networkFilter, remoteAddressOf } from '../../src/http/remote-address.ts';

function requestFrom(remoteAddress: string | undefined, forwarded?: string | string[]): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
}

describe('the sender’s address', () => {
  it('is that of the connection', () => {
    expect(remoteAddressOf(requestFrom('192.0.2.7', '10.0.0.1'), false)).to.equal('192.0.2.7');
    expect(remoteAddressOf(requestFrom(undefined), false)).to.equal('');
  });

  it('is the rightmost forwarded one behind a trusted proxy, however many headers there are', () => {
    expect(remoteAddressOf(requestFrom('10.0.0.1', '1.1.1.1, 2.2.2.2'), true)).to.equal('2.2.2.2');
    expect(remoteAddressOf(requestFrom('10.0.0.1', ['1.1.1.1', '2.2.2.2 , 3.3.3.3 ']), true)).to.equal(
      '3.3.3.3',
    );
  });

  it('is that of the connection when the proxy has added none', () => {
    expect(remoteAddressOf(requestFrom('10.0.0.1'), true)).to.equal('10.0.0.1');
    expect(remoteAddressOf(requestFrom('10.0.0.1', ' , '), true)).to.equal('10.0.0.1');
  });
});

describe('a list of networks', () => {
  it('that is empty holds everybody', () => {
    expect(networkFilter([])('192.0.2.7')).to.equal(true);
    expect(networkFilter([])('')).to.equal(true);
  });

  it('holds what is in one of them, of either family', () => {
    const isIn = networkFilter(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1']);
    expect(['10.255.0.1', '192.0.2.7', '2001:db8::1', '::1'].map(isIn)).to.deep.equal([
      true,
      true,
      true,
      true,
    ]);
    expect(['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2'].map(isIn)).to.deep.equal(Array(4).fill(false));
  });

  it('knows an IPv4 address that IPv6 has wrapped', () => {
    expect(networkFilter(['10.0.0.0/8'])('::ffff:10.1.2.3')).to.equal(true);
    expect(networkFilter(['::ffff:10.1.2.3'])('10.1.2.3')).to.equal(true);
  });

  it('holds nothing that is no address', () => {
    const isIn = networkFilter(['0.0.0.0/0', '::/0']);
    expect(['', 'unknown', 'localhost', '1.2.3.4.5', '1.2.3.4:80'].map(isIn)).to.deep.equal(
      Array(5).fill(false),
    );
  });
});

describe('a loopback host', () => {
  it('is localhost, a name under it, or an address that never leaves the machine', () => {
    const hosts = ['localhost', 'app.localhost', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
    expect(hosts.map(isLoopback)).to.deep.equal(Array(6).fill(true));
  });

  it('is no other name, whatever it looks like', () => {
    const hosts = [
      '',
      'example.com',
      'localhost.example.com',
      '127.0.0.1.example.com',
      '0.0.0.0',
      '10.0.0.1',
      '::',
    ];
    expect(hosts.map(isLoopback)).to.deep.equal(Array(7).fill(false));
  });
});
