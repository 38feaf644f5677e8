/** Each delivery of a callback: who, what became of it, the message, and what can be done about it. */
import type { ArchivedDelivery, CallbackStory } from '../../../ledger/archive/archive.ts';
import { DISMISSED, SUPERSEDED } from '../../../ledger/ledger.ts';
import { cleanLine } from '../../../text/clean.ts';
import { PostForm } from '../parts/forms.tsx';
import { Status, stateWord, toneOf } from '../parts/status.tsx';
import { Code, Foreign, pathTo } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { useReader, useWords } from '../use-reader.ts';

/** Each shows a message in a frame; of more, the message is a link away. */
const MOST_FRAMES = 20;

interface OfDelivery {
  readonly delivery: ArchivedDelivery;
}

export function Deliveries({ callback: { deliveries } }: { readonly callback: CallbackStory }) {
  const words = useWords(CALLBACKS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.deliveries}</h2>
      {deliveries.length === 0 ? <p class="empty">{words.noDeliveries}</p> : null}
      <ul class="deliveries">
        {deliveries.map((delivery, index) => (
          <Delivery key={delivery.id} delivery={delivery} isDrawn={index < MOST_FRAMES} />
        ))}
      </ul>
    </section>
  );
}

function Delivery({ delivery, isDrawn }: OfDelivery & { readonly isDrawn: boolean }) {
  const reader = useReader();
  const words = useWords(CALLBACKS_WORDS).one;
  const { id, destination, attempts, updatedAt } = delivery;
  return (
    <li class={toneOf(delivery)}>
      <div class="facts">
        <h3>
          <Code text={destination} />
        </h3>
        <Status tone={toneOf(delivery)} word={stateWord(delivery, reader)} />
        <NextAttempt delivery={delivery} />
        <span class="quiet">
          {words.attempts(attempts)}
          {' · '}
          <Ago at={updatedAt} />
        </span>
      </div>
      <Trouble delivery={delivery} />
      <div class="actions">
        <Actions delivery={delivery} />
      </div>
      {isDrawn ? (
        <details>
          <summary>{words.message}</summary>
          <iframe
            sandbox=""
            loading="lazy"
            src={pathTo(['deliveries', id, 'message'])}
            title={cleanLine(words.messageTitle(destination))}
          />
        </details>
      ) : null}
    </li>
  );
}

/** By Botbell itself; what the service is to retry is the timeline's to tell. */
function NextAttempt({ delivery: { state, dueInMs, isClaimed } }: OfDelivery) {
  const reader = useReader();
  if (state !== 'pending' || dueInMs === undefined || isClaimed) return null;
  const at = reader.now + Math.max(0, dueInMs);
  return (
    <span>
      {CALLBACKS_WORDS[reader.language].one.next} <Ago at={at} />
    </span>
  );
}

/** Of what has been delivered, earlier errors are the timeline's to tell. */
function Trouble({ delivery: { state, lastError } }: OfDelivery) {
  const reader = useReader();
  if (lastError === undefined || state === 'delivered') return null;
  return (
    <p>
      {PAGE_WORDS[reader.language].errorClass[lastError.class]}
      <small class="quiet">
        {' '}
        <Code text={lastError.code} /> <Foreign text={lastError.message} />
      </small>
    </p>
  );
}

function Actions({ delivery: { id, state, hold } }: OfDelivery) {
  const words = useWords(CALLBACKS_WORDS).one;
  const isSuperseded = hold?.code === SUPERSEDED;
  if (state === 'pending' || isSuperseded) return null;
  const isTold = state === 'delivered';
  return (
    <>
      <PostForm action="/act/redeliver">
        <input type="hidden" name="delivery" value={id} />
        {isTold ? <input type="hidden" name="again" value="1" /> : null}
        <button type="submit" class={isTold ? 'small' : 'small primary'}>
          {isTold ? words.redeliverDelivered : words.redeliver}
        </button>
      </PostForm>
      {isTold || hold?.code === DISMISSED ? null : (
        <PostForm action="/act/dismiss">
          <input type="hidden" name="delivery" value={id} />
          <button type="submit" class="small">
            {words.dismiss}
          </button>
        </PostForm>
      )}
    </>
  );
}
