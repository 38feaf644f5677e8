/** The message of one delivery, drawn again, in its frame: `GET /deliveries/:id/message?theme=dark`. */
import type { Context } from 'koa';
import { type DrawFault, type DrawnDelivery, drawDelivery } from '../../draw-delivery.ts';
import type { AdminServices } from '../../services.ts';
import { answerFrameFault, answerMessageFrame } from '../message-frame.tsx';
import { type Reader, readerOf } from '../reader.ts';
import { idIn } from '../view.ts';

const FAULT_STATUS: Readonly<Record<DrawFault, number>> = { 'not there': 404, 'no channel': 409 };

export async function answerMessage(
  ctx: Context,
  idText: string | undefined,
  services: AdminServices,
): Promise<void> {
  const reader = readerOf(ctx, services.surroundings);
  const drawn = await drawDelivery(idIn(idText) ?? 0, services);
  if (typeof drawn === 'string')
    return answerFrameFault(ctx, FAULT_STATUS[drawn], reader.t(`delivery.${drawn}`), reader);
  const notes = notesOn(drawn, services.reloading.status.configHash, reader);
  return answerMessageFrame(ctx, drawn, { theme: ctx.URL.searchParams.get('theme'), notes });
}

const HASH_SHOWN = 12;

/** Its subject, and whether it looked so when it was sent. */
function notesOn(drawn: DrawnDelivery, inForce: string, { t }: Reader): readonly string[] {
  const { format, message, failures, configHash, delivery, isRouted } = drawn;
  const title = format.titleOf?.(message);
  const wasSent = delivery.state === 'delivered' || delivery.attempts > 0;
  const hasChanged = wasSent && configHash !== undefined && configHash !== inForce;
  const hashes = { before: configHash?.slice(0, HASH_SHOWN) ?? '', now: inForce.slice(0, HASH_SHOWN) };
  return [
    title === undefined ? '' : `${t('message.subject')}: ${title}`,
    wasSent ? '' : t('delivery.not sent'),
    hasChanged ? t('delivery.changed', hashes) : '',
    isRouted ? '' : t('delivery.unrouted'),
    ...failures.map((failure) => `${t('delivery.templateFailed')} ${failure.message}`),
  ].filter((note) => note !== '');
}
