/** A view: a function from a request to the parts of a page. */
import type { ComponentChildren } from 'preact';
import type { AdminServices } from '../services.ts';
import type { Reader } from './reader.ts';

export interface ViewRequest {
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly reader: Reader;
  readonly services: AdminServices;
}

export interface Shown {
  /** In the reader's language, without the product's name; may contain foreign text. */
  readonly title: string;
  /** A sentence that says what is shown. */
  readonly lead?: string;
  /** Shown under the title: a status, an id, links. */
  readonly facts?: ComponentChildren;
  readonly body?: ComponentChildren;
  /** HTTP status code; default: 200. */
  readonly status?: number;
  /** Whether the page must not refresh itself. */
  readonly isStill?: boolean;
}

/** @returns undefined for a 404 */
export type View = (request: ViewRequest) => Promise<Shown | undefined>;
