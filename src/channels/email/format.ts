/** What a mail is to whoever makes, shows and checks it. */
import type { MessageFormat } from '../channel.ts';
import { textAsHtml } from '../html-text.ts';
import { composeMail, type EmailMessage } from './compose.ts';
import { ownMails } from './own.ts';

export const emailFormat = {
  name: 'email',
  compose: composeMail,
  own: ownMails,
  asText: ({ subject, text }) => `${subject}\n\n${text}`.trimEnd(),
  asHtml: ({ text, html }) => html || textAsHtml(text),
  titleOf: ({ subject }) => subject,
} satisfies MessageFormat<EmailMessage>;
