/** Which texts are addresses to listen on, and which are CIDRs. */
import { expect } from 'chai';
import { cidrRule, isLoopback, parseListenAddress } from '../../src/config/field-rules.ts';

describe('An address to listen on', () => {
  it('is a host and a port', () => {
    expect(parseListenAddress('127.0.0.1:8080')).to.deep.equal({ host: '127.0.0.1', port: 8080 });
    expect(parseListenAddress('localhost:0')).to.deep.equal({ host: 'localhost', port: 0 });
    expect(parseListenAddress('bell.example-1.com:65535')?.port).to.equal(65_535);
    expect(parseListenAddress('[::1]:80')).to.deep.equal({ host: '::1', port: 80 });
    expect(parseListenAddress('[::]:80')?.host).to.equal('::');
  });

  it('is nothing that leaves host or port to a guess', () => {
    const texts = [
      '',
      ':8080',
      '8080',
      'localhost',
      'localhost:',
      'localhost:65536',
      '::1:80',
      '[::1]',
      '[localhost]:80',
      'a b:80',
      'a:80 ',
      'http://a:80',
      'a:+1',
    ];
    for (const text of texts) expect(parseListenAddress(text), text).to.equal(undefined);
  });

  it('is loopback only where no other machine reaches it', () => {
    const own = [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '::ffff:127.0.0.1',
      'localhost',
      'LOCALHOST',
      'app.localhost',
    ];
    for (const host of own) {
      expect(isLoopback(host), host).to.equal(true);
    }
    const others = [
      '',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      'example.com',
      'localhost.example.com',
      'xlocalhost',
      '127.0.0.1.example.com',
    ];
    for (const host of others) {
      expect(isLoopback(host), host).to.equal(false);
    }
  });
});

describe('A network', () => {
  const isNetwork = (text: string) => cidrRule(text) === undefined;

  it('is an address, or a CIDR', () => {
    for (const text of ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7', '::1', '0.0.0.0/0'])
      expect(isNetwork(text), text).to.equal(true);
  });

  it('is nothing that is only nearly one', () => {
    for (const text of [
      '',
      '10.0.0.0/33',
      '::1/129',
      '10/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'a/8',
      '1.2.3.4/-1',
      ' ::1',
    ]) {
      expect(isNetwork(text), text).to.equal(false);
    }
  });
});
