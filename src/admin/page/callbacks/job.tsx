/** A job: all its callbacks in their order. */
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import { BotName, Code, Link, pathTo } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import type { Shown, View } from '../view.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { CallbackTable } from './callback-table.tsx';

const MOST_CALLBACKS = 500;

export interface JobData {
  readonly jobId: string;
  /** In the order in which they began; at least one. */
  readonly callbacks: readonly ArchivedCallback[];
  readonly isComplete: boolean;
}

export const showJob: View = async ({ params, reader, services: { archive } }) => {
  const jobId = params['id'] ?? '';
  const { items, next } = await archive.callbacks({ jobId }, { limit: MOST_CALLBACKS });
  if (items.length === 0) return undefined;
  return jobPage(
    {
      jobId,
      callbacks: items.toSorted((a, b) => a.startedAt - b.startedAt || a.id - b.id),
      isComplete: next === undefined,
    },
    reader,
  );
};

export function jobPage({ jobId, callbacks, isComplete }: JobData, reader: Reader): Shown {
  const words = CALLBACKS_WORDS[reader.language].jobPage;
  const [first] = callbacks;
  const body = (
    <>
      <div class="head">
        <h1>
          {words.heading} <Code text={jobId} />
        </h1>
        <p class="lead">{words.lead}</p>
        {first === undefined ? null : (
          <p class="facts">
            {words.bot}
            <Link to={pathTo(['bots', first.botId])}>
              <BotName name={first.botName} id={first.botId} />
            </Link>
          </p>
        )}
      </div>
      <section class="panel" aria-label={words.caption}>
        <CallbackTable callbacks={callbacks} caption={words.caption} empty="" />
        {isComplete ? null : <p class="quiet">{words.isMore}</p>}
      </section>
    </>
  );
  return { title: words.title(jobId), section: 'callbacks', body };
}
