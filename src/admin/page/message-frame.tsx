/** A message in a frame of its own: an address with a policy of its own, since what is framed otherwise has the page's. */
import type { Context } from 'koa';
import type { MessageFormat } from '../../channels/channel.ts';
import { frameHeightOf, messageDocument } from '../../channels/message-document.ts';
import { cleanLine, escapeHtml } from '../../text/clean.ts';
import type { Reader } from './reader.ts';
import { useReader } from './use-reader.ts';

/** Its links open apart, out of the frame and its rules. */
export const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';

/** Inline styles are the message's own; nothing is loaded, nothing runs, nobody else frames it. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  `sandbox ${SANDBOX}`,
].join('; ');

export interface FramedMessage {
  readonly format: MessageFormat;
  readonly message: unknown;
}

/** @param status HTTP status code */
function answerFrame(ctx: Context, document: string, status = 200): void {
  ctx.status = status;
  ctx.set({
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = document;
}

interface Framing {
  /** The name of one; of the format's, the first one where it has no such. */
  readonly theme: string | null;
  /** Said above the message. */
  readonly notes?: readonly string[];
}

export function answerMessageFrame(
  ctx: Context,
  { format, message }: FramedMessage,
  { theme, notes = [] }: Framing,
): void {
  const chosen = format.themes?.find(({ name }) => name === theme) ?? format.themes?.[0];
  answerFrame(ctx, withNotes(messageDocument({ format, message }, chosen), notes));
}

const NOTE_STYLE =
  'margin:0 0 8px;padding:6px 10px;border-radius:6px;background:#fff8c5;color:#24292f;font:14px/1.5 system-ui,sans-serif';

function withNotes(document: string, notes: readonly string[]): string {
  const html = notes.map((note) => `<p style="${NOTE_STYLE}" dir="auto">${escapeHtml(cleanLine(note))}</p>`);
  const isOpened = /<body[\s>]/i.test(document);
  return document.replace(isOpened ? /<body(\s[^<>]*)?>/i : /<base[^<>]*>/, (tag) => tag + html.join(''));
}

/** In place of a message that cannot be drawn. */
export function answerFrameFault(ctx: Context, status: number, words: string, { language }: Reader): void {
  answerFrame(
    ctx,
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${escapeHtml(words)}</title>` +
      `<style>:root{color-scheme:light dark}body{margin:16px;font:15px/1.5 system-ui,sans-serif}</style>` +
      `<p>${escapeHtml(words)}</p></html>`,
    status,
  );
}

interface MessageFramesProps {
  readonly drawn: FramedMessage;
  /** Where the message is to be had in a theme; undefined: nowhere. */
  readonly pathOf: (theme: string | undefined) => string | undefined;
  readonly destination: string;
}

export function MessageFrames({ drawn: { format, message }, pathOf, destination }: MessageFramesProps) {
  const { t } = useReader();
  return (
    <div class="looks">
      {(format.themes ?? [undefined]).map((theme) => {
        const path = pathOf(theme?.name);
        const caption = theme && t(`message.${theme.name}`);
        const title = [t('message.frame', { destination }), ...(caption === undefined ? [] : [caption])].join(
          ', ',
        );
        return path === undefined ? null : (
          <figure key={path}>
            <iframe
              sandbox={SANDBOX}
              src={path}
              height={frameHeightOf({ format, message })}
              loading="lazy"
              title={cleanLine(title)}
            />
            {caption === undefined ? null : <figcaption>{caption}</figcaption>}
          </figure>
        );
      })}
    </div>
  );
}
