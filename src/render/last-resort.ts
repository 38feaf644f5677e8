/** The card of last resort, made without any template: which BOT, or what happened to which message. */
import type { Card } from '../channels/card.ts';
import { failureInWords } from '../channels/failure.ts';
import { isAlert, type Notice, type OwnSubject } from '../notice/notice.ts';
import { cleanLine } from '../text/clean.ts';
import { endsOf } from '../text/cut.ts';
import type { Language } from '../time/display.ts';

const LONGEST_LINE = 400;

export function lastResort(notice: Notice, language: Language): Card {
  const empty = {
    language,
    text: '',
    facts: [],
    outputs: [],
    outputCount: 0,
    link: undefined,
    footer: '',
  };
  if (isAlert(notice)) {
    const { subject } = notice.alert;
    const about = 'destination' in subject ? ` ${subject.destination}` : '';
    const title = line(`Botbell: ${subject.template}${about}`);
    const tone = subject.template === 'test' ? 'test' : 'alert';
    return { ...empty, tone, title, summary: title, message: reasonOf(subject, language) };
  }
  const { bot_name, bot_id, message } = notice.callback;
  const title = line(bot_name) || line(bot_id) || '–';
  return { ...empty, tone: notice.template, title, summary: title, message: message ?? '' };
}

function reasonOf(subject: OwnSubject, language: Language): string {
  if ('error' in subject) return failureInWords(subject.error, language);
  if ('detail' in subject) return subject.detail;
  return 'problems' in subject ? subject.problems.join('\n') : '';
}

function line(text: string): string {
  return cleanLine(endsOf(text, LONGEST_LINE));
}
