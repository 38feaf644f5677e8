/** Says in Japanese why the store cannot be written. The reason that the ledger keeps is English, as in the log. */

/** The reason of a store that does not answer. */
export const NO_ANSWER = 'it does not answer';

const PUT_BACK =
  '元のファイルに戻すと自動で再開します。Botbellを再起動すると、今そこにあるファイルを使います';

/** Botbell's own sentences, then what databases and Node say of the usual troubles; the first that fits. */
const WORDS: readonly (readonly [english: RegExp, japanese: string])[] = [
  [/^the store has reached (store\.max_size).*$/s, '$1 に達しました。残っているのは未配信のものだけです'],
  [new RegExp(`^${NO_ANSWER}$`), '応答がありません'],
  [/^the SQLite file was not unlocked.*$/s, '他のプログラムがSQLiteのファイルをロックしています'],
  [/^(.*) was deleted or moved away: .*$/s, `$1 が削除または移動されました。${PUT_BACK}`],
  [/^(.*) was replaced by another file: .*$/s, `$1 が別のファイルに置き換えられました。${PUT_BACK}`],
  [/^.*malformed.*$/s, 'ファイルが壊れています。控えを復元してください（$&）'],
  [/^.*(?:disk is full|no space left|disk quota|ENOSPC|EDQUOT).*$/is, 'ディスクに空きがありません（$&）'],
  [/^.*(?:lock timeout|deadlock).*$/s, '他の接続がロックしています（$&）'],
  [/^.*(?:timeout|in time\b|keeping up).*$/is, '時間内に応答がありません（$&）'],
  [/^.*ENOTDIR.*$/s, 'パスの途中にフォルダーでないものがあります（$&）'],
  [/^relation .* does not exist$/s, '表がありません（$&）'],
  [/^there is no unique .* constraint.*$/s, '一意性制約がありません（$&）'],
  [/^.*permission denied.*$/is, '権限がありません（$&）'],
  [/^.*read-?only.*$/is, '読み取り専用です（$&）'],
  [/^.*E(?:CONN|HOST|NET|AI_AGAIN|NOTFOUND|TIMEDOUT).*$/s, 'データベースに接続できません（$&）'],
];

/** @param reason in English; what has no words here stays as it is */
export function storeTroubleIn(reason: string, language: 'en' | 'ja'): string {
  const found = language === 'ja' && WORDS.find(([english]) => english.test(reason));
  return found ? reason.replace(...found) : reason;
}
