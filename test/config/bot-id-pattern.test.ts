/** What a route may name BOTs by, with all that RE2 has: which BOTs each way of writing it matches. What is refused: configs.test.ts. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { botIdRule, compilePattern, isPattern } from '../../src/config/bot-id-pattern.ts';
import { sized } from '../support/test-size.ts';

const SIGNS = String.raw`a.b+c^d$e{1}(f)|[g]\h/i-j?`;
const LONG = 'x'.repeat(1_000_000);

const MATCHES: readonly (readonly [string, matched: readonly string[], others: readonly string[]])[] = [
  ['get_items', ['get_items'], ['get_item', 'get_items2', 'GET_ITEMS', '']],
  [SIGNS, [SIGNS], [SIGNS.replace('.', 'x')]],
  [`${SIGNS}*`, [SIGNS, `${SIGNS}!`], [`${SIGNS.replace('.', 'x')}!`]],
  ['invoice-*', ['invoice-', 'invoice-2026', 'invoice-a\nb'], ['my-invoice-1', 'invoice']],
  ['*-daily-*', ['a-daily-b', '-daily-'], ['a-daily']],
  ['*', ['', 'anything', LONG], []],
  ['x**x', [LONG], []],
  ['*y', [], [LONG]],
  ['*（本番）', ['売上集計（本番）'], ['売上集計(本番)']],
  ['/inv.ice/', ['my-invoice-1'], ['invice']],
  ['/^請求書-\\d+$/', ['請求書-12'], ['請求書-12月']],
  ['/^INVOICE/i', ['invoice-1', 'INVOICE-1'], ['my-invoice']],
  ['/^INVOICE/', [], ['invoice-1']],
  ['/^.$/', ['😀', '𠮷'], []],
  ['/a\\-b/', ['a-b'], ['ab']],
  ['/^\\p{L}+$/', ['請求'], ['a1']],
  ['/^\\p{Han}\\x{3042}$/', ['請あ'], ['あ請']],
  ['/^(?s:.)$/', ['\n'], ['ab']],
  ['/(?P<n>a)(?<m>b)/', ['ab'], ['ba']],
  ['/(?i)x/', ['X'], ['y']],
  // No BOT's name is longer.
  ['/a/', ['a'.repeat(1000)], ['a'.repeat(1001)]],
  ['*a*', ['a'.repeat(1000)], ['a'.repeat(1001)]],
  ['a*b*c', [`a${'b'.repeat(998)}c`], [`a${'b'.repeat(999)}c`]],
  ['a**c', [`a${'b'.repeat(999)}c`], []],
];

describe('A bot_id pattern', () => {
  for (const [pattern, matched, others] of MATCHES)
    it(`matches to the letter, but for its wildcards or as a regular expression: ${pattern}`, () => {
      expect(botIdRule(pattern)).to.equal(undefined);
      const matches = compilePattern(pattern);
      // The same, however often it is asked.
      for (const name of [...matched, ...matched]) expect(matches(name), name.slice(0, 50)).to.equal(true);
      for (const name of others) expect(matches(name), name.slice(0, 50)).to.equal(false);
    });

  it('takes no longer over a name that is made to send it back and forth', () => {
    const stars = compilePattern(`${'*a'.repeat(400)}*b`);
    expect([stars(`${'a'.repeat(999)}b`), stars('a'.repeat(1000))]).to.deep.equal([true, false]);
    expect(compilePattern('*-*-*-*z')('-'.repeat(1000))).to.equal(false);
    for (const source of ['.*-.*-.*z', '(-+)+$z', '(-|--)+z', '(.*-){20}z', '(-{0,30}){30}z$'])
      expect(compilePattern(`/${source}/`)(`z${'-'.repeat(999)}`), source).to.equal(false);
  });

  it('matches as a backtracking expression of the same glob would', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '😀', '\ud83d', '\n', '*', '.'), { maxLength: 8 });
    const glob = fc.array(fc.constantFrom('a', 'b', '😀', '*', '.', '\n'), { maxLength: 6 });
    fc.assert(
      fc.property(glob, text, (signs, letters) => {
        const [pattern, name] = [signs.join(''), letters.join('')];
        fc.pre(isPattern(pattern));
        const body = signs.map((sign) => (sign === '*' ? '.*' : sign.replace('.', String.raw`\.`)));
        expect(compilePattern(pattern)(name)).to.equal(new RegExp(`^${body.join('')}$`, 'su').test(name));
      }),
      { numRuns: sized(500, 3000) },
    );
  });
});
