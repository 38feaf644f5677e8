/** Phrases of snoozes, wherever they are said. */
export const SNOOZES = {
  'snoozes.lead': [
    'What nobody is told of for a while. When a snooze ends, what it has held is told as one summary.',
    '通知をしばらく止めます。終わると、その間に保留した通知を1件にまとめて送ります。',
  ],
  'snoozes.none': ['Nothing is snoozed.', 'スヌーズ中のものはありません。'],
  'snoozes.new': ['Snooze something', '新しいスヌーズ'],
  'snoozes.bot_id': ['BOT id', 'BOTのID'],
  'snoozes.bot_id, what': ['Empty: any BOT', '空欄：すべてのBOT'],
  'snoozes.destination': ['Destination', '通知先'],
  'snoozes.until': ['Until', 'いつまで'],
  'snoozes.tomorrow': ['Tomorrow, 9:00', '明日の9:00まで'],
  'snoozes.next-success': ['The BOT’s next success', 'BOTが次に成功するまで'],
  'snoozes.time': ['Or until this time', 'または、この日時まで'],
  'snoozes.because': ['Why', '理由'],
  'snoozes.by': ['By', '設定した人'],
  'snoozes.held': ['Held back', '保留中'],
  'snoozes.begin': ['Snooze', 'スヌーズする'],
  'snoozes.link': ['Snooze…', 'スヌーズ…'],
  'snoozes.end': ['End it', '終了する'],
  'snoozes.at most': ['next success, at most', '次に成功するまで、最長'],
  snoozed: ['Snoozed', 'スヌーズ中'],
} as const;
