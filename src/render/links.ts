/** Addresses of jobs and files, made from the Liquid templates of `display.links`. */
import type { Liquid, Template } from 'liquidjs';
import { type Callback, statusNameOf } from '../callback/callback.ts';
import type { FileView } from '../channels/card.ts';
import type { DisplayConfig, PlaceInConfig, Problem } from '../config/config.ts';
import { Escaped, escapeUrlPart, LONGEST_ADDRESS, wholeUrl } from '../text/clean.ts';
import { createEngine } from './engine.ts';
import { findUnknownVariables, parseLiquid } from './liquid-faults.ts';

export interface Links {
  /** '' where no link is configured or none comes out of it. */
  job(fields: object): string;
  /** Its template sees the file beside the callback's own fields. */
  file(fields: object, file: Pick<FileView, 'ref' | 'name' | 'size'>): string;
  readonly problems: readonly Problem[];
}

type LinkName = keyof DisplayConfig['links'];

const FIELDS = [
  'code',
  'job_id',
  'bot_id',
  'bot_name',
  'status',
  'start_time',
  'elapsed_time',
  'output',
  'message',
] as const;
const OF_CALLBACK = [...FIELDS, 'callback', 'status_name'];
const OF_FILE = ['ref', 'name', 'size'];

/** What templates see of a callback as it came: the interface's fields, null where one is absent. */
export function fieldsOf(callback: Callback): Readonly<Record<string, unknown>> {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, callback[name] ?? null]));
  return { ...fields, callback, status_name: statusNameOf(callback) };
}

/** @param placeInConfig left out: where there is no file */
export function createLinks(
  display: DisplayConfig,
  placeInConfig: PlaceInConfig = (path) => ({ file: path.join('.'), line: 1, column: 1 }),
): Links {
  const liquid = createEngine(display, { escape: escapeUrlPart, most: Infinity });
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
    job: (fields) => renderLink(liquid, job, fields),
    file: (fields, { ref, name, size }) =>
      renderLink(liquid, file, { ...fields, ref: escapeRef(ref), name, size }),
    problems,
  };
}

/** The slashes of a reference are part of the path; everything else is data. What is cut is no address even so. */
function escapeRef(ref: string): Escaped {
  const parts = ref.slice(0, LONGEST_ADDRESS + 1).split('/');
  return new Escaped(parts.map(escapeUrlPart).join('/'));
}

function renderLink(liquid: Liquid, templates: Template[], fields: object): string {
  if (templates.length === 0) return '';
  try {
    return wholeUrl(String(liquid.renderSync(templates, fields))) ?? '';
  } catch {
    // A link is worth less than the message that would carry it.
    return '';
  }
}
