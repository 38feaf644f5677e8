/** Words of refused bodies. */
import { count, translated } from './translated.ts';

export const REFUSED_WORDS = translated({
  en: {
    title: 'Rejected requests',
    lead: 'What came and was no callback: nobody was told of it, and no retry of it can succeed. The newest thousand are kept, each with the first 64 KB of its body.',
    none: 'Nothing has been rejected.',
    from: 'From',
    answer: 'Answered',
    moreReasons: (number: number) => `and ${count(number, 'more reason')}`,
    why: 'Why',
    whole: 'the whole body',
    body: 'The body as it came',
    empty: 'The body was empty, or was not kept.',
    cut: (shown: string, kept: string) => `The first ${shown} of ${kept} that were kept.`,
    download: 'Download',
    open: 'Open in the playground',
    status: {
      400: 'not JSON',
      413: 'too large',
      415: 'wrong kind of content',
      422: 'not a callback',
    },
  },
  ja: {
    title: '受付拒否',
    lead: 'コールバックとして受け付けられなかった内容です。誰にも通知していません。同じ内容を再送しても受け付けられません。新しいものから千件まで、それぞれ先頭の64KBを保存しています。',
    none: '受付を拒否したものはありません。',
    from: '送信元',
    answer: '応答',
    moreReasons: (number) => `ほか${number}件`,
    why: '理由',
    whole: '本文全体',
    body: '受信した本文',
    empty: '本文は空だったか、保存されていません。',
    cut: (shown, kept) => `保存された${kept}のうち、先頭の${shown}です。`,
    download: 'ダウンロード',
    open: 'プレビューで開く',
    status: {
      400: 'JSONではありません',
      413: '大きすぎます',
      415: '内容の種類が違います',
      422: 'コールバックではありません',
    },
  },
});
