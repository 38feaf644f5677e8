/** What would become of a callback: each message in its frame, and why its routes say so. Nothing is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Callback, type CallbackError, InvalidCallback } from '../../../callback/callback.ts';
import { UndecodableBody } from '../../../callback/decode.ts';
import { frameHeightOf } from '../../../channels/message-document.ts';
import { HttpProblem } from '../../../http/problem.ts';
import { noticeOf } from '../../../notice/notice.ts';
import type { RouteExplanation } from '../../../route/router.ts';
import { drawAt, type Drawing, type DrawnMessage, placesFor } from '../../drawing.ts';
import { MessageFrame } from '../message.tsx';
import { Faults } from '../operation/refused.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { BotName, Chips, Code, Foreign, ForeignBlock } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { AddressOf } from './chosen.ts';

/** As many as anybody looks at. */
const MOST_DRAWN = 12;
const MOST_ROUTES = 100;

export interface TryOptions {
  /** Undefined: as each route says, else the language's. */
  readonly templateSet: string | undefined;
  /** A destination of the config, or the name of a channel; undefined: whom the routes say. */
  readonly to: string | undefined;
}

interface Tried {
  readonly callback: Callback;
  readonly routes: readonly RouteExplanation[];
  readonly messages: readonly DrawnMessage[];
  /** More than are drawn. */
  readonly more: number;
}

/** Why it would be refused. */
interface Refused {
  readonly errors: readonly CallbackError[];
}

export async function tryText(text: string, options: TryOptions, drawing: Drawing): Promise<Tried | Refused> {
  try {
    return await tryNotice(noticeOf(drawing.read(Buffer.from(text)), 1), options, drawing);
  } catch (error) {
    if (error instanceof InvalidCallback) return { errors: error.errors };
    const isRefusal = error instanceof UndecodableBody || error instanceof HttpProblem;
    if (isRefusal) return { errors: [{ pointer: '', detail: error.message }] };
    throw error;
  }
}

type CallbackNotice = ReturnType<typeof noticeOf>;

async function tryNotice(notice: CallbackNotice, options: TryOptions, drawing: Drawing): Promise<Tried> {
  const { callback } = notice;
  const places = placesFor(notice, options.to, drawing);
  const messages: DrawnMessage[] = [];
  for (const place of places.slice(0, MOST_DRAWN)) {
    const { templateSet = place.templateSet } = options;
    messages.push(...[drawAt({ ...place, templateSet }, notice, drawing) ?? []].flat());
    // Callbacks that come meanwhile get their turn.
    await nextTurn();
  }
  const routes = drawing.router.explainAll(callback);
  return { callback, routes, messages, more: Math.max(0, places.length - MOST_DRAWN) };
}

interface ResultProps<Result> {
  readonly result: Result;
  readonly addressOf: AddressOf;
}

export function Result({ result, addressOf }: ResultProps<Tried | Refused>) {
  const { t } = useReader();
  if (!('errors' in result)) return <Messages result={result} addressOf={addressOf} />;
  return (
    <>
      <Status tone="bad" word={t('playground.invalid')} />
      <Faults errors={result.errors} />
    </>
  );
}

function Messages({ result: { callback, routes, messages, more }, addressOf }: ResultProps<Tried>) {
  const reader = useReader();
  const { t } = reader;
  return (
    <>
      <p class="facts">
        <strong>
          <BotName name={callback.bot_name} id={callback.bot_id} />
        </strong>
        <RunStatus status={callback.status} />
      </p>
      {messages.length === 0 ? <p class="empty">{t('playground.nobody')}</p> : null}
      {messages.map((message) => (
        <Message key={message.destination} drawn={message} path={addressOf(message.destination)} />
      ))}
      {more === 0 ? null : <p class="quiet">{t('playground.more', { number: more })}</p>}
      <details open={messages.length === 0}>
        <summary>{t('playground.routes')}</summary>
        <Table
          caption={t('playground.routes')}
          columns={columnsFor(reader)}
          rows={routes.toSorted((a, b) => Number(b.matched) - Number(a.matched)).slice(0, MOST_ROUTES)}
          keyOf={({ route }) => route}
        />
      </details>
    </>
  );
}

function columnsFor(reader: Reader): readonly Column<RouteExplanation>[] {
  const { t } = reader;
  return [
    {
      head: t('playground.route'),
      kind: 'main',
      cell: ({ route, matched }) => <Status tone={matched ? 'good' : 'idle'} word={route} />,
    },
    { head: t('playground.because'), cell: (route) => <Foreign text={becauseInWords(route, reader)} /> },
    { head: t('destination'), cell: ({ reaches }) => <Chips names={reaches} /> },
  ];
}

function becauseInWords({ verdict, pattern, on = [] }: RouteExplanation, { t }: Reader): string {
  if (verdict === 'tells' && pattern !== undefined) return t('playground.verdict.tells', { pattern });
  if (verdict === 'tells') return t('playground.verdict.default');
  if (verdict !== 'not of this status') return t(`playground.verdict.${verdict}`);
  return t(`playground.verdict.${verdict}`, { on: on.map((name) => t(`status.${name}`)).join(', ') });
}

interface MessageProps {
  readonly drawn: DrawnMessage;
  /** Undefined: only its text can be shown. */
  readonly path: string | undefined;
}

function Message({ drawn, path }: MessageProps) {
  const { t } = useReader();
  const { destination, route, templateSet, format, message, failures } = drawn;
  const title = format.titleOf?.(message);
  const by = route === undefined ? t('playground.not routed') : t('playground.by', { route });
  const set = templateSet === undefined ? '' : ` · ${t('playground.with set', { set: templateSet })}`;
  return (
    <article class="panel">
      <header>
        <h3>
          <Code text={destination} />
        </h3>
        <Foreign text={by + set} className="quiet" />
      </header>
      {title === undefined ? null : (
        <p>
          <span class="quiet">{t('message.subject')}</span> <Foreign text={title} />
        </p>
      )}
      {path === undefined ? (
        <ForeignBlock text={format.asText(message)} label={destination} />
      ) : (
        <MessageFrame path={path} destination={destination} height={frameHeightOf(drawn)} />
      )}
      {failures.map(({ format, template, message }) => (
        <p key={`${format} ${message}`}>
          <Status tone="bad" word={t('message.template failed')} /> <Code text={`${format}/${template}`} />{' '}
          <Foreign text={message} />
        </p>
      ))}
    </article>
  );
}
