/** What would become of a callback, on the page: its routes, and each message in its frames. */
import { cleanLine } from '../../../text/clean.ts';
import type { RouteExplanation } from '../../../route/router.ts';
import type { Tried, TriedMessage, TryResult } from '../../try-callback.ts';
import { MessageFrames } from '../message-frame.tsx';
import { Faults } from '../operation/faults-of-body.tsx';
import { TemplateFailures } from '../operation/message-parts.tsx';
import { PostForm } from '../parts/forms.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { BotName, Code, Foreign, ForeignBlock } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { MESSAGE_WORDS } from '../words/message.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { PLAYGROUND_WORDS } from '../words/playground.ts';
import type { AddressOf } from './message-address.ts';
import { useReader, useWords } from '../use-reader.ts';

interface ResultProps {
  readonly result: TryResult;
  readonly addressOf: AddressOf;
}

export function TryResultView({ result, addressOf }: ResultProps) {
  const words = useWords(PLAYGROUND_WORDS);
  switch (result.kind) {
    case 'tried':
      return <TriedView tried={result} addressOf={addressOf} />;
    case 'invalid':
      return (
        <div class="panel">
          <p>
            <Status tone="bad" word={words.invalid} />
          </p>
          <Faults errors={result.errors} />
        </div>
      );
    case 'unreadable':
      return (
        <div class="panel">
          <p>
            <Status tone="bad" word={words.unreadable} />
          </p>
          <p>
            <Foreign text={result.detail} />
          </p>
        </div>
      );
    case 'unknown':
    case 'busy':
      return <p class="empty">{words[result.kind]}</p>;
  }
}

interface TriedProps {
  readonly tried: Tried;
  readonly addressOf: AddressOf;
}

function TriedView({ tried: { callback, routes, messages, more }, addressOf }: TriedProps) {
  const words = useWords(PLAYGROUND_WORDS);
  return (
    <>
      {callback === undefined ? (
        <p>{words.alert}</p>
      ) : (
        <p class="facts">
          <strong>
            <BotName name={callback.bot_name} id={callback.bot_id} />
          </strong>
          <RunStatus status={callback.status} />
          <span class="quiet">
            <Code text={callback.job_id} />
          </span>
        </p>
      )}
      {messages.length === 0 ? <p class="empty">{words.nobody}</p> : null}
      {messages.map((message) => (
        <MessageOf key={message.destination} message={message} addressOf={addressOf} />
      ))}
      {more === 0 ? null : <p class="quiet">{words.more(more)}</p>}
      {callback === undefined ? null : (
        <details open={messages.length === 0}>
          <summary>{words.routes}</summary>
          <Routes routes={routes} />
        </details>
      )}
    </>
  );
}

/** Of the routes that match not, as many as anybody reads. */
const MOST_ROUTES = 100;

function Routes({ routes }: { readonly routes: readonly RouteExplanation[] }) {
  const reader = useReader();
  const words = useWords(PLAYGROUND_WORDS);
  const rows = routes.toSorted((a, b) => Number(b.matched) - Number(a.matched)).slice(0, MOST_ROUTES);
  return (
    <Table
      caption={words.routes}
      columns={columnsFor(reader)}
      rows={rows}
      keyOf={({ route }) => route}
      empty={words.noRoutes}
    />
  );
}

function columnsFor(reader: Reader): readonly Column<RouteExplanation>[] {
  const words = PLAYGROUND_WORDS[reader.language];
  return [
    {
      head: words.route,
      kind: 'main',
      cell: ({ route, matched }) => (
        <>
          <Code text={route} />
          <small>
            <Status tone={matched ? 'good' : 'idle'} word={matched ? words.matches : words.matchesNot} />
          </small>
        </>
      ),
    },
    { head: words.because, cell: (route) => <Foreign text={becauseInWords(route, reader)} /> },
    {
      head: words.reaches,
      cell: ({ reaches }) =>
        reaches.length === 0 ? (
          <span class="quiet">–</span>
        ) : (
          <ul class="chips">
            {reaches.map((destination) => (
              <li key={destination} class="chip good">
                <Code text={destination} />
              </li>
            ))}
          </ul>
        ),
    },
  ];
}

function becauseInWords({ verdict, pattern = '', on = [] }: RouteExplanation, { language }: Reader): string {
  const words = PLAYGROUND_WORDS[language].verdict;
  if (verdict === 'tells') return words.tells(pattern);
  if (verdict === 'not of this status')
    return words[verdict](on.map((name) => PAGE_WORDS[language].status[name]).join(', '));
  return words[verdict];
}

interface MessageProps {
  readonly message: TriedMessage;
  readonly addressOf: AddressOf;
}

function MessageOf({ message: tried, addressOf }: MessageProps) {
  const reader = useReader();
  const words = useWords(PLAYGROUND_WORDS);
  const { destination, isDestination, route, templateSet, format, message, failures } = tried;
  const title = format.titleOf?.(message);
  const notes = [
    route === undefined ? words.notRouted : words.byRoute(route),
    ...(templateSet === undefined ? [] : [words.withSet(templateSet)]),
  ];
  return (
    <article class="panel" aria-label={cleanLine(destination)}>
      <header>
        <h3>
          <Code text={destination} />
        </h3>
        <span class="quiet">
          <Foreign text={notes.join(' · ')} />
        </span>
      </header>
      {title === undefined ? null : (
        <p class="mail-subject">
          <span class="quiet">{MESSAGE_WORDS[reader.language].subject}</span> <Foreign text={title} />
        </p>
      )}
      <MessageFrames
        drawn={tried}
        pathOf={(theme) => addressOf(destination, theme)}
        destination={destination}
      />
      <TemplateFailures failures={failures} />
      <details open={addressOf(destination, undefined) === undefined}>
        <summary>{MESSAGE_WORDS[reader.language].text}</summary>
        <ForeignBlock
          text={format.asText(message)}
          label={`${MESSAGE_WORDS[reader.language].text} (${destination})`}
        />
      </details>
      {isDestination ? (
        <PostForm action="/act/test" back="/playground">
          <input type="hidden" name="destination" value={destination} />
          <button type="submit" class="small" aria-label={cleanLine(words.testTo(destination))}>
            {words.test}
          </button>
        </PostForm>
      ) : null}
    </article>
  );
}
