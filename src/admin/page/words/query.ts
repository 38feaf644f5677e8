/** What is wrong with a query, to be read after a parameter's name. */
export const QUERY = {
  'query.unknown': ['is no parameter of this', 'ここでは使えない条件です'],
  'query.repeated': ['is given more than once', '2回以上指定されています'],
  'query.empty': ['is empty: give it a value, or leave it out', '空です。値を指定するか、省いてください'],
  'query.oneOf': ['must be one of {names}', '次のいずれかを指定してください：{names}'],
  'query.text': ['must have characters that can be seen', '文字を指定してください'],
  'query.destination': [
    'must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
    'チャンネルとアドレスを「slack:#ops」のように指定してください（URLでは「#」を%23と書きます）',
  ],
  'query.time': [
    'must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
    '日付（2026-01-31）、日時（2026-01-31T09:00、時差は省略可）、またはどれだけ前か（2d、12h）を指定してください',
  ],
  'query.backwards': ['is later than "to"', '終了（to）より後の日時です'],
  'query.next': ['must be the "next" of another page', '別のページの「next」の値を指定してください'],
  'query.upTo': ['must be a whole number from 1 to {most}', '1から{most}までの整数を指定してください'],
  'query.code': [
    'must be an error’s code, such as is_archived, or none',
    'エラーコード（is_archivedなど）かnone',
  ],
  'query.undelivered': ['must be dead or held', 'deadまたはheldを指定してください'],
  'query.all': [
    'must be dead or held where nothing else is given, since all of that is meant then',
    'ほかの条件がないときは、すべてが対象になるため、deadまたはheldを指定してください',
  ],
} as const;
