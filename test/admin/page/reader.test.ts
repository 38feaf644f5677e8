/** How values are written for a reader. */
import { expect } from 'chai';
import { readerIn } from '../../../src/admin/page/reader.ts';

const NOW = Date.parse('2026-11-22T01:42:05Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('a reader', () => {
  const { formats: en } = readerIn('en', 'Asia/Tokyo', NOW, '/');
  const { formats: ja } = readerIn('ja', 'Asia/Tokyo', NOW, '/');

  it('sees today’s times short, and those of other days with their date, where the display is', () => {
    expect(en.short(NOW - HOUR_MS)).to.equal('09:42');
    expect(en.short(NOW - 11 * HOUR_MS)).to.match(/^21 Nov,? 23:42$/);
    expect(ja.short(NOW - 11 * HOUR_MS)).to.equal('11月21日 23:42');
    expect(en.short(NOW - 400 * 24 * HOUR_MS)).to.contain('2025');
    expect(en.day(NOW - 11 * HOUR_MS)).to.equal('21 Nov');
  });

  it('reads how long ago something was, and how soon it will be', () => {
    expect([en.relative(NOW - 200 * MINUTE_MS), ja.relative(NOW - 200 * MINUTE_MS)]).to.deep.equal([
      '3 h ago',
      '3時間前',
    ]);
    expect([en.relative(NOW + 5 * MINUTE_MS), ja.relative(NOW + 5 * MINUTE_MS)]).to.deep.equal([
      'in 5 min',
      '5分後',
    ]);
    expect([en.relative(NOW), ja.relative(NOW - 1000)]).to.deep.equal(['just now', 'たった今']);
  });

  it('reads durations, from an hour on without seconds', () => {
    expect([en.elapsed(3 * 3600 + 62), ja.elapsed(90)]).to.deep.equal(['3 h 1 min', '1分30秒']);
    expect(en.elapsed(0)).to.equal('0 s');
  });
});
