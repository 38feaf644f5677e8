/** Which messages of a failing BOT say the same. */
import { expect } from 'chai';
import { likenessOf } from '../../src/text/gist.ts';

function isAlike(one: string, other: string, jobs: readonly [string, string] = ['job-a', 'job-b']): boolean {
  return likenessOf(one, jobs[0]) === likenessOf(other, jobs[1]);
}

describe('messages', () => {
  const alike: readonly (readonly [what: string, one: string, other: string])[] = [
    ['digits', '3 rows failed in 12.5 s', '1,204 rows failed in 7 s'],
    ['digits of other scripts', '３件のエラー', '12件のエラー'],
    ['an address', 'no answer from 10.0.0.1:8080', 'no answer from 192.168.10.25:443'],
    ['a date', 'no file for 2026-11-20', 'no file for 2026-11-21'],
    ['a time', 'timed out at 9:05', 'timed out at 21:05:13.250 PM'],
    ['a date-time', 'at 2026-11-20T09:00:00.123+09:00: failed', 'at 2026-11-20 09:00: failed'],
    ['a date-time in UTC', 'at 2026-11-20T09:00:00Z.', 'at 2026-11-21T00:00:00+09:00.'],
    ['a date in words', 'since Fri, 20 Nov 2026 09:00:00', 'since Tuesday, 1 December 2026 10:30'],
    ['a date in American words', 'due Nov 20, 2026', 'due May 3, 2027'],
    ['a Japanese date', '2026年11月20日(金) 午前9時に失敗', '2026年12月1日(火) 午後11時に失敗'],
    ['hexadecimal', 'at 0x7ffe1234abcd (deadbeef)', 'at 0x00000000 (12345678)'],
    ['a pod’s name', 'pod/etl-7c9d8bf6d4-x2kqz: OOMKilled', 'pod/etl-7c9d8bf6d4-9hsjp: OOMKilled'],
    ['the name of a temporary folder', 'no scratch/tmpzq8wvkxj/out.csv', 'no scratch/tmpab12cd_e/out.csv'],
    ['a short commit', 'checkout of 3f9a2bc failed', 'checkout of a01bc9d failed'],
    ['a number with its unit', 'no answer in 70ms (8kB)', 'no answer in 1204ms (65536kB)'],
    ['a UUID', '先3f2504e0-4f89-11d3-9a0c-0305e82c3301が', '先7D444840-9DC0-11D1-B245-5FFDCE74FAD2が'],
    ['a date in words among Japanese ones', '期限Fri, 20 Nov 2026です', '期限Tue, 1 Dec 2026です'],
    ['a size among Japanese words', '空きが150MBしかない', '空きが8MBしかない'],
    ['the job’s own id among Japanese words', 'ジョブjob-aが失敗', 'ジョブjob-bが失敗'],
    ['the job’s own id', 'job job-a of nightly failed', 'job job-b of nightly failed'],
  ];
  for (const [what, one, other] of alike)
    it(`are alike that differ in ${what}`, () => expect(isAlike(one, other)).to.equal(true));

  const different: readonly (readonly [what: string, one: string, other: string])[] = [
    ['a word', 'login failed', 'logout failed'],
    ['a word below five that mixes letters and digits', 'code e42b', 'code f17c'],
    ['hexadecimal of letters below eight', 'code abcdef', 'code fedcba'],
    ['a Japanese sentence with a number', '3件のタイムアウトが発生', '3件の認証に失敗しました'],
    ['words that begin like a month', '5 marked', '5 maybe'],
    ['letters of a longer word', 'xdeadbeef', 'xfeedbeef'],
    ['a word before the job’s own id', 'login of job-a', 'upload of job-b'],
    ['case', 'Not found', 'not found'],
    ['something where the other has nothing', 'timed out', 'timed out again'],
  ];
  for (const [what, one, other] of different)
    it(`differ in ${what}`, () => expect(isAlike(one, other)).to.equal(false));

  it('take a job’s id of any length to the letter, as a whole, and not another job’s', () => {
    expect(isAlike('run a.b+c failed', 'run x(y failed', ['a.b+c', 'x(y'])).to.equal(true);
    expect(isAlike('a bad formula', 'b bad formula', ['a', 'b'])).to.equal(true);
    expect(isAlike('run job-b', 'run job-b')).to.equal(false);
    expect(isAlike('run aXb failed', 'run # failed', ['a.b', 'c'])).to.equal(false);
    expect(isAlike('no file for 2026-11-20', 'no file for 2027-01-01', ['2026', '77'])).to.equal(true);
    expect(isAlike('failed', 'failed', ['', 'b'])).to.equal(true);
    const begin = 'x'.repeat(300);
    expect(isAlike(`run ${begin}y`, `run ${begin}z`, [`${begin}y`, `${begin}y`])).to.equal(false);
    const [one, other] = ['x'.repeat(33_000), `${'y-'.repeat(15_000)}z`];
    expect(isAlike(`run ${one} failed`, `run ${other} failed`, [one, other])).to.equal(true);
    expect(isAlike(`run ${one} failed`, `run ${one}x failed`, [one, one])).to.equal(false);
  });

  it('are compared in time that grows with the text', () => {
    const hostile = ['a', '0', 'a1-', '2026-', '9:', 'jan ', 'mon, ', '0x', '(月', '1,'];
    const begun = process.cpuUsage();
    for (const piece of [...hostile, '_', '-', '1_a', '日', '日1'])
      likenessOf(piece.repeat(1_000_000 / piece.length), 'job');
    const many = 'a'.repeat(16_000);
    for (const id of ['-'.repeat(16_000), `${many}b${many}`, `${many}${many}b`])
      for (const piece of ['-', 'a']) likenessOf(piece.repeat(100_000), id);
    expect(process.cpuUsage(begun).user / 1000, 'ms of this process').to.be.below(5000);
  });
});
