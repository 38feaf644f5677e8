/** What a route may name BOTs by, and which regular expressions may be slow. */
import { expect } from 'chai';
import { botIdRule, matchesEverything, mayBeSlow, regexOf } from '../../src/config/bot-id-pattern.ts';

describe('A bot_id pattern', () => {
  it('may be an exact id, a glob or a regular expression', () => {
    for (const text of [
      'get_items',
      'invoice-*',
      '請求*',
      'a.b+c(',
      '/^x\\d+$/',
      '/a|b/i',
      '/a\\-b/',
      '/\\p{L}+/',
    ]) {
      expect(botIdRule(text), text).to.equal(undefined);
    }
  });

  it('is refused where it cannot work', () => {
    expect(botIdRule('')).to.include('empty');
    expect(botIdRule('/')).to.include('ends with one');
    expect(botIdRule('/a')).to.include('ends with one');
    expect(botIdRule('//')).to.include('empty');
    expect(botIdRule('/a/x')).to.include('flag i only');
    expect(botIdRule('/(/')).to.include('Unterminated group');
    expect(botIdRule('/a**/')).to.include('Nothing to repeat');
  });

  it('gives the regular expression that it writes, and none for ids and globs', () => {
    expect(regexOf('/^get_/i')?.test('GET_items')).to.equal(true);
    expect(regexOf('/^get_/')?.test('GET_items')).to.equal(false);
    expect(regexOf('/^.$/')?.test('𠮷')).to.equal(true);
    expect(regexOf('/a\\-b/')?.test('a-b')).to.equal(true);
    expect(regexOf('get_*')).to.equal(undefined);
  });

  it('matches everything only where it leaves no BOT out', () => {
    for (const text of ['*', '**', '/.*/', '/^/', '/(?:)/', '/^.*$/i', '/[^]*/']) {
      expect(matchesEverything(text), text).to.equal(true);
    }
    for (const text of ['a*', '*-*', '/./', '/^\\w*$/', '/a|.+/', 'get_items']) {
      expect(matchesEverything(text), text).to.equal(false);
    }
  });
});

describe('A regular expression that repeats a repetition', () => {
  it('is told apart from one that is quick on any name', () => {
    for (const source of ['(a+)+$', '(a*)*b', '(\\w+\\s?)*!', '(x+x+)+y']) {
      expect(mayBeSlow(`/${source}/`), source).to.equal(true);
    }
    for (const source of ['.*', '^report-\\d+$', '(foo|bar)+']) {
      expect(mayBeSlow(`/${source}/`), source).to.equal(false);
    }
    expect(mayBeSlow('invoice-*')).to.equal(false);
  });
});
