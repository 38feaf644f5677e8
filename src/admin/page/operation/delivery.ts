/** The message of one delivery, drawn again, in its frame: `GET /deliveries/:id/message`. */
import type { Context } from 'koa';
import type { DeliveryOfCallback } from '../../../ledger/archive/archive.ts';
import type { AdminServices } from '../../services.ts';
import { drawFor, type TriedMessage } from '../../try-callback.ts';
import { answerFrameFault, answerMessageFrame } from '../message-frame.tsx';
import { type Reader, readerOf } from '../reader.ts';
import { idIn } from '../view.ts';

export async function answerMessage(
  ctx: Context,
  idText: string | undefined,
  services: AdminServices,
): Promise<void> {
  const reader = readerOf(ctx, services.surroundings);
  const drawing = services.drawing();
  const found = await services.archive.delivery(idIn(idText) ?? 0);
  const notice = found && (await drawing.load(found.callbackId));
  if (found === undefined || notice === undefined)
    return answerFrameFault(ctx, 404, reader.t('delivery.not there'), reader);
  const drawn = drawFor(found.delivery.destination, notice, drawing);
  if (drawn === undefined) return answerFrameFault(ctx, 409, reader.t('delivery.no channel'), reader);
  answerMessageFrame(ctx, drawn, notesOn(found, drawn, services.reloading.status.configHash, reader));
}

const HASH_SHOWN = 12;

/** Its subject, and whether it looked so when it was sent. @param inForce hash of the config */
function notesOn(
  { delivery, configHash }: DeliveryOfCallback,
  { format, message, failures, route }: TriedMessage,
  inForce: string,
  { t }: Reader,
): readonly string[] {
  const title = format.titleOf?.(message);
  const wasSent = delivery.state === 'delivered' || delivery.attempts > 0;
  const hasChanged = wasSent && configHash !== undefined && configHash !== inForce;
  const hashes = { before: configHash?.slice(0, HASH_SHOWN) ?? '', now: inForce.slice(0, HASH_SHOWN) };
  return [
    title === undefined ? '' : `${t('message.subject')}: ${title}`,
    wasSent ? '' : t('delivery.not sent'),
    hasChanged ? t('delivery.changed', hashes) : '',
    route === undefined ? t('delivery.unrouted') : '',
    ...failures.map((failure) => `${t('delivery.templateFailed')} ${failure.message}`),
  ].filter((note) => note !== '');
}
