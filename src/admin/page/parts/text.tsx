/** Foreign text made safe to show, links, and times. */
import type { VNode } from 'preact';
import { cleanLine, cleanText, isBlank } from '../../../text/clean.ts';
import { cutEnd, shortText } from '../../../text/cut.ts';
import { isKnownInstant } from '../../../time/display.ts';
import { useReader } from '../reader.ts';
import type { Word } from '../words.ts';

const LONGEST_LINE = 300;
/** Short enough for one line in a list's row. */
const LONGEST_NAME = 80;
const SHORT_ID = 13;

interface ForeignProps {
  readonly text: string;
  /** In characters; the rest is cut off. */
  readonly most?: number;
  readonly class?: string;
  /** For texts that are in English whatever the page's language. */
  readonly lang?: 'en';
}

/** Any text on one line, cut, without secrets, even those that cleaning joins together, and isolated, so that it cannot turn the text beside it. */
export function Foreign({ text, most = LONGEST_LINE, ...attributes }: ForeignProps) {
  const { redact } = useReader();
  // A part of a secret would not be recognised.
  return <bdi {...attributes}>{cutEnd(redact(cleanLine(redact(text))), most, '…')}</bdi>;
}

/** For what a browser that translates the page must leave as it is. Preact knows only booleans, and leaves out "false". */
const UNTRANSLATED: object = { translate: 'no' };

/** An id, a destination or a code, in a font with distinct letters. */
export function Code(props: Pick<ForeignProps, 'text' | 'most'>) {
  return <Foreign {...props} class="code" {...UNTRANSLATED} />;
}

interface ForeignBlockProps extends Pick<ForeignProps, 'text' | 'most'> {
  readonly label: string;
}

/** Text with its line breaks, without secrets, in a box that scrolls, also by keyboard. */
export function ForeignBlock({ text, most = Infinity, label }: ForeignBlockProps) {
  const { redact } = useReader();
  return (
    <pre class="box" role="region" aria-label={cleanLine(label)} tabIndex={0} dir="auto" {...UNTRANSLATED}>
      {shortText(redact(cleanText(redact(text))), most)}
    </pre>
  );
}

/** A BOT's name, or its id if the name is blank. */
export function nameOf(name: string, id: string): string {
  return isBlank(name) ? id : name;
}

export function BotName({ name, id }: { readonly name: string; readonly id: string }) {
  return <Foreign text={nameOf(name, id)} most={LONGEST_NAME} />;
}

/** A detail in small letters, such as the message of an error. */
export function Gist({ text }: { readonly text: string | undefined }) {
  return text === undefined || text === '' ? null : (
    <small>
      <Foreign text={text} />
    </small>
  );
}

/** A link to a job's callbacks; unless `isWhole`, only the beginning of its id is shown. */
export function JobLink({ id, isWhole = false }: { readonly id: string; readonly isWhole?: boolean }) {
  return (
    <a href={pathTo(['callbacks'], { job_id: id })} class={isWhole ? undefined : 'quiet'}>
      <Code text={id} {...(!isWhole && { most: SHORT_ID })} />
    </a>
  );
}

/** A link on a line of its own. */
export function LinkLine({ href, word }: { readonly href: string; readonly word: string }) {
  return (
    <p>
      <a href={href}>{word}</a>
    </p>
  );
}

/** A path on this site with parts and parameters encoded; undefined and empty parameters are left out. */
export function pathTo(parts: readonly (string | number)[], parameters: Query = {}): string {
  const path = `/${parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join('/')}`;
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Names, or elements in their place, in a row. */
export function Chips({ of }: { readonly of: readonly (string | VNode)[] }) {
  if (of.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="chips">
      {of.map((each, index) => (
        <li key={index}>{typeof each === 'string' ? <Code text={each} /> : each}</li>
      ))}
    </ul>
  );
}

interface TimeProps {
  /** Milliseconds since the epoch; undefined is shown as never. */
  readonly at: number | undefined;
  /** `both`: 10:42 and how long ago; `ago`: only how long ago; `instant`: date, time and zone. */
  readonly as?: 'both' | 'ago' | 'instant';
}

export function Time({ at, as = 'both' }: TimeProps) {
  const { formats, t } = useReader();
  if (at === undefined || !isKnownInstant(at)) return <span class="quiet">{t('never')}</span>;
  const whole = formats.instant(at);
  return (
    <time dateTime={new Date(at).toISOString()} title={as === 'instant' ? undefined : whole}>
      {{ instant: whole, ago: formats.relative(at), both: `${formats.short(at)} ` }[as]}
      {as === 'both' ? <span class="quiet">{formats.relative(at)}</span> : null}
    </time>
  );
}

/** What happened, and when; nothing if there is no time. */
export function At({ word, ...time }: TimeProps & { readonly word: Word }) {
  const { t } = useReader();
  return time.at === undefined ? null : (
    <span>
      {t(word)} <Time {...time} />
    </span>
  );
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface NextPageProps {
  /** The list's section. */
  readonly of: string;
  /** The other parameters of the list. */
  readonly query?: Query;
  /** Where the next page begins; both are undefined if there is none. */
  readonly before?: number | undefined;
  readonly after?: string | undefined;
}

export function NextPage({ of, query, ...key }: NextPageProps) {
  const { t } = useReader();
  if ((key.before ?? key.after) === undefined) return null;
  return <LinkLine href={pathTo([of], { ...query, ...key })} word={`${t('nextPage')} ›`} />;
}
