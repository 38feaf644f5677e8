/** Draws the message of a delivery again, by the config in force. */
import type { MessageFormat } from '../channels/channel.ts';
import type { ArchivedDelivery, DeliveryOfCallback } from '../ledger/archive/archive.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { RenderTarget } from '../render/catalog.ts';
import type { Drawing, DrawnMessage } from './drawing.ts';
import type { AdminServices } from './services.ts';

export interface DrawnDelivery extends DrawnMessage, DeliveryOfCallback {
  readonly format: MessageFormat;
  /** Whether a route sends it there today. */
  readonly isRouted: boolean;
}

/** `no channel`: the config has none of that name any more. */
export type DrawFault = 'not there' | 'no channel';

/** @throws {LedgerUnavailable} */
export async function drawDelivery(
  deliveryId: number,
  { archive, drawing: inForce }: Pick<AdminServices, 'archive' | 'drawing'>,
): Promise<DrawnDelivery | DrawFault> {
  const found = await archive.delivery(deliveryId);
  if (found === undefined) return 'not there';
  const drawing = inForce();
  const format = drawing.formats.get(found.delivery.channel);
  if (format === undefined) return 'no channel';
  const notice = await drawing.load(found.callbackId);
  if (notice === undefined) return 'not there';
  const target = targetOf(found.delivery, notice, drawing);
  const { destination } = found.delivery;
  const how = { options: {}, templateSet: undefined, ...target, format: format.name, destination };
  return { ...found, ...drawing.draw(notice, how), format, isRouted: target !== undefined };
}

/** Undefined: the config sends it there no more. */
function targetOf(
  { destination }: Pick<ArchivedDelivery, 'destination'>,
  notice: Notice,
  { config, router }: Drawing,
): Pick<RenderTarget, 'options' | 'templateSet'> | undefined {
  if (isAlert(notice)) {
    const alerted = config.delivery.alerts.find(({ key }) => key === destination);
    return alerted && { options: alerted.options, templateSet: undefined };
  }
  const routed = router
    .route(notice.callback)
    .destinations.find((each) => each.destination.key === destination);
  return routed && { options: routed.destination.options, templateSet: routed.templateSet };
}
