/** Why the store cannot be written, in Japanese: of what Botbell and the databases really say. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_ANSWER, storeTroubleIn } from '../../src/incident/store-trouble.ts';
import { LedgerFull } from '../../src/ledger/ledger.ts';
import { watchFile } from '../../src/ledger/sqlite/file.ts';
import { tempFolder } from '../support/temp-folder.ts';

const said = (reason: string) => storeTroubleIn(reason, 'ja');

describe('Why the store cannot be written', () => {
  it('is said in Japanese, where Botbell says it itself', () => {
    expect(said(new LedgerFull().message)).to.equal(
      'store.max_size に達しました。残っているのは未配信のものだけです',
    );
    expect(said(NO_ANSWER)).to.equal('応答がありません');
    expect(said('the SQLite file was not unlocked by another program in time')).to.equal(
      '他のプログラムがSQLiteのファイルをロックしています',
    );
  });

  it('names the file that is gone, or another one', () => {
    const file = join(tempFolder(), 'a.db');
    writeFileSync(file, '');
    const look = watchFile(file);
    const found = () => {
      try {
        return String(look());
      } catch (error) {
        return said((error as Error).message).split('。')[0];
      }
    };
    renameSync(file, `${file}.old`);
    expect(found()).to.equal(`${file} が削除または移動されました`);
    writeFileSync(file, '');
    expect(found()).to.equal(`${file} が別のファイルに置き換えられました`);
  });

  for (const [reason, japanese] of [
    ['database or disk is full', 'ディスクに空きがありません'],
    ['attempt to write a readonly database', '読み取り専用です'],
    ['cannot execute INSERT in a read-only transaction', '読み取り専用です'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'データベースに接続できません'],
    ['canceling statement due to lock timeout', '他の接続がロックしています'],
    ['canceling statement due to statement timeout', '時間内に応答がありません'],
    ['relation "callbacks" does not exist', '表がありません'],
    [
      'there is no unique or exclusion constraint matching the ON CONFLICT specification',
      '一意性制約がありません',
    ],
    ["EACCES: permission denied, access '/data/'", '権限がありません'],
    ['database disk image is malformed', 'ファイルが壊れています。控えを復元してください'],
    ['disk I/O error', undefined],
  ] as const)
    it(`quotes what a database says: ${reason}`, () => {
      expect(said(reason)).to.equal(japanese === undefined ? reason : `${japanese}（${reason}）`);
      expect(storeTroubleIn(reason, 'en')).to.equal(reason);
    });
});
