/** A message in a frame of its own: an address with a policy of its own, since what is framed otherwise has the page's. */
import type { Context } from 'koa';
import type { MessageTheme } from '../../channels/channel.ts';
import { cleanLine, escapeHtml } from '../../text/clean.ts';
import type { Reader } from './reader.ts';
import { MESSAGE_WORDS } from './words/message.ts';
import { useWords } from './use-reader.ts';

/** Its links open apart, out of the frame and its rules. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';

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

/** @param status HTTP status code */
export function answerFrame(ctx: Context, document: string, status = 200): void {
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
  /** Each theme, and where the message is to be had in it. */
  readonly frames: readonly { readonly theme: MessageTheme['name'] | undefined; readonly path: string }[];
  /** Pixels. */
  readonly height: number;
  readonly destination: string;
}

export function MessageFrames({ frames, height, destination }: MessageFramesProps) {
  const words = useWords(MESSAGE_WORDS);
  return (
    <div class="looks">
      {frames.map(({ theme, path }) => (
        <figure key={path}>
          <iframe
            sandbox={SANDBOX}
            src={path}
            height={height}
            loading="lazy"
            title={cleanLine(words.frame(destination, theme === undefined ? '' : words.theme[theme]))}
          />
          {theme === undefined ? null : <figcaption>{words.theme[theme]}</figcaption>}
        </figure>
      ))}
    </div>
  );
}
