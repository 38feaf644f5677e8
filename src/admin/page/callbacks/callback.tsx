/** One callback: in one sentence why somebody was told, or was not; then everything that happened, and what can be done. */
import type { ArchivedCallback, CallbackStory } from '../../../ledger/archive/archive.ts';
import { loadStory } from '../../../story/story.ts';
import type { Story } from '../../../story/story.ts';
import { isBlank } from '../../../text/clean.ts';
import { PostForm } from '../parts/forms.tsx';
import { ResultStatus, RunStatus } from '../parts/status.tsx';
import { DefinitionList, type Term } from '../parts/table.tsx';
import { BotName, Code, ForeignBlock, Link, pathTo } from '../parts/text.tsx';
import { Instant, Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import { idIn, type Shown, type View } from '../view.ts';
import { CALLBACKS_WORDS } from '../words/callbacks.ts';
import { bodyShown, type ShownBody } from './body-shown.ts';
import { CallbackTable } from './callback-table.tsx';
import { Deliveries } from './deliveries.tsx';
import { Timeline } from './timeline.tsx';
import { useReader, useWords } from '../use-reader.ts';

const MOST_OTHERS = 20;

export interface CallbackData {
  readonly callback: CallbackStory;
  readonly told: Story;
  /** Undefined: it has been forgotten meanwhile. */
  readonly body: ShownBody | undefined;
  /** Of its job, in their order. */
  readonly others: readonly ArchivedCallback[];
}

export const showCallback: View = async ({ params, reader, services }) => {
  const { archive, surroundings } = services;
  const id = idIn(params['id']);
  const context = { ...reader, giveUpAfterMs: surroundings.giveUpAfterMs(), redact: surroundings.redact };
  const found = id === undefined ? undefined : await loadStory(archive, id, context);
  if (found === undefined) return undefined;
  const { callback, story: told } = found;
  const bytes = await archive.body(callback.id);
  const job = callback.kind === 'alert' ? [] : await ofJob(services.archive, callback.jobId);
  const others = job.filter((other) => other.id !== callback.id);
  return callbackPage({ callback, told, body: bytes && bodyShown(bytes), others }, reader);
};

async function ofJob(
  archive: Parameters<View>[0]['services']['archive'],
  jobId: string,
): Promise<readonly ArchivedCallback[]> {
  const { items } = await archive.callbacks({ jobId }, { limit: MOST_OTHERS });
  return items.toReversed();
}

export function callbackPage(data: CallbackData, reader: Reader): Shown {
  const { callback, told, body, others } = data;
  const words = CALLBACKS_WORDS[reader.language].one;
  const isAlert = callback.kind === 'alert';
  const name = isBlank(callback.botName) ? callback.botId : callback.botName;
  const content = (
    <>
      <div class="head">
        <h1>
          {isAlert ? (
            words.alertNumber(String(callback.id))
          ) : (
            <BotName name={callback.botName} id={callback.botId} />
          )}
        </h1>
        <p class="facts">
          {isAlert ? words.alert : <RunStatus status={callback.status} />}
          <Instant at={callback.receivedAt} />
        </p>
      </div>
      <section class="panel summary">
        <h2>{words.summary}</h2>
        <p dir="auto">{told.summary}</p>
        {isAlert ? null : <RouteAnew callback={callback} />}
      </section>
      <Deliveries callback={callback} />
      <section class="panel">
        <h2>{words.timeline}</h2>
        <Timeline events={told.events} />
      </section>
      <Facts callback={callback} />
      {isAlert ? null : <Others others={others} />}
      {body === undefined ? null : <Json id={callback.id} body={body} />}
    </>
  );
  return { title: words.title(name, String(callback.id)), section: 'callbacks', body: content };
}

interface OfCallback {
  readonly callback: CallbackStory;
}

function RouteAnew({ callback }: OfCallback) {
  const words = useWords(CALLBACKS_WORDS).one;
  return (
    <PostForm action="/act/route" className="actions">
      <input type="hidden" name="callback" value={callback.id} />
      <button type="submit" class={callback.deliveries.length === 0 ? 'primary' : undefined}>
        {words.routeAnew}
      </button>
      <small class="quiet">{words.routeAnewHint}</small>
    </PostForm>
  );
}

function Facts({ callback }: OfCallback) {
  const reader = useReader();
  const words = useWords(CALLBACKS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.facts}</h2>
      <DefinitionList
        terms={callback.kind === 'alert' ? alertTerms(callback, reader) : termsOf(callback, reader)}
      />
      {callback.kind === 'alert' ? null : (
        <p>
          <Link to={pathTo(['playground'], { callback: callback.id })}>{words.playground}</Link>
        </p>
      )}
    </section>
  );
}

function alertTerms(callback: CallbackStory, reader: Reader): readonly Term[] {
  const words = CALLBACKS_WORDS[reader.language].one;
  return [{ term: words.received, details: <Time at={callback.receivedAt} /> }];
}

function termsOf(callback: CallbackStory, reader: Reader): readonly Term[] {
  const words = CALLBACKS_WORDS[reader.language].one;
  const { botId, botName, jobId, elapsedSeconds, timesReceived, alerts } = callback;
  return [
    {
      term: words.bot,
      details: (
        <Link to={pathTo(['bots', botId])}>
          <BotName name={botName} id={botId} />
        </Link>
      ),
    },
    {
      term: words.job,
      details: (
        <Link to={pathTo(['jobs', jobId])}>
          <Code text={jobId} />
        </Link>
      ),
    },
    { term: words.started, details: <Time at={callback.startedAt} /> },
    {
      term: words.took,
      details: elapsedSeconds === undefined ? '–' : reader.formats.elapsed(elapsedSeconds),
    },
    { term: words.received, details: <Time at={callback.receivedAt} /> },
    ...(timesReceived > 1 ? [cameAgain(callback, reader)] : []),
    { term: words.answered, details: <ResultStatus result={callback.result} /> },
    ...(alerts.length === 0 ? [] : [{ term: words.alerts, details: <Alerts alerts={alerts} /> }]),
  ];
}

function cameAgain({ timesReceived, lastReceivedAt }: CallbackStory, reader: Reader): Term {
  const words = CALLBACKS_WORDS[reader.language].one;
  const details = (
    <>
      {words.times(timesReceived)} <Time at={lastReceivedAt} />
    </>
  );
  return { term: words.again, details };
}

function Alerts({ alerts }: Pick<CallbackStory, 'alerts'>) {
  const words = useWords(CALLBACKS_WORDS).one;
  return (
    <ul class="chips">
      {alerts.map(({ id }) => (
        <li key={id}>
          <Link to={pathTo(['callbacks', id])}>{words.alertNumber(String(id))}</Link>
        </li>
      ))}
    </ul>
  );
}

function Others({ others }: { readonly others: readonly ArchivedCallback[] }) {
  const words = useWords(CALLBACKS_WORDS).one;
  return (
    <section class="panel">
      <h2>{words.others}</h2>
      <CallbackTable callbacks={others} caption={words.othersCaption} empty={words.noOthers} />
    </section>
  );
}

interface JsonProps {
  readonly id: number;
  readonly body: ShownBody;
}

function Json({ id, body: { text, shownBytes, bytes } }: JsonProps) {
  const reader = useReader();
  const words = useWords(CALLBACKS_WORDS).one;
  const { size } = reader.formats;
  return (
    <section class="panel">
      <header>
        <h2>{words.json}</h2>
        <Link to={pathTo(['callbacks', id, 'body'])} download>
          {words.download} ({size(bytes)})
        </Link>
      </header>
      {shownBytes < bytes ? <p class="quiet">{words.jsonCut(size(shownBytes), size(bytes))}</p> : null}
      <ForeignBlock text={text} label={words.json} />
    </section>
  );
}
