/** Which texts are addresses to listen on, which of these only this machine reaches, and which are networks. */
import { expect } from 'chai';
import { cidrRule, isLoopback, parseListenAddress } from '../../src/config/field-rules.ts';

const portOf = (text: string) => parseListenAddress(text)?.port;
const isNetwork = (text: string) => cidrRule(text) === undefined;

describe('An address to listen on', () => {
  it('is a host and a port', () => {
    expect(parseListenAddress('127.0.0.1:8080')).to.deep.equal({ host: '127.0.0.1', port: 8080 });
    expect(parseListenAddress('[::1]:80')).to.deep.equal({ host: '::1', port: 80 });
    expect(['localhost:0', 'bell.example-1.com:65535', '[::]:80'].map(portOf)).to.deep.equal([0, 65_535, 80]);
  });

  it('is nothing that leaves host or port to a guess', () => {
    const texts = ['', ':8080', '8080', 'localhost', 'localhost:', 'localhost:65536', '::1:80', '[::1]'];
    for (const text of [...texts, '[localhost]:80', 'a b:80', 'a:80 ', 'http://a:80', 'a:+1'])
      expect(parseListenAddress(text), text).to.equal(undefined);
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
    expect(own.filter((host) => !isLoopback(host))).to.deep.equal([]);
    const others = ['', '0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', 'xlocalhost', '127.0.0.1.test'];
    expect(others.filter((host) => isLoopback(host))).to.deep.equal([]);
  });
});

describe('A network', () => {
  it('is an address or a CIDR, and nothing that is only nearly one', () => {
    const networks = ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7', '::1', '0.0.0.0/0'];
    expect(networks.filter((text) => !isNetwork(text))).to.deep.equal([]);
    const wrong = [
      '',
      '10.0.0.0/33',
      '::1/129',
      '10/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'a/8',
      '1.2.3.4/-1',
      ' ::1',
    ];
    expect(wrong.filter((text) => isNetwork(text))).to.deep.equal([]);
  });
});
