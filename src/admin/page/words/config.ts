/** Phrases of the running config. */
export const CONFIG = {
  'config.lead': [
    'What Botbell runs with. A change of the file is loaded by itself, or by the button; a bad one changes nothing and is shown here.',
    '現在動いている設定です。ファイルを変更すると自動で読み込まれます。ボタンで読み込むこともできます。誤りのある設定は読み込まれず、内容がここに表示されます。',
  ],
  'config.inForce': ['In force', '使用中の設定'],
  'config.file': ['File', 'ファイル'],
  'config.hash': ['Hash', 'ハッシュ'],
  'config.loaded': ['Loaded', '読み込み日時'],
  'config.failed': ['The last reload was refused', '前回の再読み込みはできませんでした'],
  'config.failedLead': [
    'The config before it stays in force. Mend this and save the file, or reload.',
    'これまでの設定のまま動いています。誤りを直してファイルを保存するか、再読み込みしてください。',
  ],
  'config.error': ['Error', '誤り'],
  'config.warning': ['Warning', '注意'],
  'config.unchanged': ['Needs a restart', '再起動が必要な項目'],
  'config.idle': ['Matched nothing for 30 days', '30日間使われていないルート'],
  'config.reload': ['Reload now', '再読み込みする'],
  'config.preview': ['What would a reload change?', '再読み込みすると何が変わりますか？'],
  'config.previewRefused': ['It would be refused:', '次の誤りがあるため、読み込まれません。'],
  'config.previewNobody': [
    'Nobody’s messages since {since} change.',
    '{since} 以降の通知先に変化はありません。',
  ],
  'config.previewLead': [
    'Of the callbacks that came since {since}, these would be routed otherwise:',
    '{since} 以降に受信したコールバックのうち、次のものは通知先が変わります。',
  ],
  'config.previewPart': ['There are too many BOTs to look at all.', 'BOTが多く、すべては調べていません。'],
  'config.added': ['Would be told', '新たに通知'],
  'config.removed': ['No longer told', '通知しなくなる'],
  'config.text': ['The config in force', '使用中の設定の内容'],
  'config.textLead': ['With defaults; *** is a secret.', '既定値を含む。*** は秘密の値。'],
} as const;
