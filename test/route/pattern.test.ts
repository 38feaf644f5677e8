/** What each way of writing a `bot_id` matches, and that nothing in it is magic by accident. */
import { expect } from 'chai';
import { compilePattern, isExact } from '../../src/route/pattern.ts';

function matches(pattern: string, ...names: string[]): boolean[] {
  const matcher = compilePattern(pattern);
  return names.map((name) => matcher(name));
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

  it('takes every character but * and ? literally, regex metacharacters included', () => {
    const name = String.raw`a.b+c^d$e{1}(f)|[g]\h/i-j`;
    expect(isExact(name)).to.equal(true);
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

  it('with ? stands for exactly one character, an emoji or kanji being one', () => {
    expect(matches('bot-?', 'bot-1', 'bot-請', 'bot-😀', 'bot-', 'bot-12')).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('reads Japanese globs', () => {
    expect(matches('請求書-*', '請求書-11月', '請求-11月')).to.deep.equal([true, false]);
    expect(matches('*（本番）', '売上集計（本番）', '売上集計(本番)')).to.deep.equal([true, false]);
  });

  it('between slashes is a regular expression that matches anywhere unless it is anchored', () => {
    expect(matches('/inv.ice/', 'my-invoice-1', 'invice')).to.deep.equal([true, false]);
    expect(matches('/^請求書-\\d+$/', '請求書-12', '請求書-12月')).to.deep.equal([true, false]);
  });

  it('obeys the flags behind the regular expression', () => {
    expect(matches('/^INVOICE/i', 'invoice-1')).to.deep.equal([true]);
    expect(matches('/^INVOICE/', 'invoice-1')).to.deep.equal([false]);
    expect(matches('/^b$/m', 'a\nb')).to.deep.equal([true]);
    expect(matches('/a.b/s', 'a\nb')).to.deep.equal([true]);
    expect(matches('/^.$/u', '😀')).to.deep.equal([true]);
  });

  it('with one * matches a name of any length, in no time', () => {
    const name = 'x'.repeat(1_000_000);
    expect(['*', 'x*', '*x', 'x**x'].map((pattern) => compilePattern(pattern)(name))).to.deep.equal(
      Array(4).fill(true),
    );
    expect(compilePattern('*y')(name)).to.equal(false);
  });

  it('that could take long over a hostile name does not look at names longer than any BOT’s', () => {
    const name = 'a'.repeat(1_000_000);
    expect(compilePattern('*a*a*a*b')(name)).to.equal(false);
    expect(compilePattern('/a+a+b/')(name)).to.equal(false);
  });

  it('answers the same however often it is asked', () => {
    const matcher = compilePattern('/a/i');
    expect([matcher('a'), matcher('a'), matcher('a')]).to.deep.equal([true, true, true]);
  });

  it('that only begins with a slash is a plain name', () => {
    expect(isExact('/jobs')).to.equal(true);
    expect(isExact('/jobs/')).to.equal(false);
  });

  it('that is an impossible regular expression is refused', () => {
    expect(() => compilePattern('/(/')).to.throw(SyntaxError);
    expect(() => compilePattern('/a/ii')).to.throw(SyntaxError);
  });
});
