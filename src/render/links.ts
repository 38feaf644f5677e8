/** Addresses of jobs and files, made from the Liquid templates of `display.links`. */
import type { Liquid, Template } from 'liquidjs';
import type { FileView } from '../channels/card.ts';
import type { DisplayConfig, PlaceInConfig, Problem } from '../config/config.ts';
import { Escaped, escapeUrlPart, LONGEST_ADDRESS, wholeUrl } from '../text/clean.ts';
import { createEngine } from './engine.ts';
import { findUnknownVariables, parseLiquid } from './liquid-faults.ts';

export interface Links {
  /** The job's address; '' if no link is configured, one of its values is absent or empty, or the result is no URL. */
  job(view: object): string;
  /** The file's address or ''. The template sees the file's `ref`, `name` and `size` as well as the callback's fields. */
  file(view: object, file: Pick<FileView, 'ref' | 'name' | 'size'>): string;
  readonly problems: readonly Problem[];
}

type LinkName = keyof DisplayConfig['links'];

const OF_CALLBACK =
  'code job_id bot_id bot_name status start_time elapsed_time output message callback status_name'.split(' ');
const OF_FILE = ['ref', 'name', 'size'];

/** Printed for an absent or empty value: no address has a blank, so that the whole link is left out. */
const NO_VALUE = ' ';

/** @param placeInConfig default: for a config without a file */
export function createLinks(
  display: DisplayConfig,
  placeInConfig: PlaceInConfig = (path) => ({ file: path.join('.'), line: 1, column: 1 }),
): Links {
  const liquid = createEngine(display, { escape: (text) => escapeUrlPart(text) || NO_VALUE, most: Infinity });
  const problems: Problem[] = [];
  const compile = (name: LinkName, known: readonly string[]) => {
    const { templates = [], fault } = parseLiquid(liquid, display.links[name] ?? '');
    const faults = fault === undefined ? findUnknownVariables(liquid, templates, known) : [fault];
    for (const { message } of faults)
      problems.push({ place: placeInConfig(['display', 'links', name]), message, severity: 'error' });
    return faults.length === 0 ? templates : [];
  };
  const job = compile('job', OF_CALLBACK);
  const file = compile('file', [...OF_CALLBACK, ...OF_FILE]);
  return {
    job: (view) => renderLink(liquid, job, view),
    file: (view, { ref, name, size }) => renderLink(liquid, file, view, { ref: escapeRef(ref), name, size }),
    problems,
  };
}

/** Escapes all but the slashes, which separate parts of the path. A reference that is cut is still too long for an address. */
function escapeRef(ref: string): Escaped {
  const parts = ref.slice(0, LONGEST_ADDRESS + 1).split('/');
  return new Escaped(parts.map(escapeUrlPart).join('/'));
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
