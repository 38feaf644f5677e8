import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { senderReader, type TrustedProxies } from '../../src/http/sender.ts';

const DIRECT = '10.0.0.1';
const PROXIES = ['10.0.0.0/8', '2001:db8:1::/48'];
const MANY = Array(1500).fill('10.0.0.2').join(',');

type Forwarded = string | string[] | undefined;
type Row = [what: string, trusted: TrustedProxies, forwarded: Forwarded, expected: string, direct?: string];

const ROWS: Row[] = [
  ['the connection’s where no proxy is trusted', false, '1.1.1.1', DIRECT],
  ['the connection’s where the list of proxies is empty', [], '1.1.1.1', DIRECT],
  ['the rightmost that a trusted proxy has added', true, '1.1.1.1, 2.2.2.2', '2.2.2.2'],
  ['the rightmost of several headers', true, ['1.1.1.1', '2.2.2.2 , 3.3.3.3 '], '3.3.3.3'],
  ['the connection’s where the proxy has added none', true, undefined, DIRECT],
  ['the connection’s where the proxy has added nothing', PROXIES, ' , ', DIRECT],
  ['the rightmost that is no proxy’s', PROXIES, '1.1.1.1, 2.2.2.2, 10.9.9.9', '2.2.2.2'],
  ['that in IPv6, too', PROXIES, '1.1.1.1, 2001:db8:1::5', '1.1.1.1', '::ffff:10.0.0.1'],
  ['the first where all of them are proxies', PROXIES, '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['the connection’s where that is no proxy’s', PROXIES, '1.1.1.1', '192.0.2.7', '192.0.2.7'],
  ['found however long the list is', PROXIES, `1.1.1.1,${MANY}`, '1.1.1.1'],
  ['found beside a port', true, '1.1.1.1, 192.0.2.7:4711', '192.0.2.7'],
  ['found beside a port in IPv6', true, '[2001:db8::1]:4711', '2001:db8::1'],
  ['found in brackets', true, '[2001:db8::1]', '2001:db8::1'],
];

function addressOf(trusted: TrustedProxies, forwarded: Forwarded, remoteAddress?: string): string {
  const headers = { 'x-forwarded-for': forwarded };
  return senderReader(trusted)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('the sender’s address', () => {
  for (const [what, trusted, forwarded, expected, direct = DIRECT] of ROWS)
    it(`is ${what}`, () => expect(addressOf(trusted, forwarded, direct)).to.equal(expected));

  it('is not known, and not the proxy’s, where the proxy says what is no address', () => {
    const wrong = ['unknown', '1.2.3', '1.1.1.1, nonsense', 'x'.repeat(10_000), '[::1', '::1]:4', '0x7f.1'];
    for (const said of wrong) expect(addressOf(true, said, DIRECT), said.slice(0, 20)).to.equal('unknown');
    expect(addressOf(false, undefined, undefined), 'no connection any more').to.equal('');
  });
});
