/** Files that are no files, and reads one after the other. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unreadable } from '../../src/text/fault.ts';
import { foldersIn, isReading, namesIn, readText } from '../../src/text/read-text.ts';
import { tempFolder } from '../support/temp-folder.ts';

const problemOf = (reading: Promise<unknown>) => reading.then(String, ({ message }: Error) => message);

const inJapanese = (reading: Promise<unknown>) =>
  reading.then(String, (error: unknown) => unreadable(error).in('ja'));

describe('A text file', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  beforeEach(() => {
    folder = tempFolder();
  });

  it('in another encoding is refused: its names would match nothing', async () => {
    // 請求 in Shift_JIS.
    writeFileSync(path('a'), Buffer.from([0x90, 0xbf, 0x8b, 0x81]));
    expect(await problemOf(readText(path('a')))).to.equal('it is not UTF-8: save it in that encoding');
    expect(await inJapanese(readText(path('a')))).to.equal('UTF-8ではありません。UTF-8で保存してください');
  });

  it('that is a folder, a pipe that nobody writes or a device is refused at once', async () => {
    execFileSync('mkfifo', [path('pipe')]);
    const problems = [folder, path('pipe'), '/dev/zero'].map((each) => problemOf(readText(each)));
    const stream = 'it is no regular file, but a pipe or a device';
    expect(await Promise.all(problems)).to.deep.equal(['it is a folder', stream, stream]);
    expect(await inJapanese(readText(folder))).to.equal('フォルダーです');
    expect(await inJapanese(readText('/dev/zero'))).to.match(/^通常のファイルではなく/);
  });

  it('is looked for in folders only, links to folders and hidden ones apart', async () => {
    for (const name of ['en', '.git']) mkdirSync(path(name));
    symlinkSync('en', path('link'));
    symlinkSync('nowhere', path('dead'));
    writeFileSync(path('a'), '');
    expect((await foldersIn(folder)).toSorted()).to.deep.equal(['en', 'link']);
  });
});

describe('Reads of files', () => {
  it('come one after the other, also after one that failed, and are known until they end', async () => {
    const ended: string[] = [];
    const reads = [readText('package.json'), namesIn('missing'), namesIn('src')].map((read, index) =>
      read.catch(() => undefined).finally(() => ended.push(`${index} ${isReading()}`)),
    );
    await Promise.all(reads);
    expect(ended).to.deep.equal(['0 true', '1 true', '2 false']);
  });
});
