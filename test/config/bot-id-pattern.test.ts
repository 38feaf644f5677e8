/** What a route may name BOTs by, and what of other regular expressions RE2's syntax lacks. */
import { expect } from 'chai';
import { botIdRule, matchesEverything, regexOf } from '../../src/config/bot-id-pattern.ts';

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
    expect(botIdRule('/(/')).to.include('RE2 syntax: missing closing )');
    expect(botIdRule('/a**/')).to.include('RE2 syntax: invalid nested repetition operator at **');
    expect(botIdRule(`/${'('.repeat(5000)}/`)).to.include('RE2 syntax');
  });

  it('is told what it needs that RE2 lacks, and how RE2 would write it', () => {
    const faults = {
      '/^(?!test-)/': 'looks around, (?!…), which RE2 syntax lacks',
      '/a(?=b)/': 'looks around, (?=…), which RE2 syntax lacks',
      '/(?<=a)b/': 'looks around, (?<=…), which RE2 syntax lacks',
      '/(?<!a)b/': 'looks around, (?<!…), which RE2 syntax lacks',
      '/(a)\\1/': 'refers back, \\1, which RE2 syntax lacks',
      '/(?<n>a)\\k<n>/': 'refers back, \\k, which RE2 syntax lacks',
      '/\\u3042/': "has \\u: in RE2 syntax, a character's code is written \\x{3042}",
      '/^[^]*$/': 'has [^]: in RE2 syntax, any character is written (?s:.)',
      '/\\p{Script=Han}/':
        'has \\p{…}: RE2 syntax knows short categories and scripts only, \\p{L} or \\p{Han}',
    };
    for (const [pattern, fault] of Object.entries(faults)) expect(botIdRule(pattern)).to.equal(fault);
    for (const pattern of ['/\\x{3042}/', '/(?s:.)/', '/\\p{Han}/', '/(?P<n>a)(?<m>b)/', '/(?i)x/']) {
      expect(botIdRule(pattern), pattern).to.equal(undefined);
    }
  });

  it('gives the regular expression that it writes, and none for ids and globs', () => {
    expect(regexOf('/^get_/i')?.test('GET_items')).to.equal(true);
    expect(regexOf('/^get_/')?.test('GET_items')).to.equal(false);
    expect(regexOf('/^.$/')?.test('𠮷')).to.equal(true);
    expect(regexOf('/a\\-b/')?.test('a-b')).to.equal(true);
    expect(regexOf('get_*')).to.equal(undefined);
  });

  it('matches everything only where it leaves no BOT out', () => {
    for (const text of ['*', '**', '/.*/', '/^/', '/(?:)/', '/^.*$/i', '/(?s:.)*/']) {
      expect(matchesEverything(text), text).to.equal(true);
    }
    for (const text of ['a*', '*-*', '/./', '/^\\w*$/', '/a|.+/', 'get_items']) {
      expect(matchesEverything(text), text).to.equal(false);
    }
  });
});
