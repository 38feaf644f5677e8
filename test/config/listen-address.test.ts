/** Which texts are addresses to listen on, and which of these only this machine reaches. */
import { expect } from 'chai';
import { NOTHING_KNOWN } from '../../src/config/schema/form.ts';
import { listen } from '../../src/config/schema/forms.ts';
import { Fault } from '../../src/text/fault.ts';
import { areSameHost, isLoopback } from '../../src/text/networks.ts';

const readAs = (text: string) => {
  const address = listen.read(text, NOTHING_KNOWN);
  return address instanceof Fault ? undefined : address;
};
const portOf = (text: string) => readAs(text)?.port;

describe('An address to listen on', () => {
  it('is a host and a port', () => {
    expect(readAs('127.0.0.1:8080')).to.deep.equal({ host: '127.0.0.1', port: 8080 });
    expect(readAs('[::1]:80')).to.deep.equal({ host: '::1', port: 80 });
    expect(['localhost:0', 'bell.example-1.com:65535', '[::]:80'].map(portOf)).to.deep.equal([0, 65_535, 80]);
  });

  it('is nothing that leaves host or port to a guess', () => {
    const texts = ['', ':8080', '8080', 'localhost', 'localhost:', 'localhost:65536', '::1:80', '[::1]'];
    for (const text of [...texts, '[localhost]:80', 'a b:80', 'a:80 ', 'http://a:80', 'a:+1'])
      expect(readAs(text), text).to.equal(undefined);
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

  it('is at one port another’s where both names lead to one address of this machine', () => {
    const taken = (one: string, others: readonly string[]) =>
      others.filter((other) => areSameHost(one, other) && areSameHost(other, one));
    const all = ['127.0.0.1', '127.0.0.2', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', 'fd00::1'];
    expect(taken('::', all)).to.deep.equal(all);
    expect(taken('0.0.0.0', all)).to.deep.equal(all.filter((host) => host !== '::1' && host !== 'fd00::1'));
    expect(taken('LocalHost', all)).to.deep.equal(['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::']);
    expect(taken('127.0.0.1', all)).to.deep.equal(['127.0.0.1', 'localhost', '0.0.0.0', '::']);
  });
});
