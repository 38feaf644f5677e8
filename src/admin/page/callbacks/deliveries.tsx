/** The deliveries of a callback: destination, state, message and actions. */
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../../ledger/ledger.ts';
import { MessageFrame } from '../message.tsx';
import { PostButton } from '../parts/forms.tsx';
import { DeliveryStatus, toneOf } from '../parts/status.tsx';
import { Code, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

interface OfDelivery {
  readonly delivery: DeliveryRecord;
}

export function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryRecord[] }) {
  const { t } = useReader();
  return (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.id} class={toneOf(delivery)}>
          <Facts delivery={delivery} />
          <Actions delivery={delivery} />
          <details>
            <summary>{t('callback.message')}</summary>
            <MessageFrame
              path={pathTo(['deliveries', delivery.id, 'message'])}
              destination={delivery.destination}
            />
          </details>
        </li>
      ))}
    </ul>
  );
}

/** Gives no reasons in words and no next steps: the summary and the timeline have these. */
function Facts({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { destination, state, attempts, updatedAt, lastError, heldUntil, summaryId } = delivery;
  return (
    <div class="facts">
      <h3>
        <Code text={destination} />
      </h3>
      <DeliveryStatus delivery={delivery} />
      {heldUntil === undefined ? null : (
        <span>
          {t('callback.until')} <Time at={heldUntil} />
        </span>
      )}
      {summaryId === undefined ? null : (
        <a href={pathTo(['callbacks', summaryId])}>{t('callback.summary')}</a>
      )}
      {lastError === undefined || state === 'delivered' ? null : (
        <span>
          {t(`error_class.${lastError.class}`)} <Code text={lastError.code} />
        </span>
      )}
      <span class="quiet">
        {t('callback.attempts', { attempts })} · <Time as="ago" at={updatedAt} />
      </span>
    </div>
  );
}

function Actions({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { id } = delivery;
  const acts = actsOn(delivery);
  if (acts.length === 0) return null;
  return (
    <div class="actions">
      {acts.map((act, index) => (
        <PostButton
          key={act}
          action={act === 'dismiss' ? '/act/dismiss' : '/act/redeliver'}
          fields={act === 'once more' ? { id, again: '1' } : { id }}
          word={t(`callback.${act}`)}
          kind={index === 0 && act !== 'once more' ? 'primary small' : 'small'}
        />
      ))}
    </div>
  );
}

/** The possible actions, the most likely one first. */
function actsOn({ state, reason, dueInMs, behind, claim }: DeliveryRecord) {
  if (reason === SUPERSEDED) return [];
  if (state === 'delivered') return ['once more'] as const;
  const isUnderWay = claim !== undefined || behind !== undefined || dueInMs <= 0;
  if (state === 'pending') return isUnderWay ? [] : (['try now'] as const);
  if (reason === DISMISSED) return ['redeliver'] as const;
  // A delivery held by a rule is released by that rule.
  return state === 'dead' || reason === NO_LONGER_ROUTED ? (['redeliver', 'dismiss'] as const) : [];
}
