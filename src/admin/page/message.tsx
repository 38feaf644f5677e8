/** Serves a rendered message as a document of its own, since a `srcdoc` frame would inherit the page's Content-Security-Policy. */
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { DeliveryOfCallback } from '../../ledger/archive/archive.ts';
import { noticeIn } from '../../ledger/deliveries/rows.ts';
import { LIGHT_OR_DARK, messageDocument } from '../../channels/preview.ts';
import { cleanLine, escapeHtml } from '../../text/clean.ts';
import { withTelling } from '../../notice/notice.ts';
import { drawAt, type DrawnMessage, placesFor } from '../drawing.ts';
import { wholeNumberIn } from '../../people/filters.ts';
import type { AdminServices } from '../services.ts';
import { type Reader, readerOf, useReader } from './reader.ts';

/** Links open in new windows, which are not sandboxed. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';

/** Allows the message's inline styles; no scripts, no external resources, and frames on this site only. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  `sandbox ${SANDBOX}`,
].join('; ');

const NOTE_STYLE =
  'margin:0 0 8px;padding:6px 10px;border-radius:6px;background:light-dark(#fff8c5,#3b3415);color:light-dark(#24292f,#f0e8c4);font:14px/1.5 system-ui,sans-serif';
const HASH_SHOWN = 12;

/** `GET /deliveries/:id/message` */
export async function answerDelivery(ctx: RouterContext, services: AdminServices): Promise<void> {
  const { archive, reloading, surroundings } = services;
  const reader = readerOf(ctx, surroundings);
  const drawing = services.drawing();
  const found = await archive.delivery(wholeNumberIn(ctx.params['id']) ?? 0);
  const notice = found && noticeIn(found.told);
  const told = found && notice && withTelling(notice, found.delivery.telling);
  const [place] = told ? placesFor(told, found.delivery.destination, drawing) : [];
  const drawn = told && place && drawAt(place, told, drawing, sentAs(found.delivery, reader));
  const notes = found && drawn ? notesOn(found, drawn, reloading.status.configHash, reader) : [];
  answerMessage(ctx, drawn, reader, notes);
}

/** The message as it was sent, or, if it was not, as it would be sent now. */
function sentAs({ telling, state, updatedAt }: DeliveryOfCallback['delivery'], { now }: Reader) {
  return { telling, now: state === 'delivered' ? updatedAt : now };
}

/**
 * @param drawn undefined for a 404, if the message cannot be rendered
 * @param notes shown above the message
 */
export function answerMessage(
  ctx: Context,
  drawn: DrawnMessage | undefined,
  { t, redact }: Reader,
  notes: readonly string[] = [],
): void {
  ctx.status = drawn === undefined ? 404 : 200;
  ctx.set({
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'SAMEORIGIN',
  });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = redact(
    drawn === undefined
      ? withNotes(NOTHING, [t('message.none')])
      : withNotes(messageDocument(drawn.composed), notes),
  );
}

const NOTHING = `<!doctype html><meta charset="utf-8">${LIGHT_OR_DARK}<body>`;

function withNotes(document: string, notes: readonly string[]): string {
  const html = notes.map((note) => `<p style="${NOTE_STYLE}" dir="auto">${escapeHtml(cleanLine(note))}</p>`);
  const isOpened = /<body[\s>]/i.test(document);
  return document.replace(isOpened ? /<body(\s[^<>]*)?>/i : /<base[^<>]*>/, (tag) => tag + html.join(''));
}

/** The message's subject, and reasons why it may differ from what was sent. @param inForce hash of the config in force */
function notesOn(
  { delivery, configHash }: DeliveryOfCallback,
  { composed: { title }, failures }: DrawnMessage,
  inForce: string,
  { t }: Reader,
): readonly string[] {
  const wasSent = delivery.state === 'delivered' || delivery.attempts > 0;
  const hasChanged = wasSent && configHash !== undefined && configHash !== inForce;
  const hashes = { before: configHash?.slice(0, HASH_SHOWN) ?? '', now: inForce.slice(0, HASH_SHOWN) };
  return [
    title === undefined ? '' : `${t('message.subject')}: ${title}`,
    wasSent ? '' : t('message.not sent'),
    hasChanged ? t('message.changed', hashes) : '',
    ...failures.map((failure) => `${t(failedWord(failure))} ${failure.message}`),
  ].filter((note) => note !== '');
}

export function failedWord({ format }: DrawnMessage['failures'][number]) {
  return format === 'body' ? 'message.body failed' : 'message.template failed';
}

interface MessageFrameProps {
  /** The message's path. */
  readonly path: string;
  readonly destination: string;
  /** In pixels. */
  readonly height?: number;
}

export function MessageFrame({ path, destination, height = 360 }: MessageFrameProps) {
  const title = useReader().t('message.frame', { destination });
  return <iframe sandbox={SANDBOX} loading="lazy" src={path} height={height} title={cleanLine(title)} />;
}
