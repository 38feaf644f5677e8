/** The message of one delivery, drawn again: in its frames, as text, with the limits that it takes. */
import type { Context } from 'koa';
import { cleanLine } from '../../../text/clean.ts';
import { type DrawFault, type DrawnDelivery, drawDelivery } from '../../draw-delivery.ts';
import type { AdminServices } from '../../services.ts';
import { answerFrameFault, answerMessageFrame, MessageFrames } from '../message-frame.tsx';
import { DeliveryStatus } from '../parts/status.tsx';
import { DefinitionList } from '../parts/table.tsx';
import { Foreign, ForeignBlock, Link, pathTo } from '../parts/text.tsx';
import { Instant } from '../parts/time.tsx';
import { type Reader, readerOf } from '../reader.ts';
import { idIn, type View } from '../view.ts';
import { MESSAGE_WORDS } from '../words/message.ts';
import { TemplateFailures } from './message-parts.tsx';
import { useReader, useWords } from '../use-reader.ts';

const FAULT_STATUS: Readonly<Record<DrawFault, number>> = { 'not there': 404, 'no channel': 409 };

/** `GET /deliveries/:id/message?theme=dark` */
export async function answerMessage(
  ctx: Context,
  idText: string | undefined,
  services: AdminServices,
): Promise<void> {
  const reader = readerOf(ctx, services.surroundings);
  const id = idIn(idText);
  const drawn = id === undefined ? 'not there' : await drawDelivery(id, services);
  if (typeof drawn === 'string')
    return answerFrameFault(ctx, FAULT_STATUS[drawn], faultInWords(drawn, reader), reader);
  return answerMessageFrame(ctx, drawn, ctx.URL.searchParams.get('theme'));
}

function faultInWords(fault: DrawFault, { language }: Reader): string {
  const words = MESSAGE_WORDS[language];
  return { 'not there': words.notThere, 'no channel': words.noChannel }[fault];
}

export const deliveryView: View = async ({ params, reader, services }) => {
  const id = idIn(params['id']);
  const found = id === undefined ? undefined : await services.archive.delivery(id);
  if (id === undefined || found === undefined) return undefined;
  const { destination } = found.delivery;
  const drawn = await drawDelivery(id, services);
  const inForce = services.reloading.status.configHash;
  return {
    title: MESSAGE_WORDS[reader.language].title(destination),
    section: 'callbacks',
    status: typeof drawn === 'string' ? FAULT_STATUS[drawn] : 200,
    body: (
      <Delivery
        id={id}
        callbackId={found.callbackId}
        destination={destination}
        drawn={drawn}
        inForce={inForce}
      />
    ),
  };
};

interface DeliveryProps {
  readonly id: number;
  readonly callbackId: number;
  readonly destination: string;
  readonly drawn: DrawnDelivery | DrawFault;
  /** Hash of the config in force. */
  readonly inForce: string;
}

export function Delivery({ id, callbackId, destination, drawn, inForce }: DeliveryProps) {
  const reader = useReader();
  const words = useWords(MESSAGE_WORDS);
  return (
    <>
      <div class="head">
        <h1>
          <Foreign text={words.title(destination)} />
        </h1>
        <p class="lead">{words.lead}</p>
      </div>
      {typeof drawn === 'string' ? (
        <p class="empty">{faultInWords(drawn, reader)}</p>
      ) : (
        <Drawn id={id} drawn={drawn} inForce={inForce} />
      )}
      <p>
        <Link to={`/callbacks/${callbackId}`}>{words.callback}</Link>
      </p>
    </>
  );
}

interface DrawnProps {
  readonly id: number;
  readonly drawn: DrawnDelivery;
  readonly inForce: string;
}

function Drawn({ id, drawn, inForce }: DrawnProps) {
  const words = useWords(MESSAGE_WORDS);
  const { format, message, failures, delivery } = drawn;
  const { destination, updatedAt } = delivery;
  const title = format.titleOf?.(message);
  return (
    <section class="panel" aria-label={cleanLine(words.title(destination))}>
      <DefinitionList
        terms={[
          {
            term: words.state,
            details: (
              <>
                <DeliveryStatus delivery={delivery} /> <Instant at={updatedAt} />
              </>
            ),
          },
          ...(title === undefined ? [] : [{ term: words.subject, details: <Foreign text={title} /> }]),
        ]}
      />
      <Since drawn={drawn} inForce={inForce} />
      <TemplateFailures failures={failures} />
      <MessageFrames
        drawn={drawn}
        pathOf={(theme) => pathTo(['deliveries', id, 'message'], { theme })}
        destination={destination}
      />
      <details>
        <summary>{words.text}</summary>
        <ForeignBlock text={format.asText(message)} label={`${words.text} (${destination})`} />
      </details>
    </section>
  );
}

const HASH_SHOWN = 12;

/** Whether it looked so when it was sent. */
function Since({ drawn, inForce }: Omit<DrawnProps, 'id'>) {
  const words = useWords(MESSAGE_WORDS);
  const { configHash, delivery, isRouted } = drawn;
  const [before, now] = [configHash ?? '', inForce].map((hash) => hash.slice(0, HASH_SHOWN));
  const wasSent = delivery.state === 'delivered' || delivery.attempts > 0;
  const since = !wasSent
    ? words.notSent
    : configHash === undefined
      ? words.unknownConfig
      : configHash === inForce
        ? words.unchanged
        : words.changed(before ?? '', now ?? '');
  return (
    <p class="note">
      {since} {isRouted ? null : words.unrouted}
    </p>
  );
}
