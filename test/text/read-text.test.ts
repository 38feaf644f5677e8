import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unreadable } from '../../src/text/fault.ts';
import { foldersIn, OneRead, readText } from '../../src/text/read-text.ts';
import { moment } from '../support/moment.ts';
import { tempFolder } from '../support/temp-folder.ts';

const problemOf = (reading: Promise<unknown>) => reading.then(String, ({ message }: Error) => message);

const inJapanese = (reading: Promise<unknown>) => reading.then(String, (error) => unreadable(error).in('ja'));

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

  it('that is larger than anybody writes is refused before it is read', async () => {
    const most = 16 * 1024 * 1024;
    for (const [name, size] of Object.entries({ most, more: most + 1 })) {
      writeFileSync(path(name), '');
      truncateSync(path(name), size);
    }
    expect(await readText(path('most'))).to.have.length(most);
    expect(await problemOf(readText(path('more')))).to.match(/^it is larger than 16 MiB/);
    expect(await inJapanese(readText(path('more')))).to.match(/^読めるのは16 MiBまで/);
  });

  it('is looked for in folders only, links to folders and hidden ones apart', async () => {
    for (const name of ['en', '.git']) mkdirSync(path(name));
    symlinkSync('en', path('link'));
    symlinkSync('nowhere', path('dead'));
    writeFileSync(path('a'), '');
    expect((await foldersIn(folder)).toSorted()).to.deep.equal(['en', 'link']);
  });
});

describe('Reads of a disk', () => {
  const LATE = 'its file system did not answer within 0.01 s';

  it('come one after the other, also after one that failed', async () => {
    const reads = new OneRead(5_000);
    const begun: number[] = [];
    const read = (id: number) =>
      reads.take(async () => {
        begun.push(id);
        await Promise.resolve();
        if (id === 1) throw new Error('EIO');
        return begun.length;
      });
    expect(await Promise.all([0, 1, 2].map((id) => problemOf(read(id))))).to.deep.equal(['1', 'EIO', '3']);
  });

  it('end in time where it hangs, and none begins until it answers again', async () => {
    const reads = new OneRead(10);
    const answer = moment();
    let begun = 0;
    const read = () => reads.take(() => ((begun += 1), answer.promise));
    expect(await Promise.all([read(), read(), read()].map(problemOf))).to.deep.equal([LATE, LATE, LATE]);
    expect([begun, reads.isHanging]).to.deep.equal([1, true]);
    answer.happen();
    await answer.promise;
    await read();
    expect(reads.isHanging).to.equal(false);
  });
});
