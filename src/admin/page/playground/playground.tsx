/** The playground: a callback that is recorded, a sample or pasted, and what would become of it. */
import type { Context } from 'koa';
import { ALL_STATUSES } from '../../../callback/callback.ts';
import { destinationsOf } from '../../../route/router.ts';
import type { Drawing } from '../../drawing.ts';
import type { AdminServices, Sample } from '../../services.ts';
import { tryCallback, type TryOptions, type TryResult } from '../../try-callback.ts';
import { answerFrameFault, answerMessageFrame } from '../message-frame.tsx';
import { Field, PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Link, pathTo } from '../parts/text.tsx';
import { readerOf, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { addressesFor, choose, type Chosen } from './chosen.ts';
import { TryResultView } from './try-result.tsx';

/** Of a GET and a POST alike: what a POST brings stands in `query`. */
export const playgroundView: View = async ({ query, reader, services }) => {
  const tried = await tryOut(query, services);
  return {
    title: reader.t('nav.playground'),
    section: 'playground',
    // What is being typed stays.
    everySeconds: 0,
    body: <Playground data={{ ...tried, drawing: services.drawing(), samples: services.samples }} />,
  };
};

interface TriedOut {
  readonly chosen: Chosen;
  readonly options: TryOptions;
  readonly result: TryResult;
}

async function tryOut(query: URLSearchParams, services: AdminServices): Promise<TriedOut> {
  const drawing = services.drawing();
  const options: TryOptions = {
    templateSet: drawing.templateSets.find((set) => set === query.get('set')),
    to: query.get('to') || undefined,
  };
  const chosen = await choose(query, services);
  if (chosen.subject === undefined) return { chosen, options, result: { kind: 'unknown' } };
  return { chosen, options, result: await tryCallback(chosen.subject, options, drawing) };
}

/** One of the messages, in its frame. */
export async function answerTriedMessage(ctx: Context, services: AdminServices): Promise<void> {
  const query = ctx.URL.searchParams;
  const { options, result } = await tryOut(query, services);
  const messages = result.kind === 'tried' ? result.messages : [];
  const tried = messages.find(({ destination }) => destination === options.to);
  if (tried !== undefined) return answerMessageFrame(ctx, tried);
  const reader = readerOf(ctx, services.surroundings);
  return answerFrameFault(ctx, 404, reader.t('message.failed'), reader);
}

interface PlaygroundData extends TriedOut {
  readonly drawing: Drawing;
  readonly samples: readonly Sample[];
}

interface PlaygroundProps {
  readonly data: PlaygroundData;
}

function Playground({ data }: PlaygroundProps) {
  const { t } = useReader();
  return (
    <>
      <Head title={t('nav.playground')} lead={t('playground.lead')} />
      <div class="playground">
        <Section title={t('playground.callback')} aside={<Samples samples={data.samples} />}>
          <CallbackForm data={data} />
        </Section>
        <Section title={t('playground.result')}>
          <TryResultView result={data.result} addressOf={addressesFor(data.chosen, data.options)} />
        </Section>
      </div>
    </>
  );
}

function Samples({ samples }: Pick<PlaygroundData, 'samples'>) {
  const { t } = useReader();
  return (
    <span class="facts">
      {t('playground.samples')}
      {samples.map(({ name }) => {
        const known = ALL_STATUSES.find((each) => each === name);
        return (
          <Link key={name} to={pathTo(['playground'], { sample: name })}>
            {known === undefined ? name : t(`status.${known}`)}
          </Link>
        );
      })}
    </span>
  );
}

function CallbackForm({ data }: PlaygroundProps) {
  const { t, formats } = useReader();
  const { subject, text, size } = data.chosen;
  return (
    <PostForm
      action="/playground"
      fields={subject?.kind === 'recorded' ? { callback: subject.callbackId } : undefined}
    >
      <div class="field">
        <label for="text">{t('playground.json')}</label>
        <textarea
          id="text"
          name="text"
          rows={14}
          spellcheck={false}
          autocomplete="off"
          dir="ltr"
          aria-describedby="text-hint"
        >
          {text ?? ''}
        </textarea>
        <small id="text-hint" class="quiet">
          {text === undefined ? t('playground.too long', { size: formats.size(size) }) : null}
        </small>
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          {t('playground.preview')}
        </button>
      </div>
      <Options data={data} />
    </PostForm>
  );
}

function Options({ data: { options, drawing } }: PlaygroundProps) {
  const { t } = useReader();
  const { to, templateSet } = options;
  const named = (value: string) => ({ value, word: value });
  const channels = [...drawing.formats.keys()].map((channel) => ({
    value: channel,
    word: t('playground.any of', { channel }),
  }));
  const everybody = { value: '', word: t('playground.routed') };
  const destinations = destinationsOf(drawing.config).map(({ key }) => named(key));
  const sets = [{ value: '', word: t('playground.any set') }, ...drawing.templateSets.map(named)];
  return (
    <details open={(to ?? templateSet) !== undefined}>
      <summary>{t('playground.options')}</summary>
      <div class="filters">
        <Field
          name="to"
          label={t('playground.to')}
          value={to}
          options={[everybody, ...destinations, ...channels]}
        />
        <Field name="set" label={t('playground.set')} value={templateSet} options={sets} />
      </div>
    </details>
  );
}
