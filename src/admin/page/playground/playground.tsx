/** The playground: a callback that is recorded, a sample or pasted, and what would become of it. */
import type { Context } from 'koa';
import { decodeBody } from '../../../callback/decode.ts';
import { destinationsOf } from '../../../route/router.ts';
import type { Drawing } from '../../drawing.ts';
import { type Subject, tryCallback, type TryOptions, type TryResult } from '../../try-callback.ts';
import type { AdminServices, Sample } from '../../services.ts';
import { refusalWith } from '../operation/refused.tsx';
import { Field, type Option, PostForm } from '../parts/forms.tsx';
import { Link, pathTo } from '../parts/text.tsx';
import { answerFrameFault, answerMessageFrame } from '../message-frame.tsx';
import { LANGUAGES, type Reader, readerOf } from '../reader.ts';
import { idIn, type View } from '../view.ts';
import { MESSAGE_WORDS } from '../words/message.ts';
import { PLAYGROUND_WORDS } from '../words/playground.ts';
import { addressesFor, unpacked } from './message-address.ts';
import { TryResultView } from './try-result.tsx';
import { useReader, useWords } from '../use-reader.ts';

/** What is larger is drawn, and not put into a field. */
const LARGEST_EDITED = 64 * 1024;

/** What somebody has pasted stays, up to here. */
const LARGEST_KEPT = 512 * 1024;

/** Of destinations and template sets to choose from. */
const MOST_OPTIONS = 500;

/** Of a GET and a POST alike: what a POST brings stands in `query`. */
export const playgroundView: View = async ({ query, reader, services }) => {
  const tried = await tryOut(query, services);
  const data = {
    ...tried,
    choices: choicesOf(services.drawing(), reader),
    samples: services.samples,
  };
  return {
    title: PLAYGROUND_WORDS[reader.language].title,
    section: 'playground',
    // What is being typed stays.
    isLive: false,
    body: <Playground data={data} />,
  };
};

async function tryOut(query: URLSearchParams, services: AdminServices): Promise<TriedOut> {
  const drawing = services.drawing();
  const options: TryOptions = {
    templateSet: drawing.templateSets.find((set) => set === query.get('set')),
    language: LANGUAGES.find((language) => language === query.get('language')),
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
  if (tried !== undefined) return answerMessageFrame(ctx, tried, query.get('theme'));
  const reader = readerOf(ctx, services.surroundings);
  return answerFrameFault(ctx, 404, MESSAGE_WORDS[reader.language].failed, reader);
}

export interface Chosen {
  /** Undefined: there is no such thing. */
  readonly subject: Subject | undefined;
  /** To be changed; undefined: too large for that. */
  readonly text: string | undefined;
  /** Where it was opened from the ledger. */
  readonly callbackId: number | undefined;
  /** Bytes of a recorded one. */
  readonly size: number | undefined;
}

const NOTHING: Chosen = { subject: undefined, text: '', callbackId: undefined, size: undefined };

/** What was pasted, else what the address names, else a sample. */
async function choose(query: URLSearchParams, services: AdminServices): Promise<Chosen> {
  const { archive, samples } = services;
  const pasted = query.get('text') ?? unpacked(query.get('packed') ?? '');
  if (pasted.trim() !== '') return ofText(pasted, LARGEST_KEPT);
  if (query.has('packed')) return NOTHING;
  const [callback, refused] = [query.get('callback'), query.get('refused')];
  if (callback !== null && callback !== '') return ofCallback(idIn(callback), services);
  if (refused !== null) {
    const refusal = await refusalWith(archive, idIn(refused));
    return refusal === undefined ? NOTHING : ofText(refusal.body);
  }
  const sample = samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
  return sample === undefined ? NOTHING : ofText(sample.text);
}

/** @param most bytes that go into the field */
function ofText(text: string, most = LARGEST_EDITED): Chosen {
  const size = Buffer.byteLength(text);
  return {
    ...NOTHING,
    subject: { kind: 'text', text },
    text: size > most ? undefined : text,
    size,
  };
}

async function ofCallback(id: number | undefined, { archive }: AdminServices): Promise<Chosen> {
  const body = id === undefined ? undefined : await archive.body(id);
  if (id === undefined || body === undefined) return NOTHING;
  const subject = { kind: 'recorded', callbackId: id } as const;
  const size = body.byteLength;
  const text = size > LARGEST_EDITED ? undefined : readable(body);
  return { subject, text, callbackId: id, size };
}

/** Indented, where that changes nothing of it. */
function readable(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  try {
    const indented = JSON.stringify(JSON.parse(text), null, 2);
    return JSON.stringify(decodeBody(Buffer.from(indented)).value) === JSON.stringify(decodeBody(body).value)
      ? indented
      : text;
  } catch {
    return text;
  }
}

interface Choices {
  readonly sets: readonly Option[];
  readonly destinations: readonly Option[];
}

function choicesOf({ config, formats, templateSets }: Drawing, { language }: Reader): Choices {
  const words = PLAYGROUND_WORDS[language];
  const named = (value: string) => ({ value, word: value });
  return {
    sets: templateSets.slice(0, MOST_OPTIONS).map(named),
    destinations: [
      ...destinationsOf(config)
        .slice(0, MOST_OPTIONS)
        .map(({ key }) => named(key)),
      ...[...formats.keys()].map((channel) => ({ value: channel, word: words.anyOf(channel) })),
    ],
  };
}

interface TriedOut {
  readonly chosen: Chosen;
  readonly options: TryOptions;
  readonly result: TryResult;
}

export interface PlaygroundData extends TriedOut {
  readonly choices: Choices;
  readonly samples: readonly Sample[];
}

interface PlaygroundProps {
  readonly data: PlaygroundData;
}

export function Playground({ data }: PlaygroundProps) {
  const words = useWords(PLAYGROUND_WORDS);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <div class="playground">
        <section class="panel" aria-labelledby="playground-callback">
          <h2 id="playground-callback">{words.callback}</h2>
          <Beginnings samples={data.samples} />
          <CallbackForm data={data} />
        </section>
        <section id="result" class="result" aria-labelledby="playground-result" aria-live="off">
          <h2 id="playground-result">{words.result}</h2>
          <TryResultView result={data.result} addressOf={addressesFor(data)} />
        </section>
      </div>
    </>
  );
}

function Beginnings({ samples }: { readonly samples: readonly Sample[] }) {
  const words = useWords(PLAYGROUND_WORDS);
  const known: Readonly<Record<string, string>> = words.sample;
  return (
    <form class="filters" method="get" action="/playground" aria-label={words.start}>
      <div class="field">
        <label for="callback">{words.recorded}</label>
        <div class="joined">
          <input
            id="callback"
            name="callback"
            type="text"
            inputMode="numeric"
            pattern="[0-9]*"
            autocomplete="off"
          />
          <button type="submit">{words.open}</button>
        </div>
      </div>
      <p class="samples">
        {words.samples}:{' '}
        {samples.map(({ name }) => (
          <Link key={name} to={pathTo(['playground'], { sample: name })}>
            {known[name] ?? name}
          </Link>
        ))}
      </p>
    </form>
  );
}

function CallbackForm({ data: { chosen, options, choices } }: PlaygroundProps) {
  const reader = useReader();
  const words = useWords(PLAYGROUND_WORDS);
  return (
    <PostForm action="/playground" className="try">
      {chosen.callbackId === undefined ? null : (
        <input type="hidden" name="callback" value={chosen.callbackId} />
      )}
      <div class="field">
        <label for="text">{words.json}</label>
        <textarea
          id="text"
          name="text"
          rows={14}
          spellcheck={false}
          autocomplete="off"
          dir="ltr"
          aria-describedby="text-hint"
        >
          {chosen.text ?? ''}
        </textarea>
        <small id="text-hint" class="quiet">
          {chosen.text === undefined ? words.tooLong(reader.formats.size(chosen.size ?? 0)) : words.jsonHint}
        </small>
      </div>
      <Choosing options={options} choices={choices} />
      <div class="actions">
        <button type="submit" class="primary">
          {words.draw}
        </button>
      </div>
    </PostForm>
  );
}

type ChoosingProps = Pick<PlaygroundData, 'options' | 'choices'>;

function Choosing({ options, choices }: ChoosingProps) {
  const words = useWords(PLAYGROUND_WORDS);
  const languages = LANGUAGES.map((value) => ({ value, word: words.languages[value] }));
  return (
    <div class="filters">
      <Field
        name="to"
        label={words.to}
        value={options.to}
        options={[{ value: '', word: words.routed }, ...choices.destinations]}
      />
      <Field
        name="set"
        label={words.set}
        value={options.templateSet}
        options={[{ value: '', word: words.anySet }, ...choices.sets]}
      />
      <Field
        name="language"
        label={words.language}
        value={options.language}
        options={[{ value: '', word: words.anyLanguage }, ...languages]}
      />
    </div>
  );
}
