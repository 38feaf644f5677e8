/** Words around a message that is drawn again. */
import { translated } from './translated.ts';

export const MESSAGE_WORDS = translated({
  en: {
    title: (destination: string) => `Message for ${destination}`,
    lead: 'Drawn again from the callback, by the config and the templates of now: messages themselves are not kept.',
    frame: (destination: string, theme: string) =>
      theme === '' ? `message for ${destination}` : `message for ${destination}, ${theme}`,
    theme: { light: 'light', dark: 'dark' },
    changed: (before: string, now: string) =>
      `The config has changed since (${before}, now ${now}), so it may have looked otherwise when it was sent.`,
    unchanged: 'The config is the one that it was sent by.',
    unknownConfig: 'By which config it was sent is not known, so it may have looked otherwise.',
    notSent: 'It has not been sent.',
    unrouted: 'No route sends it there any more.',
    noChannel: 'The config has no such channel any more, so it cannot be drawn.',
    notThere: 'There is no such delivery.',
    failed: 'It could not be drawn just now. Try again in a moment.',
    templateFailed: 'A template failed over it, so the built-in one was used:',
    text: 'As plain text',
    subject: 'Subject',
    state: 'State',
    callback: 'To its callback',
  },
  ja: {
    title: (destination) => `${destination} への通知`,
    lead: '今の設定とテンプレートで、コールバックから描き直しています。通知そのものは保存していません。',
    frame: (destination, theme) =>
      theme === '' ? `${destination} への通知` : `${destination} への通知（${theme}）`,
    theme: { light: 'ライト', dark: 'ダーク' },
    changed: (before, now) =>
      `送信後に設定が変わりました（${before} → ${now}）。送信時の見た目とは異なる可能性があります。`,
    unchanged: '送信時と同じ設定です。',
    unknownConfig: '送信時の設定がわからないため、送信時の見た目とは異なる可能性があります。',
    notSent: 'まだ送っていません。',
    unrouted: '今の設定では、この通知先に送りません。',
    noChannel: '今の設定にこのチャンネルがないため、表示できません。',
    notThere: 'この配信はありません。',
    failed: '今は表示できません。しばらくしてからお試しください。',
    templateFailed: 'テンプレートでエラーが起きたため、標準のものを使いました。',
    text: 'テキスト表示',
    subject: '件名',
    state: '状態',
    callback: 'コールバックを見る',
  },
});
