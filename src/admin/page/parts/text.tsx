/** Foreign text kept to itself, and links that lead nowhere but where they say. */
import type { ComponentChildren } from 'preact';
import { cleanLine, cleanText, isBlank, wholeUrl } from '../../../text/clean.ts';
import { cutEnd } from '../../../text/cut.ts';

const LONGEST_LINE = 300;

/** On one line, whatever it holds, without turning the direction of what stands beside it. */
export function Foreign({ text, className }: { readonly text: string; readonly className?: string }) {
  return <bdi class={className}>{cutEnd(cleanLine(text), LONGEST_LINE, '…')}</bdi>;
}

/** An id, a destination, a code: in letters that can be told apart. */
export function Code({ text }: { readonly text: string }) {
  return <Foreign text={text} className="code" />;
}

const SHORT_ID = 13;

/** Its beginning, which tells it from others at a glance. */
export function ShortCode({ text }: { readonly text: string }) {
  return <Code text={cutEnd(cleanLine(text), SHORT_ID, '…')} />;
}

/** Of several lines, as they are, in a box that scrolls and that a keyboard reaches. */
export function ForeignBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section class="box" aria-label={cleanLine(label)} tabIndex={0}>
      <pre dir="auto">{cleanText(text)}</pre>
    </section>
  );
}

/** A BOT by its name, or by its id where it has none. */
export function BotName({ name, id }: { readonly name: string; readonly id: string }) {
  return <Foreign text={isBlank(name) ? id : name} />;
}

interface LinkProps {
  /** A path of ours, `/…`, or an address over http or https; anything else is shown without a link. */
  readonly to: string;
  readonly className?: string;
  readonly label?: string;
  readonly isCurrent?: boolean;
  /** Undefined: it is shown; else the name of the file. */
  readonly download?: string;
  readonly children?: ComponentChildren;
}

export function Link({ to, className, label, isCurrent, download, children }: LinkProps) {
  const address = addressOf(to);
  if (address === undefined) return <span class={className}>{children}</span>;
  const isOurs = address.startsWith('/');
  return (
    <a
      href={address}
      class={className}
      aria-label={label === undefined ? undefined : cleanLine(label)}
      aria-current={isCurrent === true ? 'page' : undefined}
      download={download}
      rel={isOurs ? undefined : 'noopener noreferrer'}
    >
      {children}
    </a>
  );
}

function addressOf(to: string): string | undefined {
  return isOwnPath(to) ? to : wholeUrl(to);
}

/** `//host` and `/\host` lead elsewhere. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[!-[\]-~]*$/.test(path);
}

/** A path of ours, its parts and parameters encoded; parameters that are undefined or empty are left out. */
export function pathTo(
  parts: readonly (string | number)[],
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const path = `/${parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join('/')}`;
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}

interface DestinationsProps {
  readonly names: readonly string[];
  readonly tone?: 'good' | 'bad';
}

/** In a row, each on its own. */
export function Destinations({ names, tone }: DestinationsProps) {
  if (names.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="chips">
      {names.map((name) => (
        <li key={name} class={tone === undefined ? 'chip' : `chip ${tone}`}>
          <Code text={name} />
        </li>
      ))}
    </ul>
  );
}

/** Where that says the same: a number that JavaScript would round stays as it came. */
export function indented(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? JSON.stringify(value, undefined, 2) : json;
}
