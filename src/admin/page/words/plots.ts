/** Words of the plots. */
import { translated } from './translated.ts';

export const PLOTS_WORDS = translated({
  en: {
    title: 'Plots',
    titleOf: (bot: string) => `Plots of ${bot}`,
    lead: 'What ran day by day, in the display’s time zone.',
    fields: { days: 'Days', bot_id: 'BOT id' },
    daysOf: (days: string) => `${days} days`,
    csv: 'Download as CSV',
    empty: 'Nothing ran in this time.',
    table: 'These days as a table',
    caption: 'Each day on which something came',
    day: 'Day',
    runs: { title: 'Runs and failures a day', succeeded: 'Succeeded', failed: 'Failed', started: 'Begun' },
    duration: { title: 'How long a run took, on average', mean: 'Average' },
    time: {
      title: 'Running time a day',
      spent: 'Spent by runs',
      retries: 'Caused by retries (30 s each)',
    },
    retries: 'Posted again',
    total: (sum: string) => `${sum} in all`,
    mostOn: (title: string, most: string, day: string) => `${title}. The most: ${most} on ${day}.`,
  },
  ja: {
    title: 'グラフ',
    titleOf: (bot) => `${bot} のグラフ`,
    lead: '日ごとの実行の様子を、表示のタイムゾーンで区切って示します。',
    fields: { days: '期間', bot_id: 'BOTのID' },
    daysOf: (days) => `${days}日間`,
    csv: 'CSVでダウンロード',
    empty: 'この期間に実行はありません。',
    table: '表で見る',
    caption: '実行のあった日',
    day: '日付',
    runs: { title: '日ごとの実行と失敗', succeeded: '成功', failed: '失敗', started: '開始' },
    duration: { title: '実行の平均所要時間', mean: '平均' },
    time: {
      title: '日ごとの実行時間',
      spent: '実行に使った時間',
      retries: '再送による時間（1回30秒）',
    },
    retries: '再送',
    total: (sum) => `合計${sum}`,
    mostOn: (title, most, day) => `${title}。最大は${day}の${most}です。`,
  },
});
