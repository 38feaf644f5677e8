/** Addresses of jobs and files, made from the Liquid templates of `display.links`. */
import type { Liquid, Template } from 'liquidjs';
import type { FileView } from '../channels/card.ts';
import type { DisplayConfig } from '../config/config.ts';
import type { Fault } from '../text/fault.ts';
import { textOf } from '../channels/value-text.ts';
import { Escaped, escapeUrlPart, LONGEST_ADDRESS, wholeUrl } from '../text/clean.ts';
import { createEngine, wordsIn } from './engine.ts';
import { findUnknownVariables, parseLiquid } from './liquid-faults.ts';

export interface Links {
  /** The job's address; '' if no link is configured, one of its values is absent or empty, or the result is no URL. */
  job(view: Readonly<Record<string, unknown>>): string;
  /** The file's address or ''. The template sees the file's `ref`, `name` and `size` as well as the callback's fields. */
  file(view: object, file: Pick<FileView, 'ref' | 'name' | 'size'>): string;
}

const OF_CALLBACK =
  'code job_id bot_id bot_name status start_time elapsed_time output message callback status_name'.split(' ');

const KNOWN = { job: OF_CALLBACK, file: [...OF_CALLBACK, 'ref', 'name', 'size'] } as const;

/** @returns what is wrong with a link's template; undefined if nothing is */
export function linkFault(link: keyof typeof KNOWN, template: string): Fault | undefined {
  const liquid = engineFor({ timezone: 'UTC', language: 'en', links: {} });
  const { templates = [], fault } = parseLiquid(liquid, template);
  return (fault ?? findUnknownVariables(liquid, templates, KNOWN[link])[0])?.what;
}

/** @throws {Error} a link in which `linkFault` finds something wrong */
export function createLinks(display: DisplayConfig): Links {
  const liquid = engineFor(display);
  liquid.registerFilter(WITH_SLASHES, (value: unknown) => escapeRef(textOf(value)));
  const { job = '', file = '' } = display.links;
  const [ofJob, ofFile] = [liquid.parse(job), liquid.parse(file.replace(REF, `$1 | ${WITH_SLASHES} $2`))];
  const words = wordsIn(job, liquid);
  return {
    job: (view) => (words ? (wholeUrl(words(view, false)) ?? '') : renderLink(liquid, ofJob, view)),
    file: (view, { ref, name, size }) => renderLink(liquid, ofFile, view, { ref, name, size }),
  };
}

/** Prints a blank for an absent or empty value: no address has one, so that the whole link is left out. */
function engineFor(display: DisplayConfig): Liquid {
  const liquid = createEngine(display, { escape: (text) => escapeUrlPart(text) || ' ', most: Infinity });
  for (const name of ENCODING) liquid.registerFilter(name, (value: unknown) => value);
  return liquid;
}

/** These return the value unchanged: printing encodes it, and they would encode it twice. */
const ENCODING = ['url_encode', 'uri_escape', 'cgi_escape'];

/** A reference, or what filters made of it. */
const REF = /(\{\{-?\s*ref\b.*?)(-?\}\})/gs;

/** The filter that is appended to it. */
const WITH_SLASHES = 'with_slashes';

/** Escapes all but the slashes, which separate parts of the path. A reference that is cut is still too long for an address. */
function escapeRef(ref: string): Escaped {
  const parts = ref.slice(0, LONGEST_ADDRESS + 1).split('/');
  return new Escaped(parts.map(escapeUrlPart).join('/') || ' ');
}

function renderLink(liquid: Liquid, templates: Template[], view: object, ofFile = {}): string {
  if (templates.length === 0) return '';
  try {
    return wholeUrl(String(liquid.renderSync(templates, ofFile, { globals: view }))) ?? '';
  } catch {
    // A message without its link is better than no message.
    return '';
  }
}
