/** Ways in which the local mail server can fail on demand. */

/** Before the greeting, or in answer to AUTH, MAIL FROM, RCPT TO, or the end of the message. */
export type MailStep = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

interface Occasion {
  readonly at: MailStep;
  /** At `rcpt`: this recipient alone. */
  readonly address?: string;
  /** How often it happens; always where it is left out. */
  readonly times?: number;
}

export type MailFault = Occasion &
  (
    | { readonly does: 'refuse'; readonly code: number; readonly text: string }
    /** No answer, ever. */
    | { readonly does: 'hang' }
    /** The connection is gone; at `data`, after the message was taken. */
    | { readonly does: 'drop' }
    | { readonly does: 'delay'; readonly until: () => Promise<unknown> }
  );

/** The error by which smtp-server answers with `code`. */
export function refusalError(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
