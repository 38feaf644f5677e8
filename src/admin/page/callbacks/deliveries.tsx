/** Each delivery of a callback: who, what became of it, the message, and what can be done about it. */
import { type DeliveryRecord, DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../../ledger/ledger.ts';
import { RULES } from '../../../signal/rules.ts';
import { MessageFrame } from '../message.tsx';
import { PostButton } from '../parts/forms.tsx';
import { DeliveryStatus, toneOf } from '../parts/status.tsx';
import { Code, Link, pathTo, Time } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

/** Each shows a message in a frame; of more, only what became of them. */
const MOST_FRAMES = 20;

interface OfDelivery {
  readonly delivery: DeliveryRecord;
}

export function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryRecord[] }) {
  const { t } = useReader();
  return (
    <ul class="deliveries">
      {deliveries.map((delivery, index) => (
        <li key={delivery.id} class={toneOf(delivery)}>
          <Facts delivery={delivery} />
          <Actions delivery={delivery} />
          {index >= MOST_FRAMES ? null : (
            <details>
              <summary>{t('callback.message')}</summary>
              <MessageFrame
                path={pathTo(['deliveries', delivery.id, 'message'])}
                destination={delivery.destination}
              />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What went wrong in words is the sentence's to say, and the timeline's: here stands its class. */
function Facts({ delivery }: OfDelivery) {
  const { t, now } = useReader();
  const { destination, state, attempts, updatedAt, lastError, dueInMs, behind, claim } = delivery;
  // By Botbell itself; what the service is to retry is the timeline's to tell.
  const isPutOff = state === 'pending' && behind === undefined && claim === undefined;
  return (
    <div class="facts">
      <h3>
        <Code text={destination} />
      </h3>
      <DeliveryStatus delivery={delivery} />
      <Hold delivery={delivery} />
      {lastError === undefined || state === 'delivered' ? null : (
        <span>
          {t(`error_class.${lastError.class}`)} <Code text={lastError.code} />
        </span>
      )}
      {isPutOff ? (
        <span>
          {t('callback.next')} <Time as="ago" at={now + Math.max(0, dueInMs)} />
        </span>
      ) : null}
      <span class="quiet">
        {t('callback.attempts', { attempts })} · <Time as="ago" at={updatedAt} />
      </span>
    </div>
  );
}

/** Which rule holds it and until when, and the summary that tells it. */
function Hold({ delivery: { state, reason, heldUntil, summaryId } }: OfDelivery) {
  const { t } = useReader();
  const rule = state === 'held' ? RULES.find((each) => each === reason) : undefined;
  return (
    <>
      {rule === undefined ? null : (
        <Link to={rule === 'snooze' ? '/snoozes' : '/config'}>{t(`rule.${rule}`)}</Link>
      )}
      {heldUntil === undefined ? null : (
        <span>
          {t('callback.until')} <Time at={heldUntil} />
        </span>
      )}
      {summaryId === undefined ? null : (
        <Link to={pathTo(['callbacks', summaryId])}>{t('callback.summary')}</Link>
      )}
    </>
  );
}

function Actions({ delivery }: OfDelivery) {
  const { t } = useReader();
  const { id, destination } = delivery;
  const acts = actsOn(delivery);
  if (acts.length === 0) return null;
  return (
    <div class="actions">
      {acts.map((act) => (
        <PostButton
          key={act}
          action={act === 'dismiss' ? '/act/dismiss' : '/act/redeliver'}
          fields={act === 'once more' ? { id, again: '1' } : { id }}
          word={t(`callback.${act}`)}
          kind={act === 'redeliver' || act === 'try now' ? 'primary small' : 'small'}
          label={t('callback.of', { word: t(`callback.${act}`), destination })}
        />
      ))}
    </div>
  );
}

/** What can be done about it, what is wanted first. */
function actsOn({ state, reason, dueInMs, behind, claim }: DeliveryRecord) {
  if (reason === SUPERSEDED) return [];
  if (state === 'delivered') return ['once more'] as const;
  const isUnderWay = claim !== undefined || behind !== undefined || dueInMs <= 0;
  if (state === 'pending') return isUnderWay ? [] : (['try now'] as const);
  if (reason === DISMISSED) return ['redeliver'] as const;
  // What a rule holds, the rule tells.
  return state === 'dead' || reason === NO_LONGER_ROUTED ? (['redeliver', 'dismiss'] as const) : [];
}
