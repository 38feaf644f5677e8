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
  'config.unchanged': [
    'Changed in the file, and needs a restart',
    'ファイルでは変更済みで、再起動が必要な項目',
  ],
  'config.reload': ['Reload now', '再読み込みする'],
  'config.preview': ['What would a reload change?', '再読み込みすると何が変わりますか？'],
  'config.previewRefused': ['It would be refused:', '次の誤りがあるため、読み込まれません。'],
  'config.previewNobody': [
    'For the callbacks since {since}, everybody would be told as before.',
    '{since} 以降のコールバックについて、通知先の変化はありません。',
  ],
  'config.previewLead': [
    'Of the callbacks that came since {since}, these would be routed otherwise:',
    '{since} 以降に受信したコールバックのうち、次のものは通知先が変わります。',
  ],
  'config.previewPart': [
    'Not all BOTs were looked at: there are too many.',
    'BOTが多いため、すべては調べていません。',
  ],
  'config.added': ['Would be told', '新たに通知'],
  'config.removed': ['No longer told', '通知しなくなる'],
  'config.processes': ['Processes on this store', '同じ記録を使うプロセス'],
  'config.processesLead': [
    'Each loads the config for itself. While they differ, what is undelivered keeps its routes.',
    '設定はプロセスごとに読み込みます。設定が異なる間は、未配信の通知の宛先を決め直しません。',
  ],
  'config.this': ['this one', '応答中'],
  'config.same': ['Same config', '同じ設定'],
  'config.differs': ['Another config', '異なる設定'],
  'config.text': ['The config in force', '使用中の設定の内容'],
  'config.textLead': [
    'With its defaults. *** stands for each secret.',
    '既定値を含みます。*** は秘密の値です。',
  ],
} as const;
