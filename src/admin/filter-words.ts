/** What is wrong with a list's query, in sentences: of a parameter that cannot be read, what it must be. */
import type { Language } from '../time/display.ts';

const EN = {
  unknown: 'is no filter of this list',
  repeated: 'is given more than once',
  empty: 'is empty: give it a value, or leave it out',
  backwards: 'is later than "to"',
  undelivered: 'must be dead or held: nothing else is given back together',
  all: 'must be dead or held where nothing else is given, since all of that is meant then',
  bot_id: 'must be the id of a BOT',
  job_id: 'must be the id of a job',
  status: 'must be succeeded, error or executing',
  state: 'must be pending, delivered, dead or held',
  result:
    'must be delivered, duplicate, no_route, superseded, held, accepted, taken_over, gave_up, failed, timed_out or unavailable',
  destination: 'must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
  from: 'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
  to: 'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
  before: 'must be the "next" of another page',
  error_class: 'must be transient, rate_limited, permanent, config or none',
  error_code: 'must be the code of an error, such as is_archived, or none',
  limit: 'must be a whole number from 1 to 500',
} as const;

export type FilterFault = keyof typeof EN;

export const FILTER_WORDS: Readonly<Record<Language, Readonly<Record<FilterFault, string>>>> = {
  en: EN,
  ja: {
    unknown: 'この一覧では使えない条件です',
    repeated: '2回以上指定されています',
    empty: '空です。値を指定するか、省いてください',
    backwards: '終了（to）より後の日時です',
    undelivered: 'deadまたはheldを指定してください（まとめて送り直せるのはこれらだけです）',
    all: 'ほかの条件がないときは、すべてが対象になるため、deadまたはheldを指定してください',
    bot_id: 'BOTのIDを指定してください',
    job_id: 'ジョブのIDを指定してください',
    status: 'succeeded、error、executingのいずれかを指定してください',
    state: 'pending、delivered、dead、heldのいずれかを指定してください',
    result:
      'delivered、duplicate、no_route、superseded、held、accepted、taken_over、gave_up、failed、timed_out、unavailableのいずれかを指定してください',
    destination:
      'チャンネルとアドレスを「slack:#ops」のように指定してください（URLでは「#」を%23と書きます）',
    from: '日付（2026-01-31）、日時（2026-01-31T09:00、時差は省略可）、またはどれだけ前か（2d、12h）を指定してください',
    to: '日付（2026-01-31）、日時（2026-01-31T09:00、時差は省略可）、またはどれだけ前か（2d、12h）を指定してください',
    before: '別のページの「next」の値を指定してください',
    error_class: 'transient、rate_limited、permanent、config、noneのいずれかを指定してください',
    error_code: 'is_archivedのようなエラーコード、またはnoneを指定してください',
    limit: '1から500までの整数を指定してください',
  },
};
