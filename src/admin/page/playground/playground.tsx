/** The playground: shows how a recorded, sample or pasted callback would be routed and rendered. Sends nothing. */
import type { Context } from 'koa';
import { frameHeightOf } from '../../../channels/preview.ts';
import { callbackUrlOf } from '../../../config/callback-url.ts';
import { destinationsOf } from '../../../route/router.ts';
import { routingEvents } from '../../../story/routing.ts';
import { Sayings } from '../../../story/sayings.ts';
import { shellWord } from '../../../text/clean.ts';
import type { DrawnMessage } from '../../drawing.ts';
import type { AdminServices } from '../../services.ts';
import { answerMessage, failedWord, MessageFrame } from '../message.tsx';
import { Faults } from '../operation/refused.tsx';
import { Field, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { RunStatus, Status } from '../parts/status.tsx';
import { BotName, Code, Foreign, ForeignBlock, pathTo } from '../parts/text.tsx';
import { type Reader, readerOf, useReader, type View } from '../reader.ts';
import { addressesOf, type Trial, tryOut } from './trying.ts';

/** In characters. A longer callback is rendered, but not put into the form's field. */
const LONGEST_EDITED = 512 * 1024;

/** Handles GET and POST; `query` holds a POST's form. */
export const playgroundView: View = async ({ query, reader: { t }, services }) => {
  const trial = await tryOut(query, services);
  if (trial === undefined) return undefined;
  const samples = services.samples.map(({ name }) => name);
  const body = (
    <div class="playground">
      <Section title={t('playground.callback')} aside={<Samples names={samples} />}>
        <CallbackForm trial={trial} />
      </Section>
      <Section title={t('playground.result')}>
        {trial.errors.length === 0 ? null : (
          <>
            <Status tone="bad" word={t('playground.invalid')} />
            <Faults errors={trial.errors} />
          </>
        )}
        <Messages trial={trial} />
      </Section>
    </div>
  );
  // No refresh, since it would discard what is being typed.
  return { title: t('nav.playground'), lead: t('playground.lead'), isStill: true, body };
};

/** `GET /playground/message`: one of the messages, for its frame. */
export async function answerTriedMessage(ctx: Context, services: AdminServices): Promise<void> {
  const trial = await tryOut(ctx.URL.searchParams, services);
  answerMessage(ctx, trial?.tried?.messages[0], readerOf(ctx, services.surroundings));
}

function Samples({ names }: { readonly names: readonly string[] }) {
  const { t, word } = useReader();
  return (
    <span class="facts">
      {t('playground.samples')}
      {names.map((name) => (
        <a key={name} href={pathTo(['playground'], { sample: name })}>
          {word('status', name)}
        </a>
      ))}
    </span>
  );
}

interface OfTrial {
  readonly trial: Trial;
}

function CallbackForm({ trial }: OfTrial) {
  const { t, formats } = useReader();
  const { text, callbackId: callback } = trial;
  const isTooLong = text.length > LONGEST_EDITED;
  return (
    <PostForm action="/playground" fields={callback === undefined ? {} : { callback }}>
      <div class="field">
        <label for="text">{t('playground.json')}</label>
        <textarea id="text" name="text" rows={14} spellcheck={false} autocomplete="off" dir="ltr">
          {isTooLong ? '' : text}
        </textarea>
        {isTooLong ? (
          <small class="quiet">{t('playground.too long', { size: formats.size(text.length) })}</small>
        ) : null}
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          {t('playground.preview')}
        </button>
      </div>
      <Options trial={trial} />
      <Command trial={trial} />
    </PostForm>
  );
}

/** Linux takes no argument of 128 KiB. */
const LONGEST_ARGUMENT_BYTES = 128 * 1024 - 1;

/** A command that posts the callback, ready to be copied. */
function Command({ trial: { text, drawing } }: OfTrial) {
  const { t } = useReader();
  // The token is a secret, so a variable stands for it.
  const url = callbackUrlOf(drawing.config.receiver, '$CALLBACK_TOKEN');
  if (url === undefined || Buffer.byteLength(text) > LONGEST_ARGUMENT_BYTES) return null;
  const command = `curl "${url}" -H 'Content-Type: application/json' -d ${shellWord(text)}`;
  return (
    <details>
      <summary>{t('playground.command')}</summary>
      <textarea readOnly aria-label={t('playground.command')} rows={6} spellcheck={false} dir="ltr">
        {command}
      </textarea>
    </details>
  );
}

function Options({ trial: { to, templateSet, drawing } }: OfTrial) {
  const { t } = useReader();
  const named = (value: string) => [value, value] as const;
  const destinations = [
    ['', t('playground.routed')] as const,
    ...[...destinationsOf(drawing.config).keys()].map(named),
    ...[...drawing.formats.keys()].map((channel) => [channel, t('playground.any of', { channel })] as const),
  ];
  const sets = [['', t('playground.any set')] as const, ...drawing.renderer.templateSets.map(named)];
  return (
    <details open={(to ?? templateSet) !== undefined}>
      <summary>{t('playground.options')}</summary>
      <div class="filters">
        <Field name="to" label={t('playground.to')} value={to} options={destinations} />
        <Field name="set" label={t('playground.set')} value={templateSet} options={sets} />
      </div>
    </details>
  );
}

function Messages({ trial }: OfTrial) {
  const reader = useReader();
  const { t } = reader;
  if (trial.tried === undefined) return null;
  const { callback, messages, more } = trial.tried;
  const addressOf = addressesOf(trial);
  const { explanations } = trial.drawing.router.route(callback);
  return (
    <>
      <p class="facts">
        <strong>
          <BotName name={callback.bot_name} id={callback.bot_id} />
        </strong>
        <RunStatus status={callback.status} />
      </p>
      {messages.length === 0 ? <p class="empty">{t('playground.nobody')}</p> : null}
      {messages.map((message) => messageOf(message, addressOf(message.destination), reader))}
      {more === 0 ? null : <p class="quiet">{t('playground.more', { number: more })}</p>}
      <details open={messages.length === 0}>
        <summary>{t('playground.routes')}</summary>
        <ul class="reasons">
          {routingEvents(explanations, reader.now, callback, new Sayings(reader)).map(
            ({ text, small = '' }) => (
              <li key={text}>
                <Foreign text={text} /> <Code text={small} />
              </li>
            ),
          )}
        </ul>
      </details>
    </>
  );
}

/** @param path undefined if the message can be shown only as text */
function messageOf(drawn: DrawnMessage, path: string | undefined, { t }: Reader) {
  const { destination, route, composed, failures } = drawn;
  const { title } = composed;
  const by = route === undefined ? t('playground.not routed') : t('playground.by', { route });
  return (
    <article key={destination} class="panel">
      <header>
        <h3>
          <Code text={destination} />
        </h3>
        <Foreign text={by} class="quiet" />
      </header>
      {title === undefined ? null : (
        <p>
          <span class="quiet">{t('message.subject')}</span> <Foreign text={title} />
        </p>
      )}
      {path === undefined ? (
        <ForeignBlock text={composed.asText()} label={destination} />
      ) : (
        <MessageFrame path={path} destination={destination} height={frameHeightOf(composed)} />
      )}
      {failures.map((failure) => (
        <p key={`${failure.format} ${failure.message}`}>
          <Status tone="bad" word={t(failedWord(failure))} />{' '}
          <Code text={`${failure.format}/${failure.template}`} /> <Foreign text={failure.message} lang="en" />
        </p>
      ))}
    </article>
  );
}
