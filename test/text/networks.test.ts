import { expect } from 'chai';
import fc from 'fast-check';
import { isLoopback, networkFilter, networkOf } from '../../src/text/networks.ts';

/** An address of these bits; one of IPv6 not as Node would write it. */
function written(bits: readonly number[]): string {
  const [size, base, between] = bits.length === 32 ? [8, 10, '.'] : [16, 16, ':'];
  const groups = Array.from({ length: bits.length / size }, (_, at) =>
    Number.parseInt(bits.slice(at * size, (at + 1) * size).join(''), 2).toString(base),
  );
  return groups.join(between);
}

describe('a list of networks', () => {
  type Row = [what: string, networks: string[], inside: string[], outside: string[]];
  const everything = ['0.0.0.0/0', '::/0'];
  const both = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'];
  const rows: Row[] = [
    ['everybody where it is empty', [], ['192.0.2.7', ''], []],
    ['what is in one of them, of either family', both, ['192.0.2.7', '2001:db8::1'], ['192.0.2.8', '::2']],
    ['an IPv4 address that IPv6 has wrapped', both, ['::ffff:10.1.2.3'], ['::ffff:b01:203']],
    [
      'IPv4 addresses by a network that IPv6 has wrapped',
      ['::ffff:192.0.2.0/120', '::FFFF:c633:6407'],
      ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207', '198.51.100.7'],
      ['192.0.3.7', '198.51.100.8', '::192.0.2.7', '2001:db8::1'],
    ],
    ['by all of IPv6 nothing of IPv4', ['::/0'], ['2001:db8::1'], ['10.1.2.3', '::ffff:10.1.2.3']],
    ['by all of IPv4 nothing of IPv6', ['0.0.0.0/0'], ['10.1.2.3', '::ffff:10.1.2.3'], ['2001:db8::1']],
    ['a link-local address whatever its zone', ['fe80::/10'], ['fe80::1%eth0'], []],
    ['nothing that is no address', everything, [], ['', 'unknown', 'localhost', '1.2.3.4.5', '1.2.3.4:80']],
  ];
  for (const [what, networks, inside, outside] of rows)
    it(`holds ${what}`, () => {
      expect([...inside, ...outside].filter(networkFilter(networks))).to.deep.equal(inside);
    });

  it('holds just the addresses whose first bits are the same', () => {
    const bit = fc.integer({ min: 0, max: 1 });
    const bits128 = fc.array(bit, { minLength: 128, maxLength: 128 });
    const pair = fc.tuple(bits128, fc.nat(128), fc.nat(127), fc.boolean());
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
});

describe('the network of one sender', () => {
  for (const [address, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '::FFFF:c000:207'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
    ['2001:DB8::1:ffff', '2001:db8:0:0'],
    ['2001:0db8:00:1::', '2001:db8:0:1'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['unknown', 'unknown'],
  ] as const)
    it(`is for ${address} ${network}`, () => expect(networkOf(address)).to.equal(network));
});

describe('an address to listen on', () => {
  it('is loopback only where no other machine reaches it', () => {
    const own = '127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 localhost LOCALHOST app.localhost'.split(' ');
    expect(own.filter((host) => !isLoopback(host))).to.deep.equal([]);
    const others = ['', '0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', 'xlocalhost', '127.0.0.1.test'];
    expect(others.filter((host) => isLoopback(host))).to.deep.equal([]);
  });
});
