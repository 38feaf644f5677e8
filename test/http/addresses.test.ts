/** Whose address counts, which networks hold it, and what never leaves this machine. */
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  networkFilter,
  type Sender,
  senderReader,
  sourceOf,
  type TrustedProxies,
} from '../../src/http/sender.ts';

function requestFrom(remoteAddress: string | undefined, forwarded?: string | string[]): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
}

function senderOf(trustProxy: TrustedProxies, ...sent: Parameters<typeof requestFrom>): Sender {
  return senderReader(trustProxy)(requestFrom(...sent));
}

function addressOf(trustProxy: TrustedProxies, ...sent: Parameters<typeof requestFrom>): string {
  return senderOf(trustProxy, ...sent).address;
}

/** An address of these bits; one of IPv6 not as Node would write it. */
function written(bits: readonly number[]): string {
  const [size, base, between] = bits.length === 32 ? [8, 10, '.'] : [16, 16, ':'];
  const groups = Array.from({ length: bits.length / size }, (_, at) =>
    Number.parseInt(bits.slice(at * size, (at + 1) * size).join(''), 2).toString(base),
  );
  return groups.join(between);
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
      expect(senderOf(trusted, '10.0.0.1')).to.deep.equal({ address: '10.0.0.1', isKnown: true });
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

  it('is that of the connection, and not known, where the proxy says what is no address', () => {
    for (const said of [
      'unknown',
      '1.2.3',
      '1.1.1.1, nonsense',
      'x'.repeat(10_000),
      '[::1',
      '::1]:4',
      '0x7f.1',
    ]) {
      const sender = senderOf(true, '10.0.0.1', said);
      expect(sender, said.slice(0, 20)).to.deep.equal({ address: '10.0.0.1', isKnown: false });
    }
  });

  it('is found however long the list is', () => {
    const many = Array(1500).fill('10.0.0.2').join(',');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', `1.1.1.1,${many}`)).to.equal('1.1.1.1');
  });
});

describe('the source that gets a share', () => {
  it('is an IPv4 address, also one that IPv6 has wrapped', () => {
    expect(['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207'].map(sourceOf)).to.deep.equal(
      Array(3).fill('192.0.2.7'),
    );
    expect(sourceOf('192.0.2.8')).not.to.equal(sourceOf('192.0.2.7'));
    const edges = ['0.0.0.0', '255.255.255.255', '9.10.99.100', '199.200.249.250'];
    expect(edges.map((each) => sourceOf(`::ffff:${each}`))).to.deep.equal(edges);
  });

  it('is the /64 of an IPv6 address', () => {
    const neighbours = ['2001:db8:0:1::1', '2001:DB8:0:1:ffff::2', '2001:0db8:0000:0001:0:0:0:3'];
    expect(neighbours.map(sourceOf)).to.deep.equal(Array(3).fill('2001:db8:0:1::/64'));
    expect(sourceOf('2001:db8:0:2::1')).to.equal('2001:db8:0:2::/64');
    expect(sourceOf('fe80::1%eth0')).to.equal('fe80::/64');
    expect(['::1', '::1.2.3.4', '1::', '1:0:0:4:5:6:7:8'].map(sourceOf)).to.deep.equal([
      '::/64',
      '::/64',
      '1::/64',
      '1:0:0:4::/64',
    ]);
  });

  it('is one for all whose address is not known', () => {
    expect([sourceOf(''), sourceOf('')]).to.deep.equal(['', '']);
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
    const isIn = networkFilter(['::ffff:a00:0/104']);
    expect(
      ['10.9.9.9', '::ffff:10.1.2.3', '::ffff:a01:203', '11.0.0.1', '::a01:203'].map(isIn),
    ).to.deep.equal([true, true, true, false, false]);
  });

  it('keeps the families apart: all of IPv6 is nothing of IPv4, wrapped or not', () => {
    const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '2001:db8::1'];
    expect(addresses.map(networkFilter(['::/0']))).to.deep.equal([false, false, false, true]);
    expect(addresses.map(networkFilter(['0.0.0.0/0']))).to.deep.equal([true, true, true, false]);
    expect(addresses.map(networkFilter(['::/64', '::ffff:0:0/90']))).to.deep.equal(Array(4).fill(false));
  });

  it('holds just the addresses whose first bits are the same', () => {
    const bit = fc.integer({ min: 0, max: 1 });
    const pair = fc.tuple(
      fc.array(bit, { minLength: 128, maxLength: 128 }),
      fc.nat(128),
      fc.nat(127),
      fc.boolean(),
    );
    const check = ([bits, length, changed, isFour]: [number[], number, number, boolean]) => {
      const size = isFour ? 32 : 128;
      const [network, other] = [bits.slice(0, size), bits.slice(0, size)];
      other[changed % size] = 1 - (other[changed % size] ?? 0);
      const prefix = length % (size + 1);
      const isIn = networkFilter([`${written(network)}/${prefix}`]);
      expect(isIn(written(network))).to.equal(true);
      expect(isIn(written(other))).to.equal(changed % size >= prefix);
    };
    fc.assert(fc.property(pair, check));
  });

  it('holds a link-local address whatever its zone', () => {
    expect(networkFilter(['fe80::/10'])('fe80::1%eth0')).to.equal(true);
  });

  it('holds nothing that is no address', () => {
    const isIn = networkFilter(['0.0.0.0/0', '::/0']);
    expect(['', 'unknown', 'localhost', '1.2.3.4.5', '1.2.3.4:80'].map(isIn)).to.deep.equal(
      Array(5).fill(false),
    );
  });
});
