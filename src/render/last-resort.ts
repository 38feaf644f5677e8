/** The card of last resort, made without any template: what happened to which BOT, or to which message. */
import type { Card } from '../channels/card.ts';
import { alertInWords } from '../notice/alert-text.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import { cleanLine } from '../text/clean.ts';
import { endsOf } from '../text/cut.ts';
import type { Language } from '../time/display.ts';

const LONGEST_LINE = 400;

export function lastResort(notice: Notice, language: Language): Card {
  const empty = {
    language,
    text: '',
    message: '',
    facts: [],
    outputs: [],
    outputCount: 0,
    link: undefined,
    footer: '',
  };
  if (isAlert(notice)) {
    const words = line(alertInWords(notice.alert.subject, language));
    return { ...empty, tone: notice.template === 'test' ? 'test' : 'alert', title: words, summary: words };
  }
  const { bot_name, bot_id, message } = notice.callback;
  const title = line(bot_name) || line(bot_id) || '–';
  return { ...empty, tone: notice.template, title, summary: title, message: message ?? '' };
}

function line(text: string): string {
  return cleanLine(endsOf(text, LONGEST_LINE));
}
