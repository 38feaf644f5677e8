/** What a route may name BOTs by, and what of other regular expressions RE2's syntax lacks. */
import { expect } from 'chai';
import { botIdRule, compilePattern } from '../../src/config/bot-id-pattern.ts';

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

  it('is refused where RE2 lacks what it needs, at the part that it lacks', () => {
    const lacking = 'is not a valid regular expression in RE2 syntax: ';
    expect(botIdRule('/^(?!test-)/')).to.equal(`${lacking}invalid or unsupported Perl syntax at (?!`);
    expect(botIdRule('/(a)\\1/')).to.equal(`${lacking}invalid escape sequence at \\1`);
    for (const pattern of ['/\\x{3042}/', '/(?s:.)/', '/\\p{Han}/', '/(?P<n>a)(?<m>b)/', '/(?i)x/']) {
      expect(botIdRule(pattern), pattern).to.equal(undefined);
    }
  });

  it('finds what its regular expression says', () => {
    expect(compilePattern('/^get_/i')('GET_items')).to.equal(true);
    expect(compilePattern('/^get_/')('GET_items')).to.equal(false);
    expect(compilePattern('/^.$/')('𠮷')).to.equal(true);
    expect(compilePattern('/a\\-b/')('a-b')).to.equal(true);
  });
});
