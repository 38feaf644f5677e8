/** The playground: a callback that is recorded, a sample or pasted, and what would become of it. */
import type { Context } from 'koa';
import { destinationsOf } from '../../../route/router.ts';
import type { Drawing } from '../../drawing.ts';
import type { AdminServices } from '../../services.ts';
import { answerMessage } from '../message.tsx';
import { Field, PostForm } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Link, pathTo } from '../parts/text.tsx';
import { readerOf, useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { addressesFor, choose, type Chosen } from './chosen.ts';
import { Result, tryText, type TryOptions } from './result.tsx';

/** Characters. What is longer is drawn, and not put into a field. */
const LONGEST_EDITED = 512 * 1024;

/** Of a GET and a POST alike: what a POST brings stands in `query`. */
export const playgroundView: View = async ({ query, reader: { t }, services }) => {
  const drawing = services.drawing();
  const options = optionsIn(query, drawing);
  const chosen = await choose(query, services);
  if (chosen === undefined) return undefined;
  const result = await tryText(chosen.text, options, drawing);
  const body = (
    <>
      <Head title={t('nav.playground')} lead={t('playground.lead')} />
      <div class="playground">
        <Section
          title={t('playground.callback')}
          aside={<Samples names={services.samples.map(({ name }) => name)} />}
        >
          <CallbackForm chosen={chosen} options={options} drawing={drawing} />
        </Section>
        <Section title={t('playground.result')}>
          <Result result={result} addressOf={addressesFor(chosen, options.templateSet)} />
        </Section>
      </div>
    </>
  );
  // What is being typed stays.
  return { title: t('nav.playground'), everySeconds: 0, body };
};

function optionsIn(query: URLSearchParams, { templateSets }: Drawing): TryOptions {
  return {
    templateSet: templateSets.find((set) => set === query.get('set')),
    to: query.get('to') || undefined,
  };
}

/** One of the messages, in its frame. */
export async function answerTriedMessage(ctx: Context, services: AdminServices): Promise<void> {
  const { searchParams: query } = ctx.URL;
  const drawing = services.drawing();
  const chosen = await choose(query, services);
  const tried = await tryText(chosen?.text ?? '', optionsIn(query, drawing), drawing);
  const drawn = 'errors' in tried ? undefined : tried.messages[0];
  answerMessage(ctx, drawn, readerOf(ctx, services.surroundings));
}

function Samples({ names }: { readonly names: readonly string[] }) {
  const { t, word } = useReader();
  return (
    <span class="facts">
      {t('playground.samples')}
      {names.map((name) => (
        <Link key={name} to={pathTo(['playground'], { sample: name })}>
          {word('status', name)}
        </Link>
      ))}
    </span>
  );
}

interface FormProps {
  readonly chosen: Chosen;
  readonly options: TryOptions;
  readonly drawing: Drawing;
}

function CallbackForm({ chosen: { text, callbackId: callback }, options, drawing }: FormProps) {
  const { t, formats } = useReader();
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
      <Options options={options} drawing={drawing} />
    </PostForm>
  );
}

function Options({ options: { to, templateSet }, drawing }: Omit<FormProps, 'chosen'>) {
  const { t } = useReader();
  const named = (value: string) => [value, value] as const;
  const destinations = [
    ['', t('playground.routed')] as const,
    ...destinationsOf(drawing.config).map(({ destination }) => named(destination)),
    ...[...drawing.formats.keys()].map((channel) => [channel, t('playground.any of', { channel })] as const),
  ];
  const sets = [['', t('playground.any set')] as const, ...drawing.templateSets.map(named)];
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
