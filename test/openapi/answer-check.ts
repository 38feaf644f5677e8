/** Whether an answer is one that the OpenAPI document of its listener has. */
import { type ApiDocument, memberAt, membersAt, type Operation, type Place, placeAt } from './document.ts';
import { faultsIn } from './schemas.ts';

/** A request and its answer. */
export interface Answer {
  /** In capitals. */
  readonly method: string;
  /** As it was asked for, with its query. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

export interface Checked {
  /** Empty: it is as the document says. */
  readonly faults: readonly string[];
  /** What of the document it shows, each as `POST /callbacks 200`. */
  readonly seen: readonly string[];
}

const NOTHING: Checked = { faults: [], seen: [] };

/** @param documentPath the path that the document has for one of a listener; default: the same */
export function checkAnswer(
  document: ApiDocument,
  answer: Answer,
  documentPath: (path: string) => string = (path) => path,
): Checked {
  const path = documentPath(answer.path.split('?', 1)[0] ?? '');
  const found = operationsAt(document, path);
  if (found.length > 0) return checkKnown(document, answer, found);
  return isOfPage(document, path) ? NOTHING : { faults: problemFaults(document, answer), seen: [] };
}

/** Of what has no path in a document, all but the page's HTML is a problem. */
function isOfPage({ name }: ApiDocument, path: string): boolean {
  return name === 'admin' && !/^\/(?:api|-)(?:\/|$)/.test(path);
}

/** Those of the path that fits; of two, the one that names more of it. */
function operationsAt({ operations }: ApiDocument, path: string): readonly Operation[] {
  const fitting = operations.filter((operation) => fits(operation.path, path));
  const variables = ({ path: template }: Operation) => template.split('{').length;
  const fewest = Math.min(...fitting.map(variables));
  return fitting.filter((operation) => variables(operation) === fewest);
}

function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  const isSame = (part: string, index: number) =>
    part.startsWith('{') ? given[index] !== '' : part === given[index];
  return wanted.length === given.length && wanted.every(isSame);
}

function checkKnown(document: ApiDocument, answer: Answer, atPath: readonly Operation[]): Checked {
  const method = answer.method === 'HEAD' ? 'GET' : answer.method;
  const operation = atPath.find((each) => each.method === method);
  const asked = operation === undefined ? atPath : [operation];
  const isOther = operation === undefined && answer.status < 300;
  const results = asked.map((each) => checkOperation(document, answer, each));
  return {
    faults: [
      ...(isOther ? [`the document has no ${answer.method} here`] : []),
      ...(answer.status === 405 ? allowFaults(answer, atPath) : []),
      ...new Set(results.flatMap(({ faults }) => faults)),
    ],
    seen: results.flatMap(({ seen }) => seen),
  };
}

/** `Allow` names what the document has, and HEAD with GET. */
function allowFaults({ headers }: Answer, atPath: readonly Operation[]): readonly string[] {
  const wanted = new Set(atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
  const named = String(headers['allow']).split(', ');
  const isSame = named.length === wanted.size && named.every((each) => wanted.has(each));
  return isSame ? [] : [`it allows ${named.join()}, and the document has ${[...wanted].join()}`];
}

function checkOperation(document: ApiDocument, answer: Answer, operation: Operation): Checked {
  const { responses, method, path } = operation;
  const status = responses.has(String(answer.status)) ? String(answer.status) : 'default';
  const response = responses.get(status);
  if (response === undefined) return { faults: [`the document has no ${answer.status} here`], seen: [] };
  return {
    faults: [...headerFaults(document, answer, response), ...bodyFaults(document, answer, response)],
    seen: [`${method} ${path} ${status}`],
  };
}

function headerFaults(document: ApiDocument, { headers }: Answer, response: Place): readonly string[] {
  const described = new Map(
    [...membersAt(document.root, response, 'headers')].map(([name, place]) => [name.toLowerCase(), place]),
  );
  const unknown = Object.keys(headers).filter(
    (name) => document.headerNames.has(name) && !described.has(name),
  );
  return [
    ...unknown.map((name) => `the document has no header ${name} here`),
    ...[...described].flatMap(([name, place]) => oneHeaderFaults(document, headers[name], name, place)),
  ];
}

function oneHeaderFaults(
  document: ApiDocument,
  value: string | string[] | undefined,
  name: string,
  place: Place,
): readonly string[] {
  const { root } = document;
  if (value === undefined)
    return memberAt(root, place, 'required')?.value === true ? [`it has no header ${name}`] : [];
  const schema = memberAt(root, place, 'schema');
  if (schema === undefined) return [`the document does not say what header ${name} is`];
  const isNumber = memberAt(root, schema, 'type')?.value === 'integer' && /^\d+$/.test(String(value));
  const faults = faultsIn(document, schema.pointer, isNumber ? Number(value) : value);
  return faults.map((fault) => `header ${name}: ${fault}`);
}

function bodyFaults(document: ApiDocument, answer: Answer, response: Place): readonly string[] {
  const { method, headers, body } = answer;
  const described = membersAt(document.root, response, 'content');
  const [type = '', ...parameters] = String(headers['content-type'] ?? '').split(/; ?/);
  const content = described.get(type);
  if (content === undefined)
    return described.size === 0 && body.length === 0 ? [] : [`the document has no content ${type} here`];
  if (parameters.some((each) => each.startsWith('charset=') && each !== 'charset=utf-8'))
    return [`its charset is not utf-8: ${parameters.join()}`];
  // An answer to HEAD has the headers alone.
  if (method === 'HEAD') return body.length === 0 ? [] : ['it has a body'];
  const schema = memberAt(document.root, content, 'schema');
  return schema === undefined ? [] : contentFaults(document, answer, type, schema);
}

function contentFaults(
  document: ApiDocument,
  { status, body }: Answer,
  type: string,
  schema: Place,
): readonly string[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  const value = type.endsWith('json') ? (JSON.parse(text) as unknown) : text;
  const isProblem = type === 'application/problem+json';
  const said = (value as { readonly status?: unknown }).status;
  return [
    ...(isProblem && said !== status ? [`it is answered ${status} and says ${String(said)}`] : []),
    ...faultsIn(document, schema.pointer, value),
  ];
}

const PROBLEM = '#/components/schemas/Problem';

function problemFaults(document: ApiDocument, answer: Answer): readonly string[] {
  const type = String(answer.headers['content-type']);
  if (answer.status < 400 || type !== 'application/problem+json')
    return [`the document has no such path, and it is answered ${answer.status} ${type}`];
  const schema = placeAt(document.root, PROBLEM);
  if (schema === undefined) throw new Error(`the document has no ${PROBLEM}`);
  return answer.method === 'HEAD' ? [] : contentFaults(document, answer, type, schema);
}
