/** The shape of a mail: a subject of one line, a plain text part that stands alone, and HTML. */
import { cleanLine, cleanText, escapeHtml } from '../../text/clean.ts';
import { cutEnd, cutMiddle } from '../../text/cut.ts';
import type { MessageFormat } from '../channel.ts';
import { leftOutMark } from '../marks.ts';

export interface EmailMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export const emailFormat: MessageFormat<EmailMessage> = {
  name: 'email',
  compose: ({ summary, title, text, message, facts, language }) => {
    const lines = [title, text, cutMiddle(message, 20_000, leftOutMark(language))];
    const shown = cleanText([...lines, ...facts.map(({ name, value }) => `${name}: ${value}`)].join('\n\n'));
    return {
      subject: cutEnd(cleanLine(summary), 150, '…'),
      text: shown,
      html: `<pre>${escapeHtml(shown)}</pre>`,
    };
  },
  asText: ({ subject, text }) => `${subject}\n\n${text}`.trimEnd(),
  asHtml: ({ html }) => html,
  titleOf: ({ subject }) => subject,
};
