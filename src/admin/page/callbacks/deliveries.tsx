/** Each delivery of a callback: who, what became of it, the message, and what can be done about it. */
import { type DeliveryRecord, DISMISSED, SUPERSEDED } from '../../../ledger/ledger.ts';
import { MessageFrame } from '../message-frame.tsx';
import { PostButton } from '../parts/forms.tsx';
import { DeliveryStatus, toneOf } from '../parts/status.tsx';
import { Code, pathTo } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader } from '../reader.ts';

/** Each shows a message in a frame; of more, the message is a link away. */
const MOST_FRAMES = 20;

interface OfDelivery {
  readonly delivery: DeliveryRecord;
}

export function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryRecord[] }) {
  return (
    <ul class="deliveries">
      {deliveries.map((delivery, index) => (
        <li key={delivery.id} class={toneOf(delivery)}>
          <Facts delivery={delivery} />
          <div class="actions">
            <Redeliver delivery={delivery} />
            <Dismiss delivery={delivery} />
          </div>
          {index < MOST_FRAMES ? <Message delivery={delivery} /> : null}
        </li>
      ))}
    </ul>
  );
}

/** What went wrong in words is the sentence's to say, and the timeline's: here stands its class. */
function Facts({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { destination, state, attempts, updatedAt, lastError } = delivery;
  return (
    <div class="facts">
      <h3>
        <Code text={destination} />
      </h3>
      <DeliveryStatus delivery={delivery} />
      {lastError === undefined || state === 'delivered' ? null : (
        <span>
          {t(`errorClass.${lastError.class}`)} <Code text={lastError.code} />
        </span>
      )}
      <NextAttempt delivery={delivery} />
      <span class="quiet">
        {t('callback.attempts', { attempts })} · <Time as="ago" at={updatedAt} />
      </span>
    </div>
  );
}

/** By Botbell itself; what the service is to retry is the timeline's to tell. */
function NextAttempt({ delivery: { state, dueInMs, behind, claim } }: OfDelivery) {
  const { t, now } = useReader();
  if (state !== 'pending' || behind !== undefined || claim !== undefined) return null;
  return (
    <span>
      {t('callback.next')} <Time as="ago" at={now + Math.max(0, dueInMs)} />
    </span>
  );
}

function Redeliver({ delivery: { id, state, reason, destination, behind, dueInMs, claim } }: OfDelivery) {
  const { t } = useReader();
  const isWaiting = behind !== undefined || dueInMs <= 0;
  const isUnderWay = state === 'pending' && (claim !== undefined || isWaiting);
  if (isUnderWay || reason === SUPERSEDED) return null;
  const action = '/act/redeliver';
  if (state === 'delivered') {
    const fields = { delivery: id, again: '1' };
    return <PostButton action={action} fields={fields} word={t('callback.once more')} kind="small" />;
  }
  const word = state === 'pending' ? t('callback.try now') : t('callback.redeliver');
  const label = t('callback.of', { word, destination });
  return (
    <PostButton action={action} fields={{ delivery: id }} word={word} kind="primary small" label={label} />
  );
}

function Dismiss({ delivery: { id, state, reason } }: OfDelivery) {
  const { t } = useReader();
  const isOver = state === 'pending' || state === 'delivered';
  if (isOver || reason === SUPERSEDED || reason === DISMISSED) return null;
  return (
    <PostButton action="/act/dismiss" fields={{ delivery: id }} word={t('callback.dismiss')} kind="small" />
  );
}

function Message({ delivery: { id, destination } }: OfDelivery) {
  const { t } = useReader();
  return (
    <details>
      <summary>{t('callback.message')}</summary>
      <MessageFrame path={pathTo(['deliveries', id, 'message'])} destination={destination} />
    </details>
  );
}
