/** Durations and sizes read as people write them, and nothing else does. */
import { expect } from 'chai';
import { parseDuration, parseSize } from '../../src/time/display.ts';

describe('A duration', () => {
  it('is numbers with units, the largest first, and nothing else', () => {
    const table = { '250ms': 250, '8s': 8000, '2m': 120_000, '24h': 86_400_000, '30d': 2_592_000_000 };
    for (const [text, ms] of Object.entries({ ...table, '1h30m': 5_400_000, '1m30ms': 60_030 }))
      expect(parseDuration(text), text).to.equal(ms);
    const amounts = ['', '8', 's', '1.5h', '-1s', '1e3s', `${'9'.repeat(20)}s`];
    for (const text of [...amounts, '8 s', ' 8s', '30m1h', '1s1s', '8S', '1w'])
      expect(parseDuration(text), text).to.equal(undefined);
  });
});

describe('A size', () => {
  it('is bytes, or multiples of 1024 in any case, and nothing else', () => {
    const table = { '100b': 100, '512kb': 524_288, '8MB': 8_388_608, '1Gb': 1_073_741_824, '77': 77 };
    for (const [text, bytes] of Object.entries(table)) expect(parseSize(text), text).to.equal(bytes);
    for (const text of ['', '0', 'mb', '1.5mb', '8 mb', '-1', '8tb', '0x10', '9999999999gb'])
      expect(parseSize(text), text).to.equal(undefined);
  });
});
