/** What a view is: a request read, an answer shown. */
import type { ComponentChildren } from 'preact';
import type { AdminServices } from '../services.ts';
import type { Reader } from './reader.ts';

export interface ViewRequest {
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly reader: Reader;
  readonly services: AdminServices;
}

export interface Shown {
  /** In the reader's language, without the product's name; may hold foreign text. */
  readonly title: string;
  /** A sentence that says what is shown. */
  readonly lead?: string;
  /** Under the title: a status, an id, links. */
  readonly facts?: ComponentChildren;
  readonly body?: ComponentChildren;
  /** HTTP status code; default: 200. */
  readonly status?: number;
  /** Seconds after which it is looked at again; 0: never; default: 5. */
  readonly everySeconds?: number;
}

/** Undefined: there is no such thing, which is a 404. */
export type View = (request: ViewRequest) => Promise<Shown | undefined>;
