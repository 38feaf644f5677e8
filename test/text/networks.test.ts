/** Which networks hold an address. */
import { expect } from 'chai';
import fc from 'fast-check';
import { networkFilter } from '../../src/text/networks.ts';

/** An address of these bits; one of IPv6 not as Node would write it. */
function written(bits: readonly number[]): string {
  const [size, base, between] = bits.length === 32 ? [8, 10, '.'] : [16, 16, ':'];
  const groups = Array.from({ length: bits.length / size }, (_, at) =>
    Number.parseInt(bits.slice(at * size, (at + 1) * size).join(''), 2).toString(base),
  );
  return groups.join(between);
}

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
    expect(networkFilter(['10.0.0.0/8'])('::ffff:11.1.2.3')).to.equal(false);
  });

  it('keeps the families apart: all of IPv6 is nothing of IPv4, wrapped or not', () => {
    const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1'];
    expect(addresses.map(networkFilter(['::/0']))).to.deep.equal([false, false, true]);
    expect(addresses.map(networkFilter(['0.0.0.0/0']))).to.deep.equal([true, true, false]);
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
