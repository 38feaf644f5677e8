/** What each way of writing a `bot_id` matches, and that nothing in it is magic by accident. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { compilePattern, isPattern } from '../../src/config/bot-id-pattern.ts';

function matches(pattern: string, ...names: string[]): boolean[] {
  const matcher = compilePattern(pattern);
  return names.map((name) => matcher(name));
}

function escapeRegex(text: string): string {
  return text.replace(/[.]/gu, String.raw`\$&`);
}

describe('a bot_id pattern', () => {
  it('without wildcards names one BOT, to the letter', () => {
    expect(matches('get_items', 'get_items', 'get_item', 'get_items2', 'GET_ITEMS', '')).to.deep.equal([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('takes every character but * literally, regex metacharacters included', () => {
    const name = String.raw`a.b+c^d$e{1}(f)|[g]\h/i-j?`;
    expect(isPattern(name)).to.equal(false);
    expect(matches(name, name, name.replace('.', 'x'))).to.deep.equal([true, false]);
    expect(matches(`${name}*`, name, `${name}!`, `${name.replace('.', 'x')}!`)).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('with * stands for any run of characters, none and line breaks included, over the whole name', () => {
    expect(
      matches('invoice-*', 'invoice-', 'invoice-2026', 'invoice-a\nb', 'my-invoice-1', 'invoice'),
    ).to.deep.equal([true, true, true, false, false]);
    expect(matches('*-daily-*', 'a-daily-b', '-daily-', 'a-daily')).to.deep.equal([true, true, false]);
    expect(matches('*', '', 'anything')).to.deep.equal([true, true]);
  });

  it('reads Japanese globs', () => {
    expect(matches('請求書-*', '請求書-11月', '請求-11月')).to.deep.equal([true, false]);
    expect(matches('*（本番）', '売上集計（本番）', '売上集計(本番)')).to.deep.equal([true, false]);
  });

  it('between slashes is a regular expression that matches anywhere unless it is anchored', () => {
    expect(matches('/inv.ice/', 'my-invoice-1', 'invice')).to.deep.equal([true, false]);
    expect(matches('/^請求書-\\d+$/', '請求書-12', '請求書-12月')).to.deep.equal([true, false]);
  });

  it('obeys the flag i behind the regular expression', () => {
    expect(matches('/^INVOICE/i', 'invoice-1')).to.deep.equal([true]);
    expect(matches('/^INVOICE/', 'invoice-1')).to.deep.equal([false]);
  });

  it('reads a character beyond the first 65,536 as one', () => {
    expect(matches('/^.$/', '😀')).to.deep.equal([true]);
  });

  it('that is a glob matches a name of any length, in no time', () => {
    const name = 'x'.repeat(1_000_000);
    expect(['*', 'x*', '*x', 'x**x'].map((pattern) => compilePattern(pattern)(name))).to.deep.equal(
      Array(4).fill(true),
    );
    expect(compilePattern('*y')(name)).to.equal(false);
  });

  it('that is a regular expression looks at no name longer than any BOT’s', () => {
    expect(matches('/a/', 'a'.repeat(1000), 'a'.repeat(1001))).to.deep.equal([true, false]);
  });

  it('takes no longer over a name that is made to send it back and forth', () => {
    const stars = `${'*a'.repeat(400)}*b`;
    expect(matches(stars, `${'a'.repeat(999)}b`, 'a'.repeat(1000))).to.deep.equal([true, false]);
    expect(matches('*-*-*-*z', '-'.repeat(1000))).to.deep.equal([false]);
    for (const source of ['.*-.*-.*z', '(-+)+$z', '(-|--)+z', '(.*-){20}z', '(-{0,30}){30}z$']) {
      expect(matches(`/${source}/`, `z${'-'.repeat(999)}`), source).to.deep.equal([false]);
    }
  });

  it('matches as a backtracking expression of the same glob would', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '😀', '\ud83d', '\n', '*', '.'), { maxLength: 8 });
    const glob = fc.array(fc.constantFrom('a', 'b', '😀', '*', '.', '\n'), { maxLength: 6 });
    fc.assert(
      fc.property(glob, text, (signs, letters) => {
        const [pattern, name] = [signs.join(''), letters.join('')];
        fc.pre(isPattern(pattern));
        const body = signs.map((sign) => (sign === '*' ? '.*' : escapeRegex(sign)));
        expect(compilePattern(pattern)(name)).to.equal(new RegExp(`^${body.join('')}$`, 'su').test(name));
      }),
      { numRuns: 3000 },
    );
  });

  it('answers the same however often it is asked', () => {
    const matcher = compilePattern('/a/i');
    expect([matcher('a'), matcher('a'), matcher('a')]).to.deep.equal([true, true, true]);
  });

  it('that only begins with a slash is a plain name', () => {
    expect(isPattern('/jobs')).to.equal(false);
    expect(isPattern('/jobs/')).to.equal(true);
  });

  it('that is an impossible regular expression is refused', () => {
    expect(() => compilePattern('/(/')).to.throw(SyntaxError);
    expect(() => compilePattern('/a/ii')).to.throw(SyntaxError);
  });
});
