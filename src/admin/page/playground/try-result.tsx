/** What would become of a callback, on the page: each message in its frame, and why its routes say so. */
import { frameHeightOf } from '../../../channels/message-document.ts';
import type { RouteExplanation } from '../../../route/router.ts';
import type { Tried, TriedMessage, TryResult } from '../../try-callback.ts';
import { MessageFrame } from '../message.tsx';
import { Faults } from '../operation/refused.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { BotName, Chips, Code, Foreign, ForeignBlock } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import type { AddressOf } from './chosen.ts';

/** Of the routes that match not, as many as anybody reads. */
const MOST_ROUTES = 100;

interface ResultProps {
  readonly result: TryResult;
  readonly addressOf: AddressOf;
}

export function TryResultView({ result, addressOf }: ResultProps) {
  const { t } = useReader();
  switch (result.kind) {
    case 'tried':
      return <TriedView tried={result} addressOf={addressOf} />;
    case 'invalid':
      return (
        <>
          <Status tone="bad" word={t('playground.invalid')} />
          <Faults errors={result.errors} />
        </>
      );
    case 'unreadable':
      return (
        <p>
          <Status tone="bad" word={t('playground.unreadable')} /> <Foreign text={result.detail} />
        </p>
      );
    case 'unknown':
      return <p class="empty">{t('playground.unknown')}</p>;
  }
}

interface TriedProps {
  readonly tried: Tried;
  readonly addressOf: AddressOf;
}

function TriedView({ tried: { callback, routes, messages, more }, addressOf }: TriedProps) {
  const reader = useReader();
  const { t } = reader;
  return (
    <>
      {callback === undefined ? (
        <p>{t('playground.alert')}</p>
      ) : (
        <p class="facts">
          <strong>
            <BotName name={callback.bot_name} id={callback.bot_id} />
          </strong>
          <RunStatus status={callback.status} />
        </p>
      )}
      {messages.length === 0 ? <p class="empty">{t('playground.nobody')}</p> : null}
      {messages.map((message) => (
        <Message key={message.destination} tried={message} addressOf={addressOf} />
      ))}
      {more === 0 ? null : <p class="quiet">{t('playground.more', { number: more })}</p>}
      {callback === undefined ? null : (
        <details open={messages.length === 0}>
          <summary>{t('playground.routes')}</summary>
          <Table
            caption={t('playground.routes')}
            columns={columnsFor(reader)}
            rows={routes.toSorted((a, b) => Number(b.matched) - Number(a.matched)).slice(0, MOST_ROUTES)}
            keyOf={({ route }) => route}
            empty={t('playground.no routes')}
          />
        </details>
      )}
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
    { head: t('playground.reaches'), cell: ({ reaches }) => <Chips names={reaches} /> },
  ];
}

function becauseInWords({ verdict, pattern, on = [] }: RouteExplanation, { t }: Reader): string {
  if (verdict === 'tells')
    return pattern === undefined
      ? t('playground.verdict.default')
      : t('playground.verdict.tells', { pattern });
  if (verdict === 'not of this status')
    return t(`playground.verdict.${verdict}`, { on: on.map((name) => t(`status.${name}`)).join(', ') });
  return t(`playground.verdict.${verdict}`);
}

interface MessageProps {
  readonly tried: TriedMessage;
  readonly addressOf: AddressOf;
}

function Message({ tried, addressOf }: MessageProps) {
  const { t } = useReader();
  const { destination, route, templateSet, format, message, failures } = tried;
  const path = addressOf(destination);
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
      {path === undefined ? null : (
        <MessageFrame path={path} destination={destination} height={frameHeightOf(tried)} />
      )}
      {failures.map(({ format, template, message }) => (
        <p key={`${format} ${message}`}>
          <Status tone="bad" word={t('message.template failed')} /> <Code text={`${format}/${template}`} />{' '}
          <Foreign text={message} />
        </p>
      ))}
      <details open={path === undefined}>
        <summary>{t('message.text')}</summary>
        <ForeignBlock text={format.asText(message)} label={`${t('message.text')} (${destination})`} />
      </details>
    </article>
  );
}
