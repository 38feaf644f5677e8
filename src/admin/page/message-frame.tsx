/** A message in a frame of its own: an address with a policy of its own, since what is framed otherwise has the page's. */
import type { Context } from 'koa';
import { type ComposedMessage, messageDocument } from '../../channels/message-document.ts';
import { cleanLine, escapeHtml } from '../../text/clean.ts';
import { type Reader, useReader } from './reader.ts';

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

/** @param notes said above the message */
export function answerMessageFrame(
  ctx: Context,
  composed: ComposedMessage,
  notes: readonly string[] = [],
): void {
  answerFrame(ctx, withNotes(messageDocument(composed), notes));
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

interface MessageFrameProps {
  /** Where the message is to be had. */
  readonly path: string;
  readonly destination: string;
  /** Pixels; undefined: as the style sheet says. */
  readonly height?: number;
}

export function MessageFrame({ path, destination, height }: MessageFrameProps) {
  const title = useReader().t('message.frame', { destination });
  return <iframe sandbox={SANDBOX} loading="lazy" src={path} height={height} title={cleanLine(title)} />;
}
