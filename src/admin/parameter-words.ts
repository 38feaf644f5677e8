/** What is wrong with a query, in sentences that are read after a parameter's name. */
import type { Language } from '../time/display.ts';

const EN = {
  unknown: 'is no parameter of this',
  repeated: 'is given more than once',
  empty: 'is empty: give it a value, or leave it out',
  oneOf: (names: string) => `must be one of ${names}`,
  text: 'must have characters that can be seen',
  destination: 'must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
  time: 'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
  backwards: 'is later than "to"',
  next: 'must be the "next" of another page',
  upTo: (most: number) => `must be a whole number from 1 to ${most}`,
  code: 'must be the code of an error, such as is_archived, or none',
  undelivered: 'must be dead or held: nothing else is given back together',
  all: 'must be dead or held where nothing else is given, since all of that is meant then',
};

export const PARAMETER_WORDS: Readonly<Record<Language, typeof EN>> = {
  en: EN,
  ja: {
    unknown: 'ここでは使えない条件です',
    repeated: '2回以上指定されています',
    empty: '空です。値を指定するか、省いてください',
    oneOf: (names) => `次のいずれかを指定してください：${names}`,
    text: '文字を指定してください',
    destination:
      'チャンネルとアドレスを「slack:#ops」のように指定してください（URLでは「#」を%23と書きます）',
    time: '日付（2026-01-31）、日時（2026-01-31T09:00、時差は省略可）、またはどれだけ前か（2d、12h）を指定してください',
    backwards: '終了（to）より後の日時です',
    next: '別のページの「next」の値を指定してください',
    upTo: (most) => `1から${most}までの整数を指定してください`,
    code: 'is_archivedのようなエラーコード、またはnoneを指定してください',
    undelivered: 'deadまたはheldを指定してください（まとめて送り直せるのはこれらだけです）',
    all: 'ほかの条件がないときは、すべてが対象になるため、deadまたはheldを指定してください',
  },
};
